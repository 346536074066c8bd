"""The next best step: by rules from the packet alone, or read out of a model's answer and checked.

A recommendation, from whomever, is one object: differential, next_best_steps, what_would_change,
uncertainty. It is believed only as far as the packet carries it: `violations` names every disease,
finding and step that is not in it and every rule that is broken.
"""

import json
import re
import time
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import pyarrow as pa
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from python_llm.parsing.folding import packet_key

MOST_STEPS = 5
LISTED = 5  # diseases in a differential
UNSURE = 0.9  # a mapping less sure than this is named as ambiguous

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
    """What is established, what nobody has looked for, what can be read in two ways."""

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


# ids, and names that call themselves syndrome or disease, whether or not anybody knows them
_ID = re.compile(r"\b((?:OMIM|ORPHA|DECIPHER|HP):\d+)\b")
_DISEASE = re.compile(r"\b([A-Z][\w'’-]+[ -](?:[\w'’-]+[ -]){0,3}?(?:[Ss]yndrome|[Dd]isease))\b")
_WORD = re.compile(r"[^\W_]+")
_LONGEST_NAME = 8  # words
_SHORTEST_NAME = 5  # letters of a name of one word; shorter ones are words of the language too


class Names:
    """What diseases, findings and tests are called, to find them in free text."""

    def __init__(self, rows: Sequence[Mapping[str, str]]) -> None:
        """rows: name, kind (disease, phenotype or test), concept (one for all names of a thing)."""
        self._known: dict[str, tuple[str, str]] = {}
        for row in rows:
            name = " ".join(_words(row["name"]))
            if len(name) >= _SHORTEST_NAME or row["kind"] == "test":
                self._known.setdefault(name, (row["kind"], row["concept"]))

    def found(self, text: str, overlapping: bool = False) -> dict[str, tuple[str, str]]:
        """Names in the text with kind and concept: the longest that stand side by side, or all."""
        words = _words(text)
        found, place = {}, 0
        while place < len(words):
            step = 1
            for length in range(min(_LONGEST_NAME, len(words) - place), 0, -1):
                name = " ".join(words[place : place + length])
                if name in self._known:
                    found[name] = self._known[name]
                    if not overlapping:
                        step = length
                        break
            place += step
        return found


def recommend(packet: Mapping[str, Any], sparse: float) -> dict[str, Any]:
    """The recommendation that follows from the packet by rules; below `sparse` completeness it
    begins with refining the phenotype."""
    best = packet["disease_candidates"][:LISTED]
    answer = {
        "differential": [_candidate(each) for each in best],
        "next_best_steps": _steps(packet, sparse),
        "what_would_change": _changes(packet),
        "uncertainty": _uncertainty(packet),
    }
    return Recommendation.model_validate(answer).model_dump()


def _candidate(found: Mapping[str, Any]) -> dict[str, Any]:
    supporting, against = found["supporting_phenotypes"], found["contradicting_phenotypes"]
    reasoning = f"{len(supporting)} supporting findings"
    reasoning += (
        f"; contradicted by the exclusion of {', '.join(against)}."
        if against
        else " and no contradiction."
    )
    return {
        "disease_id": found["disease_id"],
        "disease": found["disease"],
        "confidence": found["confidence"],
        "confidence_reasoning": reasoning,
        "supporting_phenotypes": supporting,
        "contradicting_phenotypes": against,
        "missing_key_phenotypes": found["missing_key_phenotypes"],
    }


def _steps(packet: Mapping[str, Any], sparse: float) -> list[dict[str, Any]]:
    """Refine first where little is known; then what cannot wait, what tells the candidates apart
    with one finding and with one test, genes, and old data."""
    options = packet["step_options"]
    by_kind = {
        kind: [each for each in options if each["step_id"].partition(":")[0] == kind]
        for kind in ("flag", "assess", "test", "genes", "reanalysis")
    }
    assess = by_kind["assess"]
    order = [
        *by_kind["flag"],
        *by_kind["test"][:1],
        *assess[:1],
        *by_kind["genes"],
        *by_kind["reanalysis"],
        *by_kind["test"][1:],
        *assess[1:-1],
    ]
    if packet["data_completeness"] < sparse or not order:
        order = [assess[0], *(each for each in order if each is not assess[0])]
    return [
        {
            "rank": rank,
            "step_id": each["step_id"],
            "action_type": each["action_type"],
            "action": each["action"],
            "rationale": _rationale(each, packet["data_completeness"], sparse),
            "discriminates_between": each["discriminates_between"],
            "urgency": _urgency(each),
            "evidence_source": each["evidence_source"],
        }
        for rank, each in enumerate(order[:MOST_STEPS], start=1)
    ]


