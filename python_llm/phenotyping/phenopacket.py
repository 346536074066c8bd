"""A patient as a GA4GH phenopacket (version 2.0), and back.

What is written is what is read: findings, present and excluded, with their onsets, age and sex.
`read(write(patient))` is the patient, and `write(read(packet))` the packet, except for its time.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from python_llm.errors import UserError
from python_llm.parsing.json_text import StrangersDecoder, flaw_of

DAYS = 365.25  # of a year
_DURATION = re.compile(
    r"P(?:(\d+(?:\.\d+)?)Y)?(?:(\d+(?:\.\d+)?)M)?(?:(\d+(?:\.\d+)?)W)?(?:(\d+(?:\.\d+)?)D)?(?:T.*)?"
)
_SEXES = {"female": "FEMALE", "male": "MALE"}
Row = dict[str, Any]


def is_phenopacket(text: str) -> bool:
    """Whether a text is one phenopacket in JSON and no note. Raises UserError for JSON that is
    nested too deeply to be either."""
    if not text.lstrip().startswith(("{", "[")):
        return False
    try:
        packet = StrangersDecoder().decode(text)
    except RecursionError as error:
        raise UserError(
            "The file is JSON nested too deeply to be read: give a note, or one phenopacket."
        ) from error
    except ValueError:
        return False
    names = {"phenotypicFeatures", "phenotypic_features"}
    return isinstance(packet, dict) and not names.isdisjoint(packet)


def write(
    phenotypes: Sequence[Mapping[str, Any]],
    *,
    age_years: float | None,
    sex: str | None,
    release: str,
    packet_id: str = "patient",
) -> Row:
    """A phenopacket. phenotypes: hpo_id, hpo_name, is_excluded, onset_years (or None); release: of
    HPO. It holds no text of a note and no candidate disease: those are no diagnoses."""
    subject: Row = {"id": packet_id, "sex": _SEXES.get(sex or "", "UNKNOWN_SEX")}
    if age_years is not None:
        subject["timeAtLastEncounter"] = _age(age_years)
    return {
        "id": packet_id,
        "subject": subject,
        "phenotypicFeatures": [_feature(row) for row in phenotypes],
        "metaData": {
            "created": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "createdBy": "Kernel29",
            "resources": [
                {
                    "id": "hp",
                    "name": "human phenotype ontology",
                    "url": "http://purl.obolibrary.org/obo/hp.owl",
                    "version": release,
                    "namespacePrefix": "HP",
                    "iriPrefix": "http://purl.obolibrary.org/obo/HP_",
                }
            ],
            "phenopacketSchemaVersion": "2.0",
        },
    }


def _feature(row: Mapping[str, Any]) -> Row:
    feature: Row = {"type": {"id": row["hpo_id"], "label": row["hpo_name"]}}
    if row["is_excluded"]:
        feature["excluded"] = True
    if row["onset_years"] is not None:
        feature["onset"] = _age(row["onset_years"])
    return feature


def _age(years: float) -> Row:
    return {"age": {"iso8601duration": duration_of(years)}}


def duration_of(years: float) -> str:
    """ISO 8601 duration of an age in years, to the day: 1.5 is P1Y6M."""
    whole_months = int(years * 12 + 1e-6)
    days = round((years - whole_months / 12) * DAYS)
    if days >= 30:
        whole_months, days = whole_months + 1, 0
    of_year, of_month = divmod(whole_months, 12)
    parts = [
        f"{n}{unit}" for n, unit in ((of_year, "Y"), (of_month, "M"), (max(days, 0), "D")) if n
    ]
    return "P" + ("".join(parts) or "0D")


def years_of(duration: str) -> float | None:
    """Years of an ISO 8601 duration; None if it is none."""
    match = _DURATION.fullmatch(duration.strip())
    if not match or not any(match.groups()):
        return None
    years, months, weeks, days = (float(part or 0) for part in match.groups())
    return years + months / 12 + (weeks * 7 + days) / DAYS


def read(text: str) -> Row:
    """findings and excluded (lists of ids), onsets (years by id), age_years and sex of a
    phenopacket, version 1 or 2. Raises UserError if a feature has no id, or a key is there
    twice."""
    packet = StrangersDecoder().decode(text)
    if flaw := flaw_of(packet):
        raise UserError(f"The phenopacket cannot be read: {flaw}.")
    findings: list[str] = []
    excluded: list[str] = []
    onsets: dict[str, float] = {}
    features = _get(packet, "phenotypicFeatures") or []
    if not isinstance(features, list):
        raise UserError("phenotypicFeatures is no list. Give one, or leave it out.")
    for number, feature in enumerate(features, start=1):
        hpo_id = _get(_get(feature, "type"), "id")
        if not isinstance(hpo_id, str) or not hpo_id.strip():
            raise UserError(f"phenotypicFeatures, entry {number}: its type has no id. Give one.")
        if _get(feature, "excluded") or _get(feature, "negated"):
            excluded.append(hpo_id)
            continue
        findings.append(hpo_id)
        onset = _years(_get(feature, "onset"))
        if onset is not None:
            onsets[hpo_id] = onset
    subject = _get(packet, "subject")
    sexes = {"FEMALE": "female", "MALE": "male", 1: "female", 2: "male"}
    met = _get(subject, "timeAtLastEncounter") or _get(subject, "ageAtCollection")
    age = _years(met)
    return {
        "findings": findings,
        "excluded": excluded,
        "onsets": onsets,
        "age_years": _years(subject) if age is None else age,
        "sex": sexes.get(_get(subject, "sex")),
    }


def _years(element: Any) -> float | None:
    """Years of an age in any of its forms; of a range, its start."""
    if isinstance(element, str):
        return years_of(element)
    for name in ("age", "iso8601duration", "iso8601Duration", "ageRange", "start"):
        value = _get(element, name)
        if value is not None:
            return _years(value)
    return None


def _get(element: Any, name: str) -> Any:
    """A field under its JSON or its protobuf name (ageRange, age_range)."""
    if not isinstance(element, dict):
        return None
    snake = re.sub(r"(?<=[a-z])[A-Z]", lambda capital: f"_{capital[0].lower()}", name)
    return element.get(name, element.get(snake))
