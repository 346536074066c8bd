"""The next best step: by rules from the packet alone, or read out of a model's answer and checked.

A recommendation, whoever made it, is one object: differential, next_best_steps, what_would_change
and uncertainty. Only what the packet supports is accepted: `violations` names every disease,
finding and step that the packet lacks, and every broken rule (docs/specification.md#reasoning).
"""

import json
import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal

import pyarrow as pa
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from python_llm.parsing.folding import packet_key
from python_llm.phenotyping.steps import COMPLAINT, RESULT, SEVERAL

MOST_STEPS = 5
MOST_FINDINGS = 2  # single findings among the steps
MOST_PICTURES = 2  # first tests of clinical pictures among the steps
LISTED = 5  # diseases in a differential
UNSURE = 0.9  # a mapping below this confidence is reported as ambiguous

# rule, place in the recommendation, detail
Violation = tuple[str, str, str]

ActionType = Literal[
    "order_test",
    "refine_phenotype",
    "genetic_testing",
    "reanalysis",
    "refer_specialist",
    "urgent_escalation",
]


class Candidate(BaseModel):
    """One disease of the differential."""

    model_config = ConfigDict(extra="forbid")
    disease_id: str
    disease: str
    confidence: Literal["high", "moderate", "low"]
    confidence_reasoning: str
    supporting_phenotypes: list[str]
    contradicting_phenotypes: list[str]
    missing_key_phenotypes: list[str]


class Step(BaseModel):
    """One recommended action; step_id is that of an option of the packet."""

    model_config = ConfigDict(extra="forbid")
    rank: int
    step_id: str
    action_type: ActionType
    action: str
    rationale: str
    discriminates_between: list[str]
    urgency: Literal["urgent", "routine", "low"]
    evidence_source: str


class Uncertainty(BaseModel):
    """What is established, what nobody has looked for, and what can be read in two ways."""

    model_config = ConfigDict(extra="forbid")
    known: list[str]
    missing: list[str]
    ambiguous: list[str]


class Recommendation(BaseModel):
    """The whole answer; prompts/phenotype_reasoning/schema.json says the same."""

    model_config = ConfigDict(extra="forbid")
    differential: list[Candidate] = Field(max_length=LISTED)
    next_best_steps: list[Step]
    what_would_change: list[str]
    uncertainty: Uncertainty


RECOMMENDATION_SCHEMA = pa.schema(
    [
        ("case_id", pa.string()),
        ("recommendation", pa.string()),
        ("duration_ms", pa.float64()),
    ]
)
PARSED_SCHEMA = pa.schema(
    [
        ("request_key", pa.string()),
        ("parse_status", pa.string()),
        ("parse_reason", pa.string()),
        ("recommendation", pa.string()),
    ]
)
VIOLATION_SCHEMA = pa.schema(
    [
        ("case_id", pa.string()),
        ("reasoner", pa.string()),
        ("violation_number", pa.int32()),
        ("rule", pa.string()),
        ("place", pa.string()),
        ("detail", pa.string()),
    ]
)


# ids, and any name that ends in syndrome or disease, known or not
_ID = re.compile(r"\b((?:OMIM|ORPHA|DECIPHER|HP):\d+)\b")
_DISEASE = re.compile(r"\b([A-Z][\w'’-]+[ -](?:[\w'’-]+[ -]){0,3}?(?:[Ss]yndrome|[Dd]isease))\b")
_WORD = re.compile(r"[^\W_]+")
_LONGEST_NAME = 8  # words
_SHORTEST_NAME = 5  # letters; shorter names are often ordinary words