def _urgency(option: Mapping[str, Any]) -> str:
    kinds = {"urgent_escalation": "urgent", "reanalysis": "low"}
    return kinds.get(option["action_type"], "routine")


def _rationale(option: Mapping[str, Any], completeness: float, sparse: float) -> str:
    between, expected = option["discriminates_between"], option["expected_in"]
    others = [each for each in between if each not in expected]
    if option["action_type"] == "genetic_testing":
        said = f"The candidates have different genes: {'; '.join(between)}."
    elif expected and others:
        said = f"Expected in {'; '.join(expected)}. Not in {'; '.join(others)}."
    elif option["action_type"] == "reanalysis":
        said = "What is known of genes and diseases, or of the patient, has changed since."
    elif option["action_type"] == "urgent_escalation":
        said = "A red flag that does not wait for the diagnosis."
    else:
        said = "The more is recorded, the fewer diseases fit."
    if option["action_type"] == "refine_phenotype" and completeness < sparse:
        said += f" Data completeness is {completeness:.2f}: too little to choose a test by."
    return said


def _changes(packet: Mapping[str, Any]) -> list[str]:
    changes = []
    for option in packet["step_options"]:
        others = [
            each for each in option["discriminates_between"] if each not in option["expected_in"]
        ]
        if option["expected_in"] and others and option["looks_for"]:
            changes.append(
                f"If {option['looks_for'][0]} is found, {option['expected_in'][0]} gains; if it is "
                f"excluded, {others[0]} does."
            )
    for profile in packet["disease_profiles"]:
        if profile["genes"]:
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
        each["disease"] for each in packet["disease_candidates"] if each["disease_id"] == disease_id
    )


def _uncertainty(packet: Mapping[str, Any]) -> dict[str, list[str]]:
    present, excluded = packet["patient_phenotypes"], packet["excluded_findings"]
    known = [f"{each['name']} present{_since(each)}" for each in present]
    known += [f"{each['name']} excluded" for each in excluded]
    untimed = sum("onset_years" not in each for each in present)
    missing = [f"Onset of {untimed} of {len(present)} findings unknown"] if untimed else []
    missing += [] if excluded else ["No finding has been excluded"]
    missing += [] if packet["prior_tests"] else ["Prior tests unknown"]
    missing += [] if packet["family_history"] else ["Family history unknown"]
    missing += [
        f"{each} not assessed"
        for candidate in packet["disease_candidates"][:1]
        for each in candidate["missing_key_phenotypes"]
    ]
    ambiguous = [
        f"{each['name']} is recorded as present and as excluded"
        for each in [*present, *excluded]
        if each.get("is_contradicted")
    ]
    ambiguous += [
        f"{each['name']} was read with confidence {each['confidence']:.2f} ({each['method']})"
        for each in present
        if (each["confidence"] or 1) < UNSURE
    ]
    return {"known": known, "missing": missing, "ambiguous": ambiguous}


def _since(phenotype: Mapping[str, Any]) -> str:
    years = phenotype.get("onset_years")
    return "" if years is None else f" since the age of {years:g} years"


def violations(
    packet: Mapping[str, Any], answer: Mapping[str, Any], sparse: float, names: Names
) -> list[Violation]:
    """What a recommendation says that it may not: (rule, place, detail) each.

    unknown_disease, unknown_phenotype, unknown_step: not in the packet. altered_step: the step of
    this id is another one in it. sparse_data_first: below `sparse` completeness the first step is
    to refine the phenotype. does_not_discriminate: a step that is to tell candidates apart names
    fewer than two. contradiction_unnamed: an exclusion that speaks against a disease is not named
    in its reasoning. unknown_test: free text names a test that is no step. repeated, no_steps: as
    they say. `names`: what diseases, findings and tests are called, to find them in free text.
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
    """What an entry of the differential says that the packet does not. known: the packet's
    candidate of its id, if there is one; phenotypes: the names in the packet."""
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
    """What the steps may not be, one by one and together."""
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
    first = min(steps, key=lambda step: step["rank"]) if steps else None
    is_sparse = packet["data_completeness"] < sparse
    if first and is_sparse and first["action_type"] != "refine_phenotype":
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
    found = []
    option = options.get(step["step_id"])
    if option is None:
        found.append(("unknown_step", where, f"{step['step_id']}: {step['action']}"))
    elif step["action_type"] != option["action_type"] or packet_key(step["action"]) != packet_key(
        option["action"]
    ):
        found.append(("altered_step", where, f"{step['step_id']}: {step['action']}"))
    found += [
        ("unknown_disease", f"{where} discriminates_between", name)
        for name in step["discriminates_between"]
        if packet_key(name) not in diseases
    ]
    tells_apart = step["action_type"] in ("order_test", "refer_specialist", "genetic_testing")
    if tells_apart and len({packet_key(each) for each in step["discriminates_between"]}) < 2:
        found.append(("does_not_discriminate", where, step["action"]))
    return found


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _mentions(
    packet: Mapping[str, Any], answer: Mapping[str, Any], names: Names
) -> list[Violation]:
    """Diseases, findings and tests that free text brings in from outside the packet."""
    texts = [
        ("confidence_reasoning", each["confidence_reasoning"]) for each in answer["differential"]
    ]
    texts += [("rationale", each["rationale"]) for each in answer["next_best_steps"]]
    texts += [("what_would_change", each) for each in answer["what_would_change"]]
    for field, entries in answer["uncertainty"].items():
        texts += [(f"uncertainty {field}", each) for each in entries]
    carried = json.dumps(packet, ensure_ascii=False)
    said = f" {' '.join(_words(carried))} "
    concepts: set[str] | None = None
    found = []
    for where, text in texts:
        for match in _ID.finditer(text):
            if match[1] not in carried:
                kind = "unknown_phenotype" if match[1].startswith("HP:") else "unknown_disease"
                found.append((kind, where, match[1]))
        named = set()
        for name, (kind, concept) in names.found(text).items():
            named.add(name)
            if f" {name} " in said:
                continue
            if concepts is None:
                concepts = {each for _, each in names.found(carried, overlapping=True).values()}
            if concept not in concepts:
                found.append((f"unknown_{kind}", where, name))
        for match in _DISEASE.finditer(text):
            if not _is_said(match[1], said) and not any(
                each in " ".join(_words(match[1])) for each in named
            ):
                found.append(("unknown_disease", where, match[1]))
    return found


def _is_said(mention: str, said: str) -> bool:
    """Whether the mention, or what is left of it without its first words, is in the packet: a
    sentence may begin before the name does."""
    words = _words(mention)
    return any(f" {' '.join(words[start:])} " in said for start in range(len(words) - 1))


def _phenotype_names(packet: Mapping[str, Any]) -> set[str]:
    names = [each["name"] for each in packet["patient_phenotypes"]]
    names += [each["name"] for each in packet["excluded_findings"]]
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

    The object may stand in a code fence or between prose: from the first brace to the last.
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
            "place": place,
            "detail": detail,
        }
        for row in answers.to_pylist()
        for number, (rule, place, detail) in enumerate(
            violations(json.loads(row["packet"]), json.loads(row["recommendation"]), sparse, known),
            start=1,
        )
    ]
    return pa.Table.from_pylist(rows, schema=VIOLATION_SCHEMA)


def _text(answer: Mapping[str, Any] | Sequence[Any]) -> str:
    return json.dumps(answer, ensure_ascii=False, separators=(",", ":"))