class Names:
    """The names of diseases, findings and tests, to find them in free text."""

    def __init__(self, rows: Sequence[Mapping[str, str]]) -> None:
        """rows: name, kind (disease, phenotype or test), concept (shared by all names of one
        thing)."""
        self._known: dict[str, tuple[str, str]] = {}
        for row in rows:
            name = " ".join(_words(row["name"]))
            if len(name) >= _SHORTEST_NAME or row["kind"] == "test":
                self._known.setdefault(name, (row["kind"], row["concept"]))

    def find(self, text: str, overlapping: bool = False) -> dict[str, tuple[str, str]]:
        """Names in the text with their kind and concept: the longest that do not overlap, or
        all."""
        words = _words(text)
        names, position = {}, 0
        while position < len(words):
            step = 1
            for length in range(min(_LONGEST_NAME, len(words) - position), 0, -1):
                name = " ".join(words[position : position + length])
                if name in self._known:
                    names[name] = self._known[name]
                    if not overlapping:
                        step = length
                        break
            position += step
        return names


def recommend(packet: Mapping[str, Any], sparse: float) -> dict[str, Any]:
    """The recommendation that the rules derive from the packet; below `sparse` completeness (0 to
    1) its first step is to refine the phenotype."""
    best = packet["disease_candidates"][:LISTED]
    answer = {
        "differential": [_candidate(candidate) for candidate in best],
        "next_best_steps": _steps(packet, sparse),
        "what_would_change": _changes(packet),
        "uncertainty": _uncertainty(packet),
    }
    return Recommendation.model_validate(answer).model_dump()


def _candidate(candidate: Mapping[str, Any]) -> dict[str, Any]:
    supporting, against = candidate["supporting_phenotypes"], candidate["contradicting_phenotypes"]
    reasoning = f"Probability {candidate['probability']:.2f}; {len(supporting)} supporting findings"
    reasoning += (
        f"; contradicted by the exclusion of {', '.join(against)}."
        if against
        else " and no contradiction."
    )
    return {
        "disease_id": candidate["disease_id"],
        "disease": candidate["disease"],
        "confidence": candidate["confidence"],
        "confidence_reasoning": reasoning,
        "supporting_phenotypes": supporting,
        "contradicting_phenotypes": against,
        "missing_key_phenotypes": candidate["missing_key_phenotypes"],
    }


def _steps(packet: Mapping[str, Any], sparse: float) -> list[dict[str, Any]]:
    """What cannot wait first, then what confirms the leading disease and the first test of the
    clinical picture, then the steps in the order of their worth: at most two findings to assess,
    and at least one if there is any. As long as the leading group is unlikely, the picture comes
    before it and a list of genes after all other tests. The picture of a common illness comes first
    unless several findings make one disease clear. Where little is known, refining comes first,
    unless such a picture is there or several findings complete one or point to one disease."""
    options = packet["step_options"]
    kind_of = {option["step_id"]: option["step_id"].partition(":")[0] for option in options}
    flags = [option for option in options if kind_of[option["step_id"]] == "flag"]
    assess = [option for option in options if kind_of[option["step_id"]] == "assess"]
    more = [option for option in assess if option["step_id"] == "assess:more"]
    findings = [option for option in assess if option["step_id"] != "assess:more"]
    pictures = _of_kinds(options, ("picture",))[:MOST_PICTURES]
    confirming = _of_kinds(options, ("confirm",))
    number_of = {
        option["step_id"]: number
        for number, picture in enumerate(pictures)
        for option in (picture, *confirming)
        if _repeats_one(option, [picture])
    }
    ordered = sorted(
        [
            *(option for option in pictures if not _is_repeated(option, confirming)),
            *findings[:MOST_FINDINGS],
            *_of_kinds(options, ("test", "confirm", "genes")),
        ],
        key=_order_of(packet, number_of),
    )
    if findings and findings[0] not in ordered[: MOST_STEPS - 1]:
        ordered = [*ordered[: MOST_STEPS - 1], findings[0], *ordered[MOST_STEPS - 1 :]]
    ordered = _new_ones(ordered)
    order = [*flags, *ordered, *_of_kinds(options, ("reanalysis",))]
    if len(order) > MOST_STEPS and (again := _of_kinds(options, ("reanalysis",))):
        order = [*order[: MOST_STEPS - 1], again[0]]
    is_sparse = packet["data_completeness"] < sparse
    refining = next((option for option in order if option in assess), more[0] if more else None)
    leaders = _leaders_without_refining(packet)
    leading = next((option for option in order if _repeats_one(option, leaders)), refining)
    if leading and (is_sparse or not order):
        rest = [option for option in order if option is not leading and option not in flags]
        order = [*flags, leading, *rest]
    return [
        {
            "rank": rank,
            "step_id": option["step_id"],
            "action_type": option["action_type"],
            "action": option["action"],
            "rationale": _rationale(option, packet["data_completeness"], sparse),
            "discriminates_between": option["discriminates_between"],
            "urgency": _urgency(option),
            "evidence_source": option["evidence_source"],
        }
        for rank, option in enumerate(order[:MOST_STEPS], start=1)
    ]


def _leaders_without_refining(packet: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The steps that may come first however little else is known, behind those of red flags: the
    tests of pictures and, from as many present findings on as count fully for the completeness of
    a case, what confirms the leading disease where it is not unlikely."""
    pictures = _of_kinds(packet["step_options"], ("picture",))[:MOST_PICTURES]
    if len(packet["patient_phenotypes"]) < SEVERAL:
        return pictures
    leader = next(iter(packet["disease_candidates"]), None)
    clear = leader["disease"] if leader and leader["confidence"] != "low" else None
    confirming = _of_kinds(packet["step_options"], ("confirm",))
    return [
        *(option for option in confirming if clear in option["expected_in"]),
        *pictures,
    ]


def _repeats_one(option: Mapping[str, Any], others: Iterable[Mapping[str, Any]]) -> bool:
    """Whether the option says what another says, and perhaps more."""
    return any(option["action"].startswith(other["action"]) for other in others)


def _is_repeated(option: Mapping[str, Any], others: Iterable[Mapping[str, Any]]) -> bool:
    """Whether another option says the same, or the same and more."""
    return any(_repeats_one(other, [option]) for other in others)


def _order_of(
    packet: Mapping[str, Any], number_of: Mapping[str, int]
) -> Callable[[Mapping[str, Any]], tuple[Any, ...]]:
    """The order of steps: class, worth, id. number_of: by step, which picture (the fullest first)
    it is the first test of or begins with."""
    leader = next(iter(packet["disease_candidates"]), None)
    is_likely = leader is not None and leader["confidence"] != "low"
    is_several = len(packet["patient_phenotypes"]) >= SEVERAL
    is_clear = leader is not None and leader["confidence"] == "high" and is_several
    leading = [option for option in packet["step_options"] if option.get("leads")]
    first, second = (0, 1) if is_likely else (1, 0)

    def order(option: Mapping[str, Any]) -> tuple[Any, ...]:
        kind = option["step_id"].partition(":")[0]
        is_leaders = kind == "confirm" and leader and leader["disease"] in option["expected_in"]
        # what a first test showed does not wait for, where the findings point elsewhere
        is_behind = is_likely and is_several and kind == "picture" and _is_result(option)
        if not is_clear and not is_behind and _repeats_one(option, leading):
            return -1, number_of.get(option["step_id"], 0), ""
        if option["step_id"] in number_of and not (is_leaders and is_likely):
            is_bare = option["step_id"].startswith(f"picture:{COMPLAINT}")
            return 1 if is_bare else second, number_of[option["step_id"]], ""
        rank: float = 3 if kind == "genes" and not is_likely else 2
        if is_leaders:
            # what is costly or invasive waits for the ordinary tests of a complaint
            rank = first + 0.5 if option.get("waits") else first
        return rank, -option["worth"], option["step_id"]

    return order


def _is_result(option: Mapping[str, Any]) -> bool:
    """Whether a step only weighs a result that the note tells."""
    return str(option["action"]).startswith(RESULT.partition(",")[0])


def _new_ones(options: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The options without what only looks again for the findings of an earlier one."""
    looked_for: set[str] = set()
    kept: dict[str, Mapping[str, Any]] = {}
    for option in options:
        is_refining = option["action_type"] == "refine_phenotype" and option["looks_for"]
        if not is_refining or not looked_for.issuperset(option["looks_for"]):
            kept.setdefault(option["step_id"], option)
            looked_for.update(option["looks_for"])
    return list(kept.values())


def _of_kinds(
    options: Sequence[Mapping[str, Any]], kinds: Sequence[str]
) -> list[Mapping[str, Any]]:
    return [option for option in options if option["step_id"].partition(":")[0] in kinds]


def _urgency(option: Mapping[str, Any]) -> str:
    kinds = {"urgent_escalation": "urgent", "reanalysis": "low"}
    return kinds.get(option["action_type"], "routine")


def _rationale(option: Mapping[str, Any], completeness: float, sparse: float) -> str:
    between, expected = option["discriminates_between"], option["expected_in"]
    unknown = option["unknown_in"]
    seldom = [disease for disease in between if disease not in (*expected, *unknown)]
    if option["step_id"].startswith("confirm:"):
        text = f"Confirms or excludes {'; '.join(expected)} ({option['evidence_source']})."
    elif option["step_id"].startswith("picture:"):
        text = f"First in this picture, to find or exclude: {'; '.join(expected)} "
        text += f"({option['evidence_source']})."
    elif option["action_type"] == "genetic_testing":
        text = f"The candidates have different genes: {'; '.join(between)}."
    elif expected and (seldom or unknown):
        text = f"Expected in {'; '.join(expected)}."
        text += f" Seldom in {'; '.join(seldom)}." if seldom else ""
        text += f" Unknown (not recorded) for {'; '.join(unknown)}." if unknown else ""
    elif option["action_type"] == "reanalysis":
        text = "What is known of genes and diseases, or of the patient, has changed since."
    elif option["action_type"] == "urgent_escalation":
        text = "A red flag that does not wait for the diagnosis."
    else:
        text = "The more is recorded, the fewer diseases fit."
    if option["action_type"] == "refine_phenotype" and completeness < sparse:
        text += f" Data completeness is {completeness:.2f}: too little to choose a test by."
    return text


def _changes(packet: Mapping[str, Any]) -> list[str]:
    """What would change the picture. Beside a common illness no gene of a rare disease that fits
    badly is named: nothing is sequenced for."""
    pictures = [
        option
        for option in _of_kinds(packet["step_options"], ("picture",))[:MOST_PICTURES]
        if not _is_result(option)
    ]
    leader = next(iter(packet["disease_candidates"]), None)
    is_common = bool(pictures) and (leader is None or leader["confidence"] == "low")
    changes = [
        f"{option['action']}: the result decides {option['expected_in'][0]}."
        for option in (pictures if is_common else ())
    ]
    for option in packet["step_options"]:
        seldom = [
            disease
            for disease in option["discriminates_between"]
            if disease not in (*option["expected_in"], *option["unknown_in"])
        ]
        if option["expected_in"] and option["looks_for"]:
            finding, gaining = option["looks_for"][0], option["expected_in"][0]
            other = f"{seldom[0]} does" if seldom else f"{gaining} loses"
            changes.append(f"With {finding} found, {gaining} gains; with it excluded, {other}.")
        elif option["step_id"].startswith("confirm:") and not option["action"].startswith("Decide"):
            changes.append(f"{option['action']}: the result decides {option['expected_in'][0]}.")
    for profile in packet["disease_profiles"]:
        if profile["genes"] and not is_common:
            name = _name_of(packet, profile["disease_id"])
            changes.append(
                f"If a pathogenic variant is found in {profile['genes'][0]}, {name} moves to the "
                "front."
            )
    for candidate in packet["disease_candidates"][:1]:
        for finding in candidate["supporting_phenotypes"]:
            changes.append(f"If {finding} turns out not to be there, {candidate['disease']} loses.")
    return list(dict.fromkeys(changes))[:MOST_STEPS]


def _name_of(packet: Mapping[str, Any], disease_id: str) -> str:
    return next(
        candidate["disease"]
        for candidate in packet["disease_candidates"]
        if candidate["disease_id"] == disease_id
    )


def _uncertainty(packet: Mapping[str, Any]) -> dict[str, list[str]]:
    present, excluded = packet["patient_phenotypes"], packet["excluded_findings"]
    known = [f"{finding['name']} present{_since(finding)}" for finding in present]
    known += [f"{finding['name']} excluded" for finding in excluded]
    untimed = sum("onset_years" not in finding for finding in present)
    missing = [f"Onset of {untimed} of {len(present)} findings unknown"] if untimed else []
    missing += [] if excluded else ["No finding has been excluded"]
    missing += [] if packet["prior_tests"] else ["Prior tests unknown"]
    missing += [] if packet["family_history"] else ["Family history unknown"]
    missing += [
        f"{finding} not assessed"
        for candidate in packet["disease_candidates"][:1]
        for finding in candidate["missing_key_phenotypes"]
    ]
    ambiguous = [
        f"{finding['name']} is recorded as present and as excluded"
        for finding in [*present, *excluded]
        if finding.get("is_contradicted")
    ]
    ambiguous += [
        f"{finding['name']} was read with confidence {finding['confidence']:.2f} "
        f"({finding['method']})"
        for finding in present
        if (finding["confidence"] or 1) < UNSURE
    ]
    return {"known": known, "missing": missing, "ambiguous": ambiguous}


def _since(phenotype: Mapping[str, Any]) -> str:
    years = phenotype.get("onset_years")
    return "" if years is None else f" since the age of {years:g} years"


def violations(
    packet: Mapping[str, Any], answer: Mapping[str, Any], sparse: float, names: Names
) -> list[Violation]:
    """The rules that a recommendation breaks, as (rule, place, detail).

    unknown_disease, unknown_phenotype, unknown_step: not in the packet. altered_step: differs from
    the packet's step of the same id. sparse_data_first: below `sparse` completeness (0 to 1) the
    first step does not refine the phenotype. does_not_discriminate: a step that should tell
    candidates apart names fewer than two. contradiction_unnamed: the reasoning does not name an
    exclusion that speaks against the disease. unknown_test: free text names a test that is not
    among the steps. repeated, no_steps: as named. `names` finds diseases, findings and tests in
    free text.
    """
    diseases = {row["disease_id"]: row for row in packet["disease_candidates"]}
    phenotypes = _phenotype_names(packet)
    broken: list[Violation] = []
    for rank, candidate in enumerate(answer["differential"], start=1):
        known = diseases.get(candidate["disease_id"])
        broken += _candidate_violations(candidate, f"differential {rank}", known, phenotypes)
    broken += [
        ("repeated", "differential", name)
        for name in _repeated(row["disease_id"] for row in answer["differential"])
    ]
    broken += _plan_violations(packet, answer["next_best_steps"], sparse)
    broken += _mentions(packet, answer, names)
    return broken


def _candidate_violations(
    candidate: Mapping[str, Any],
    where: str,
    known: Mapping[str, Any] | None,
    phenotypes: set[str],
) -> list[Violation]:
    """The rules that one entry of the differential breaks. known: the packet's candidate with the
    same id, if any; phenotypes: the names in the packet."""
    broken: list[Violation] = []
    if known is None or packet_key(candidate["disease"]) != packet_key(known["disease"]):
        detail = f"{candidate['disease']} ({candidate['disease_id']})"
        broken.append(("unknown_disease", where, detail))
    for field in ("supporting_phenotypes", "contradicting_phenotypes", "missing_key_phenotypes"):
        broken += [
            ("unknown_phenotype", f"{where} {field}", name)
            for name in candidate[field]
            if packet_key(name) not in phenotypes
        ]
    for name in known["contradicting_phenotypes"] if known else []:
        if packet_key(name) not in packet_key(candidate["confidence_reasoning"]):
            broken.append(("contradiction_unnamed", where, name))
    return broken


def _plan_violations(
    packet: Mapping[str, Any], steps: Sequence[Mapping[str, Any]], sparse: float
) -> list[Violation]:
    """The rules that the steps break, singly and together."""
    options = {option["step_id"]: option for option in packet["step_options"]}
    disease_names = {packet_key(row["disease"]) for row in packet["disease_candidates"]}
    broken: list[Violation] = []
    if not steps:
        broken.append(("no_steps", "next_best_steps", "nothing is recommended"))
    for number, step in enumerate(steps, start=1):
        broken += _step_violations(step, f"next_best_steps {number}", options, disease_names)
    broken += [
        ("repeated", "next_best_steps", name)
        for name in _repeated(step["step_id"] for step in steps)
    ]
    waiting = [step for step in steps if not step["step_id"].startswith("flag:")]
    first = min(waiting, key=lambda step: step["rank"]) if waiting else None
    is_sparse = packet["data_completeness"] < sparse
    may_lead = first is not None and _repeats_one(first, _leaders_without_refining(packet))
    if first and is_sparse and first["action_type"] != "refine_phenotype" and not may_lead:
        completeness = f"completeness {packet['data_completeness']:.2f}"
        detail = f"{completeness}, first {first['action_type']}"
        broken.append(("sparse_data_first", "next_best_steps 1", detail))
    return broken


def _step_violations(
    step: Mapping[str, Any],
    where: str,
    options: Mapping[str, Mapping[str, Any]],
    diseases: set[str],
) -> list[Violation]:
    broken = []
    option = options.get(step["step_id"])
    if option is None:
        broken.append(("unknown_step", where, f"{step['step_id']}: {step['action']}"))
    elif step["action_type"] != option["action_type"] or packet_key(step["action"]) != packet_key(
        option["action"]
    ):
        broken.append(("altered_step", where, f"{step['step_id']}: {step['action']}"))
    broken += [
        ("unknown_disease", f"{where} discriminates_between", name)
        for name in step["discriminates_between"]
        if packet_key(name) not in diseases
    ]
    # the test of a picture finds its own condition, whatever the candidates are
    is_picture = step["step_id"].startswith("picture:")
    tells_apart = not is_picture and step["action_type"] in (
        "order_test",
        "refer_specialist",
        "genetic_testing",
    )
    if tells_apart and len({packet_key(disease) for disease in step["discriminates_between"]}) < 2:
        broken.append(("does_not_discriminate", where, step["action"]))
    return broken


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _mentions(
    packet: Mapping[str, Any], answer: Mapping[str, Any], names: Names
) -> list[Violation]:
    """Diseases, findings and tests in the free text that the packet does not contain."""
    texts = [
        ("confidence_reasoning", candidate["confidence_reasoning"])
        for candidate in answer["differential"]
    ]
    texts += [("rationale", step["rationale"]) for step in answer["next_best_steps"]]
    texts += [("what_would_change", change) for change in answer["what_would_change"]]
    for field, entries in answer["uncertainty"].items():
        texts += [(f"uncertainty {field}", entry) for entry in entries]
    carried = json.dumps(packet, ensure_ascii=False)
    packet_words = f" {' '.join(_words(carried))} "
    concepts: set[str] | None = None
    broken = []
    for where, text in texts:
        for match in _ID.finditer(text):
            if match[1] not in carried:
                kind = "unknown_phenotype" if match[1].startswith("HP:") else "unknown_disease"
                broken.append((kind, where, match[1]))
        named = set()
        for name, (kind, concept) in names.find(text).items():
            named.add(name)
            if f" {name} " in packet_words:
                continue
            if concepts is None:
                concepts = {of for _, of in names.find(carried, overlapping=True).values()}
            if concept not in concepts:
                broken.append((f"unknown_{kind}", where, name))
        for match in _DISEASE.finditer(text):
            mention = " ".join(_words(match[1]))
            if not _is_in_packet(mention, packet_words) and not any(
                name in mention for name in named
            ):
                broken.append(("unknown_disease", where, match[1]))
    return broken


def _is_in_packet(mention: str, packet_words: str) -> bool:
    """Whether the packet contains the mention, with or without its first words: the match may
    begin before the name does."""
    words = mention.split()
    return any(f" {' '.join(words[start:])} " in packet_words for start in range(len(words) - 1))


def _phenotype_names(packet: Mapping[str, Any]) -> set[str]:
    names = [finding["name"] for finding in packet["patient_phenotypes"]]
    names += [finding["name"] for finding in packet["excluded_findings"]]
    for candidate in packet["disease_candidates"]:
        names += candidate["supporting_phenotypes"]
        names += candidate["contradicting_phenotypes"]
        names += candidate["missing_key_phenotypes"]
    for profile in packet["disease_profiles"]:
        names += profile["top_phenotypes"]
    for option in packet["step_options"]:
        names += option["looks_for"]
    return {packet_key(name) for name in names}


def _repeated(values: Any) -> list[str]:
    seen: set[str] = set()
    repeated = []
    for value in values:
        if value in seen:
            repeated.append(value)
        seen.add(value)
    return repeated


def parse(text: str | None) -> tuple[str, str | None, dict[str, Any] | None]:
    """(status, reason, recommendation) of a model's answer; never an exception.

    The object runs from the first brace to the last, so it may be fenced or surrounded by prose.
    """
    answer = text or ""
    begin, end = answer.find("{"), answer.rfind("}")
    if end <= begin:
        return "parse_error", "no JSON object in the answer", None
    try:
        read = Recommendation.model_validate_json(answer[begin : end + 1])
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        return "parse_error", f"{where}: {first['msg']}"[:300], None
    return "ok", None, read.model_dump()


def parse_recommendations(answers: pa.Table) -> pa.Table:
    """One row per answer (request_key, answer_text), PARSED_SCHEMA."""
    rows = []
    for row in answers.to_pylist():
        status, reason, read = parse(row["answer_text"])
        rows.append(
            {
                "request_key": row["request_key"],
                "parse_status": status,
                "parse_reason": reason,
                "recommendation": None if read is None else _text(read),
            }
        )
    return pa.Table.from_pylist(rows, schema=PARSED_SCHEMA)


def recommend_all(packets: pa.Table, sparse: float) -> pa.Table:
    """The rules' recommendation for every packet (case_id, packet), RECOMMENDATION_SCHEMA."""
    rows = []
    for row in packets.sort_by("case_id").to_pylist():
        began = time.perf_counter()
        answer = recommend(json.loads(row["packet"]), sparse)
        rows.append(
            {
                "case_id": row["case_id"],
                "recommendation": _text(answer),
                "duration_ms": (time.perf_counter() - began) * 1000,
            }
        )
    return pa.Table.from_pylist(rows, schema=RECOMMENDATION_SCHEMA)


def check_all(answers: pa.Table, sparse: float, names: pa.Table) -> pa.Table:
    """Every violation of every recommendation (case_id, reasoner, packet, recommendation),
    VIOLATION_SCHEMA. names: name, kind, concept."""
    known = Names(names.to_pylist())
    rows = [
        {
            "case_id": row["case_id"],
            "reasoner": row["reasoner"],
            "violation_number": number,
            "rule": rule,
            "place": where,
            "detail": detail,
        }
        for row in answers.to_pylist()
        for number, (rule, where, detail) in enumerate(
            violations(json.loads(row["packet"]), json.loads(row["recommendation"]), sparse, known),
            start=1,
        )
    ]
    return pa.Table.from_pylist(rows, schema=VIOLATION_SCHEMA)


def _text(answer: Mapping[str, Any] | Sequence[Any]) -> str:
    return json.dumps(answer, ensure_ascii=False, separators=(",", ":"))
