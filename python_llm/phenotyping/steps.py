"""The steps that tell the best candidates apart, and which of them is worth most.

A step is worth what its result says about the leading diseases (the mutual information of result
and disease, in nats) times how easily it is done: available, cheap, harmless. A finding that is
not annotated to a disease is unknown, never absent. Steps that do not fit the patient's age or sex
are not offered, nor are those that were already taken (docs/specification.md#the-next-step).
"""

import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from python_llm.parsing.folding import fold_in_place
from python_llm.phenotyping.measures import laboratory_values_of, ordered_measure

SEVERAL = 3  # present findings; fewer are little to go by (docs/specification.md#data-completeness)
MOST_GENES = 12  # genes named in one recommendation
MOST_ASSESSED = 5  # single findings offered for assessment
MOST_TESTS = 5
MOST_CONFIRMING = 5
# A step for diseases that together are less probable than this is not offered, nor is one for a
# disease less probable than LIKELY beside the picture of a common illness (conventions).
LEAST_PROBABLE, LIKELY = 0.02, 0.2
# what comes first where the first test of a picture that leads was done
RESULT = "Decide by the result in the note, before any other test: {} or something else"
_NEGATIVE = r"\b(?:negativ[aeo]s?|not detected|undetect\w+|no se detect\w+)\b"
# how the names of pictures begin that are one complaint and its ordinary first tests
COMPLAINT = "complaint:"
SHORTEST_STEM = 5  # letters; a shorter word of `done_words` is a whole word, not a beginning
# A test that confirms a disease finds it in nearly everyone who has it and in hardly anyone else;
# sequencing explains fewer, because not every variant is found.
CONFIRMS, CONFUSES, SEQUENCING_EXPLAINS = 0.95, 0.02, 0.8
# Each class of availability or cost above the first takes a tenth off, of invasiveness a fifth.
EFFORT, INVASION = 0.9, 0.8
# from these classes on a test waits for the ordinary ones (`_behind_the_ordinary`)
COSTLY, INVASIVE = 3, 2
Row = dict[str, Any]


@dataclass(frozen=True)
class Evidence:
    """What is known about one case; every list is in the order of the packet.

    case         case_id, age_years, sex, prior_tests, family_history, completeness
    phenotypes   hpo_id, hpo_name, is_excluded, onset_years, onset_stage, progression, is_ongoing,
                 method, confidence, is_contradicted
    candidates   best first, as fct_disease_match has them
    features     per finding that tells the best apart, its frequency (0 to 1) in each of them;
                 None where it is not annotated: unknown, not absent
    profiles     per compared disease: source_disease_ids, inheritance_names, onset_names,
                 gene_symbols, top_phenotypes
    pictures     the clinical pictures the findings make up: picture, condition, action_type,
                 action, done_words, next_action, next_done_words, source, n_features, n_findings,
                 leads
    test_names   how notes write tests, and the name each is counted under; folded
    """

    case: Mapping[str, Any]
    phenotypes: Sequence[Mapping[str, Any]]
    flags: Sequence[Mapping[str, Any]]
    candidates: Sequence[Mapping[str, Any]]
    features: Mapping[str, Mapping[str, float | None]]
    feature_names: Mapping[str, str]
    profiles: Mapping[str, Mapping[str, Any]]
    reanalyses: Sequence[Mapping[str, Any]]
    pictures: Sequence[Mapping[str, Any]] = ()
    test_names: Sequence[tuple[str, str]] = ()

    @cached_property
    def told(self) -> str:
        """The prior tests, folded; behind them the same with each test under the name it is counted
        under ("CXR": chest radiograph), if that differs."""
        told = fold_in_place(self.case["prior_tests"] or "")
        counted = {name: means for name, means in self.test_names if name in told}
        if not counted:
            return told
        longest_first = sorted(counted, key=len, reverse=True)
        names = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)")
        under_one_name = names.sub(lambda match: counted[match[0]], told)
        return told if under_one_name == told else f"{told}; {under_one_name}"

    @cached_property
    def known_tests(self) -> frozenset[str]:
        """Every name of the tests that the prior tests name."""
        return frozenset(name for name, means in self.test_names if _names_any(self.told, means))


@dataclass(frozen=True)
class DiagnosticTests:
    """The tests there are.

    of_finding   per finding the ids of the tests that look for it
    by_id        per test: action_type, action, availability, cost, invasiveness, from_years,
                 below_years, is_proof, done_words (docs/specification.md#the-next-step)
    confirming   per disease id the tests that confirm it: disease_id, test_id, action, sex, source,
                 done_words
    difference   the smallest difference in frequency (0 to 1) that tells two diseases apart
    unknown      the frequency (0 to 1) that stands for a finding that is not annotated
    """

    of_finding: Mapping[str, Sequence[str]]
    by_id: Mapping[str, Mapping[str, Any]]
    confirming: Mapping[str, Sequence[Mapping[str, Any]]]
    difference: float
    unknown: float


def ease(test: Mapping[str, Any]) -> float:
    """How easily a test is done, 0 to 1: 1 for a question or a look; from its classes of
    availability and cost (1 to 3) and invasiveness (0 to 3)."""
    effort = test["availability"] + test["cost"] - 2
    return float(EFFORT**effort * INVASION ** test["invasiveness"])


def separation(results: Sequence[float], weights: Sequence[float]) -> float:
    """What a result that is positive or negative says about the disease, in nats: the mutual
    information of result and disease. results: probability of a positive result in each disease;
    weights: of the diseases."""
    total = sum(weights) or 1.0
    shares = [weight / total for weight in weights]
    positive = sum(share * result for share, result in zip(shares, results, strict=True))
    within = sum(share * _entropy(result) for share, result in zip(shares, results, strict=True))
    return max(_entropy(positive) - within, 0.0)


def _worth(results: Sequence[float], elsewhere: float, weights: Mapping[str, float]) -> float:
    """The separation of the compared diseases from each other and from all others. results: in the
    order of the weights, which are probabilities; elsewhere: of a positive result in any other
    disease."""
    other = max(1 - sum(weights.values()), 0.0)
    return separation([*results, elsewhere], [*weights.values(), other])


def _entropy(probability: float) -> float:
    if not 0 < probability < 1:
        return 0.0
    other = 1 - probability
    return -probability * math.log(probability) - other * math.log(other)


def step_option(
    step_id: str,
    action_type: str,
    action: str,
    source: str,
    *,
    between: Sequence[str] = (),
    expecting: Sequence[str] = (),
    unknown: Sequence[str] = (),
    looks_for: Sequence[str] = (),
    worth: float = 0.0,
) -> Row:
    """One action that may be recommended. expecting: the diseases in which it finds something;
    unknown: those for which nothing is annotated; worth: separation times ease, in nats."""
    return {
        "step_id": step_id,
        "action_type": action_type,
        "action": action,
        "discriminates_between": list(between),
        "expected_in": list(expecting),
        "unknown_in": list(unknown),
        "looks_for": list(looks_for),
        "worth": round(worth, 3),
        "evidence_source": source,
    }


def options_that_tell_apart(
    evidence: Evidence, names: Mapping[str, str], tests: DiagnosticTests
) -> list[Row]:
    """Findings to assess, tests, tests that confirm a candidate, and genes; of each kind the most
    worthwhile first. names: the compared diseases by id."""
    pictures = _picture_options(evidence, names)
    if not names:
        return pictures
    decided = _decided_options(evidence, names, tests)
    if any("leads" in row and row["action_type"] != "refine_phenotype" for row in pictures):
        # what follows a positive result is known: the next action of its picture
        decided = [row for row in decided if "leads" in row]
    return [*decided, *_undecided_options(evidence, names, tests, pictures)]


def _undecided_options(
    evidence: Evidence, names: Mapping[str, str], tests: DiagnosticTests, pictures: list[Row]
) -> list[Row]:
    """The options but those of results that the note tells."""
    probability = {row["disease_id"]: row["group_probability"] for row in evidence.candidates}
    weights = {disease_id: max(probability[disease_id], 1e-6) for disease_id in names}
    is_open = _open_tests(evidence, tests)
    confirming = _confirming_options(evidence, names, weights, tests, is_open)
    if _has_nothing_ordinary(evidence, pictures):
        confirming = [_behind_the_ordinary(option, tests) for option in confirming]
    # the test that confirms says which measurement is wanted
    confirmed = {tests.by_id[option["step_id"].split(":")[-1]]["action"] for option in confirming}
    confidence = evidence.candidates[0]["confidence"]
    is_common = any("leads" in row for row in pictures)
    if confidence == "low" and is_common:
        return [*_probable(confirming, names, weights, LIKELY), *pictures]
    assessed = _assess_options(evidence, names, weights, tests, _reported_in(evidence, tests))
    assessed = _probable(assessed, names, weights, LEAST_PROBABLE)
    if _is_little_known(evidence):
        return [*assessed, *pictures]
    if confidence != "high" and is_common:
        # beside a common illness a rare one that is not clear is looked at, not sequenced for
        return [*assessed, *_probable(confirming, names, weights, LIKELY), *pictures]
    general = _test_options(evidence, names, weights, tests, is_open)
    rare = [
        *(option for option in general if option["action"] not in confirmed),
        *confirming,
        *_gene_option(evidence, names, weights, tests),
    ]
    return [*assessed, *_probable(rare, names, weights, LEAST_PROBABLE), *pictures]


def _has_nothing_ordinary(evidence: Evidence, pictures: Iterable[Row]) -> bool:
    """Whether the best candidate is unlikely, a bare complaint has tests, and the note gives no
    laboratory value: nothing ordinary was done yet."""
    is_bare = any(row["step_id"].startswith(f"picture:{COMPLAINT}") for row in pictures)
    is_unlikely = evidence.candidates[0]["confidence"] == "low"
    return is_unlikely and is_bare and not laboratory_values_of(evidence.told)


def _behind_the_ordinary(option: Row, tests: DiagnosticTests) -> Row:
    """A test that confirms; marked if it is costly or invasive, so that it waits for the ordinary
    tests of a complaint (an angiography for a blood count)."""
    test = tests.by_id[option["step_id"].rpartition(":")[2]]
    is_great = test["cost"] >= COSTLY or test["invasiveness"] >= INVASIVE
    return option | ({"waits": True} if is_great else {})


def _probable(
    options: Iterable[Row], names: Mapping[str, str], weights: Mapping[str, float], least: float
) -> list[Row]:
    """The options that expect something in diseases that together are at least so probable."""
    of_name: dict[str, float] = defaultdict(float)
    for disease_id, name in names.items():
        of_name[name] += weights[disease_id]
    return [row for row in options if sum(of_name[name] for name in row["expected_in"]) >= least]


def fullness(picture: Mapping[str, Any]) -> tuple[bool, bool, int, str]:
    """The order of pictures: those that lead, then those that most findings make up, and bare
    complaints last."""
    is_bare = is_complaint(picture)
    return is_bare, not picture["leads"], -picture["n_features"], picture["picture"]


def is_complaint(picture: Mapping[str, Any]) -> bool:
    """Whether a picture is a bare complaint and not an illness."""
    return str(picture["picture"]).startswith(COMPLAINT)


def _is_little_known(evidence: Evidence) -> bool:
    """Whether the findings are too few to choose a test by: fewer than three, and the best
    candidate fits no better than many others would."""
    n_present = sum(not row["is_excluded"] for row in evidence.phenotypes)
    return n_present < SEVERAL and evidence.candidates[0]["confidence"] == "low"


def _picture_options(evidence: Evidence, names: Mapping[str, str]) -> list[Row]:
    """The test that comes first in each clinical picture that the findings make up, or the one that
    follows it where it was done; those that lead first, then those with most findings. Where both
    were done, the result comes first in a picture that leads, and in any picture if nothing
    ordinary is left to do and rare diseases fit badly: it decides whether anything rarer is asked
    for."""
    actions = [
        (picture, _open_action(picture, evidence.told, evidence.known_tests))
        for picture in sorted(evidence.pictures, key=fullness)
    ]
    is_rare_unlikely = not evidence.candidates or evidence.candidates[0]["confidence"] == "low"
    is_all_done = is_rare_unlikely and not any(action for _, action in actions)
    options = [
        step_option(
            f"picture:{picture['picture']}",
            "refine_phenotype" if action is None else picture["action_type"],
            action or RESULT.format(picture["condition"]),
            picture["source"],
            between=list(names.values()),
            expecting=[picture["condition"]],
        )
        | ({"leads": True} if picture["leads"] else {})
        for picture, action in actions
        if action or ((picture["leads"] or is_all_done) and not is_complaint(picture))
    ]
    # two pictures of one illness, and two of one test, are one step
    for unique in ("action", "expected_in"):
        options = list({str(option[unique]): option for option in options[::-1]}.values())[::-1]
    return options


def _open_action(
    picture: Mapping[str, Any], told: str, known_tests: frozenset[str] = frozenset()
) -> str | None:
    """What is still to be done in a picture: its first test, or the one after it; None if both are
    told. known_tests: every name of the tests that `told` names."""
    if not _names_any(told, picture["done_words"]):
        left, rest = _without_the_known(str(picture["action"]), told, known_tests)
        if left or not picture.get("next_action"):
            open_action = left or rest
            return open_action and _without_the_reported(open_action, told)
    if _names_any(told, picture.get("next_done_words")):
        return None
    return picture.get("next_action")


# parts of orders that are no laboratory values, and how a note reports them
_REPORTED = (
    (
        r"hepatitis (?:A, )?B(?:, C and E| and C) serology",
        r"\bserolog\w+ (?:\w+ ){0,3}hepatitis|\bhepatitis (?:[a-e]\b(?:,| and| y)? ?){0,4}"
        r"(?:serolog\w+|negativ\w+|antibod\w+)|\bhbsag\b|\banti-?hcv\b",
    ),
    (
        r"urine albumin to creatinine ratio",
        r"\b(?:u?acr|albumin[ /-](?:to[ -])?creatinine(?: ratio)?|"
        r"cociente albumina ?/ ?creatinina|cac)\b\W{1,3}(?:of |is |de |was )?\d",
    ),
    (r"HbA1c", r"\b(?:hb ?a1c|a1c|hemoglobina glic\w+)\b\W{0,3}(?:of |is |de |was )?\d"),
    (
        r"alcohol",
        r"\b(?:no|not|never|nunca|niega|denies|sin) (?:\w+ ){0,3}alcohol\b|\bteetotal\w*|"
        r"\babstemi[oa]\b|\balcohol\W{1,3}(?:nil|none|no|never|occasional\w*|social\w*|ocasional|"
        r"nunca|\d)|\b\d+ (?:units|unidades|ube)\b",
    ),
)


def _without_the_reported(action: str, told: str) -> str:
    """An action without the parts that the note reports already: "hepatitis B and C serology",
    "ask for alcohol". What would leave nothing stays."""
    for part, report in _REPORTED:
        if re.search(report, told):
            for fragment in (
                rf"(?<=Order ){part}(?:, | and )",
                rf"(?<=ask for ){part}(?:, | and )",
                rf", {part}(?=,|;| and |$)",
                rf",? and {part}(?=,|;|$)",
            ):
                action, n_left_out = re.subn(fragment, "", action, count=1)
                if n_left_out:
                    break
    return action


# what is ordered in one go, and what comes after it or beside it
_ORDER = re.compile(
    r"Order (?P<parts>.+?)(?P<rest>(?:; |, (?:then|and (?:ask|look)|with|in|best|unless|if)\b|"
    r" (?:if|unless|again)\b).*)?$"
)
# what is measured of something else than blood, or at another time
_ELSEWHERE = re.compile(r"\b(?:urine|stool|feces|attack|fast|during|stimulated|sample)\b")
_COUNT = re.compile(r"(?:a )?(?:very urgent )?(?:full )?blood count(?P<film> with film)?\b")
_COUNTED = frozenset(("hemoglobin", "leukocytes", "platelets"))


def _without_the_known(
    action: str, told: str, known_tests: frozenset[str]
) -> tuple[str | None, str | None]:
    """An order without the laboratory values and tests that the note gives ("Order
    25-hydroxyvitamin D" of calcium, phosphate and 25-hydroxyvitamin D), None if it gives all; and
    what else is to be done then."""
    order = _ORDER.match(action)
    if order is None or _ELSEWHERE.search(action):
        return action, None
    known = laboratory_values_of(told) | known_tests
    parts = re.split(r",? and |, ", order["parts"])
    left = [part for part in (_unknown(part, known) for part in parts) if part]
    rest = order["rest"] or ""
    if left:
        return action if left == parts else f"Order {_listed(left)}{rest}", None
    more = re.match(r"(?:; |, (?P<then>then )|, and )(?P<more>.+)", rest)
    if more is None:
        return None, None
    text = more["more"]
    return None, f"Order {text}" if more["then"] else text[0].upper() + text[1:]


def _unknown(part: str, known: set[str]) -> str | None:
    """What of one part of an order is not known; None if all is."""
    folded = fold_in_place(part)
    if (count := _COUNT.match(folded)) and known >= _COUNTED:
        return "a blood film" + part[count.end() :] if count["film"] else None
    test = re.sub(r"^(?:an? |the |12-lead )+", "", folded)
    return None if ordered_measure(folded) in known or test in known else part


def _listed(parts: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(parts[:-1]), parts[-1])))


def is_ruled_out(picture: Mapping[str, Any], told: str) -> bool:
    """Whether the first test of a picture was negative, unless its next action is for a negative
    result too. told: the prior tests, folded."""
    goes_on = "negative" in (picture.get("next_action") or "")
    return not goes_on and _is_negative(told, picture["done_words"])


def _is_negative(text: str, words: str | None) -> bool:
    """Whether the text calls a test negative: "tTG negative", "negative for tTG", "no blasts"."""
    for word in (words or "").split(";"):
        name = rf"(?<!\w)(?:anti-?)?{re.escape(word)}\w*"
        behind = rf"{name}(?:(?! and | y )[^.;:,\d]){{0,40}}?{_NEGATIVE}"
        ahead = rf"{_NEGATIVE} (?:for|para|de) (?:\w+ ){{0,2}}{name}|\b(?:no|sin) {name}"
        if word and re.search(rf"{behind}|{ahead}", text):
            return True
    return False


def _open_tests(evidence: Evidence, tests: DiagnosticTests) -> Callable[[str], bool]:
    """Whether a test is still to be done and fits the patient: no prior test names it, the patient
    is of its age, and no finding of the patient is known that only this test shows."""
    told = evidence.told
    shown = {
        test_id
        for finding in evidence.phenotypes
        for test_id in tests.of_finding.get(finding["hpo_id"], ())
        if tests.by_id[test_id]["is_proof"]
    }
    done_actions = {
        test["action"]
        for test_id, test in tests.by_id.items()
        if test_id in shown or _names_any(told, test["done_words"])
    }

    def is_open(test_id: str) -> bool:
        test = tests.by_id[test_id]
        return _is_of_age(evidence, test) and test["action"] not in done_actions

    return is_open


def _is_of_age(evidence: Evidence, test: Mapping[str, Any]) -> bool:
    age = evidence.case["age_years"]
    return age is None or (test["from_years"] or 0) <= age < (test["below_years"] or 999)


def _reported_in(evidence: Evidence, tests: DiagnosticTests) -> Callable[[str], bool]:
    """Whether a finding is named for a measurement that the prior tests report: "Elevated sweat
    chloride" after a sweat test."""
    told = evidence.told
    entries = [row.get("done_words") for rows in tests.confirming.values() for row in rows]
    words = {word for entry in entries for word in (entry or "").split(";")}
    measured = ";".join(sorted(word for word in words if word and _names_any(told, word)))

    def is_reported(name: str) -> bool:
        return _names_any(fold_in_place(name), measured)

    return is_reported


def _names_any(text: str, words: str | None) -> bool:
    # most of hundreds of words are not in a text: to look for them is quicker than to compile them
    if not words or not any(word and word in text for word in words.split(";")):
        return False
    return _any_of(words).search(text) is not None


@lru_cache(maxsize=8192)
def _any_of(words: str) -> re.Pattern[str]:
    """A pattern for any of the words that semicolons separate. A word shorter than SHORTEST_STEM
    matches only as a whole word; a longer one also matches where a word begins with it."""
    ends = {word: r"(?!\w)" if len(word) < SHORTEST_STEM else "" for word in words.split(";")}
    choices = "|".join(re.escape(word) + end for word, end in ends.items() if word)
    return re.compile(rf"(?<!\w)(?:anti)?(?:{choices or '(?!)'})")


def _sides(
    frequencies: Mapping[str, float | None], names: Mapping[str, str]
) -> tuple[list[str], list[str], list[str]]:
    """Names of the diseases that expect it, of those known to have it seldom or never, and of those
    for which it is not annotated."""
    values = {disease_id: frequencies.get(disease_id) for disease_id in names}
    known = [value for value in values.values() if value is not None]
    middle = (max(known) + min([*known, 0.0])) / 2
    expecting = [names[key] for key, value in values.items() if value and value >= middle]
    seldom = [names[key] for key, value in values.items() if value is not None and value < middle]
    return expecting, seldom, [names[key] for key, value in values.items() if value is None]


def _told_apart(
    frequencies: Mapping[str, float | None], names: Mapping[str, str], tests: DiagnosticTests
) -> tuple[list[float], list[str], list[str], list[str]]:
    results = [
        tests.unknown if (value := frequencies.get(disease_id)) is None else value
        for disease_id in names
    ]
    expecting, seldom, unknown = _sides(frequencies, names)
    return results, expecting, expecting + seldom + unknown, unknown


def _assess_options(
    evidence: Evidence,
    names: Mapping[str, str],
    weights: Mapping[str, float],
    tests: DiagnosticTests,
    is_reported: Callable[[str], bool],
) -> list[Row]:
    options = []
    for hpo_id, frequencies in evidence.features.items():
        # a finding that only a test shows cannot be examined for
        if any(tests.by_id[test]["is_proof"] for test in tests.of_finding.get(hpo_id, ())):
            continue
        results, expecting, between, unknown = _told_apart(frequencies, names, tests)
        name = evidence.feature_names[hpo_id]
        if len(expecting) == len(names) or is_reported(name):
            continue
        options.append(
            step_option(
                f"assess:{hpo_id}",
                "refine_phenotype",
                f"Assess for: {name}",
                "disease_match",
                between=between,
                expecting=expecting,
                unknown=unknown,
                looks_for=[name],
                worth=_worth(results, tests.unknown, weights),
            )
        )
    return _most_worthwhile(options, MOST_ASSESSED)


def _test_options(
    evidence: Evidence,
    names: Mapping[str, str],
    weights: Mapping[str, float],
    tests: DiagnosticTests,
    is_open: Callable[[str], bool],
) -> list[Row]:
    """Tests whose result tells the best candidates apart. The probability of an abnormal result in
    a disease is the frequency of the most frequent finding that the test looks for."""
    features = evidence.features
    looked_for: dict[str, list[str]] = defaultdict(list)
    for hpo_id in features:
        for test_id in tests.of_finding.get(hpo_id, ()):
            if is_open(test_id):
                looked_for[test_id].append(hpo_id)
    options = []
    for test_id, hpo_ids in looked_for.items():
        abnormal = {
            disease_id: max(
                (value for hpo_id in hpo_ids if (value := features[hpo_id].get(disease_id))),
                default=_at_least_known(hpo_ids, features, disease_id),
            )
            for disease_id in names
        }
        results, expecting, between, unknown = _told_apart(abnormal, names, tests)
        differ = max(results) - min(results) >= tests.difference
        if not differ or len(expecting) == len(names):
            continue
        options.append(
            step_option(
                f"test:{test_id}",
                tests.by_id[test_id]["action_type"],
                tests.by_id[test_id]["action"],
                "disease_match",
                between=between,
                expecting=expecting,
                unknown=unknown,
                looks_for=[evidence.feature_names[hpo_id] for hpo_id in hpo_ids[:MOST_ASSESSED]],
                worth=_worth(results, tests.unknown, weights) * ease(tests.by_id[test_id]),
            )
        )
    return _most_worthwhile(options, MOST_TESTS)


def _at_least_known(
    hpo_ids: Iterable[str],
    features: Mapping[str, Mapping[str, float | None]],
    disease_id: str,
) -> float | None:
    """0 if every finding is annotated as absent, else unknown."""
    values = [features[hpo_id].get(disease_id) for hpo_id in hpo_ids]
    return None if None in values else 0.0


def _confirming_options(
    evidence: Evidence,
    names: Mapping[str, str],
    weights: Mapping[str, float],
    tests: DiagnosticTests,
    is_open: Callable[[str], bool],
) -> list[Row]:
    """The tests that the leading diseases are confirmed with; one test for several of them is one
    option, and so are the repeats that one group asks for."""
    options = []
    for rows, diseases in _confirmed_by(evidence, names, tests, is_open):
        test = tests.by_id[rows[0]["test_id"]]
        results = [CONFIRMS if disease_id in diseases else CONFUSES for disease_id in names]
        worth = _worth(results, CONFUSES, weights)
        options.append(
            step_option(
                f"confirm:{rows[0]['disease_id']}:{rows[0]['test_id']}",
                test["action_type"],
                _one_action([row["action"] for row in rows]),
                "; ".join(dict.fromkeys(row["source"] for row in rows)),
                between=list(names.values()),
                expecting=[names[disease_id] for disease_id in diseases],
                worth=worth * ease(test),
            )
        )
    return _most_worthwhile(options, MOST_CONFIRMING)


def _confirmed_by(
    evidence: Evidence,
    names: Mapping[str, str],
    tests: DiagnosticTests,
    is_open: Callable[[str], bool],
) -> list[tuple[list[Mapping[str, Any]], list[str]]]:
    """The rows of one test that is still to be done, and the diseases it confirms."""
    confirmed: dict[str, list[str]] = defaultdict(list)
    rows: dict[str, Mapping[str, Any]] = {}
    for disease_id in names:
        profile = evidence.profiles[disease_id]
        for source_id in profile["source_disease_ids"]:
            for row in tests.confirming.get(source_id, ()):
                if not _is_of_its_gene(row, source_id, profile):
                    continue
                if row["sex"] not in (None, evidence.case["sex"]):
                    continue
                is_told = _is_confirmation_told(row, evidence, tests, is_open)
                left = _what_follows(row, evidence, tests) if is_told else row
                if left:
                    rows.setdefault(left["action"], left)
                    confirmed[left["action"]].append(disease_id)
    together: dict[tuple[str, ...], list[Mapping[str, Any]]] = defaultdict(list)
    for action, row in rows.items():
        own = "" if row["test_id"] == "repeats" else action
        together[(own, *dict.fromkeys(confirmed[action]))].append(row)
    return [(of_test, list(diseases)) for (_, *diseases), of_test in together.items()]


_THEN = re.compile(r", then (?P<rest>[^,]+)$")


def _what_follows(
    row: Mapping[str, Any], evidence: Evidence, tests: DiagnosticTests
) -> Mapping[str, Any] | None:
    """Of a test that was done and not negative, the sequencing that follows it and was not done:
    "Order calcium and chloride in urine, then SLC12A3 sequencing"."""
    prior = evidence.case["prior_tests"] or ""
    then = _THEN.search(row["action"])
    is_genetic = tests.by_id[row["test_id"]]["action_type"] == "genetic_testing"
    if then is None or is_genetic or "gene" not in tests.by_id:
        return None
    genes = set(_SYMBOL.findall(then["rest"])) - _NO_GENES
    told = {gene for genes_told, _ in _genes_told(prior) for gene in genes_told}
    is_done = _is_named_as_done(row, evidence, tests)
    is_negative = _is_negative(fold_in_place(prior), row.get("done_words"))
    if not is_done or is_negative or not genes or not genes.isdisjoint(told):
        return None
    return {**row, "action": f"Order {then['rest']}", "test_id": "gene", "done_words": None}


def _is_of_its_gene(row: Mapping[str, Any], source_id: str, profile: Mapping[str, Any]) -> bool:
    """Whether a test confirms the disease that a group is named for: it is of the disease itself,
    or, of kin, not of a gene that the disease does not have (NF1 beside NF2)."""
    if source_id in profile.get("own_source_ids", (source_id,)):
        return True
    genes = set(_SYMBOL.findall(row["action"])) - _NO_GENES
    own = set(profile["own_genes"])
    return not genes or not own or not own.isdisjoint(genes)


def _is_confirmation_told(
    row: Mapping[str, Any],
    evidence: Evidence,
    tests: DiagnosticTests,
    is_open: Callable[[str], bool],
) -> bool:
    """Whether a test that confirms a disease was done, or does not fit the patient's age."""
    kind = tests.by_id[row["test_id"]]
    if _is_named_as_done(row, evidence, tests):
        return True
    if kind["action_type"] == "genetic_testing":
        return False
    # an ultrasound is no cholangiography, nor any biopsy that of the rectum
    is_fit = _is_of_age(evidence, kind) if row.get("done_words") else is_open(row["test_id"])
    return not is_fit


def _is_named_as_done(row: Mapping[str, Any], evidence: Evidence, tests: DiagnosticTests) -> bool:
    """Whether the prior tests name one that confirms a disease: by its own words if it has any."""
    prior = evidence.case["prior_tests"] or ""
    told, kind = evidence.told, tests.by_id[row["test_id"]]
    own_words = row.get("done_words")
    if kind["action_type"] == "genetic_testing":
        return _is_gene_told(row, kind, prior) or _names_any(told, own_words)
    return _names_any(told, own_words or kind["done_words"])


def _decided_options(
    evidence: Evidence, names: Mapping[str, str], tests: DiagnosticTests
) -> list[Row]:
    """The result that decides before anything is looked for again: where the leading disease is not
    unlikely and every test that confirms it was done, or the note tells of a pathogenic variant in
    the gene of one of the best."""
    prior = evidence.case["prior_tests"] or ""
    variants = {
        gene
        for genes, words in _genes_told(prior)
        if _PATHOGENIC.search(words) and not _NO_VARIANT.search(words)
        for gene in genes
    }
    likely = next(iter(names)) if evidence.candidates[0]["confidence"] != "low" else None
    options = []
    for disease_id, name in names.items():
        rows = _rows_that_confirm(disease_id, evidence, tests)
        has_variant = not variants.isdisjoint(evidence.profiles[disease_id]["own_genes"])
        is_done = bool(rows) and all(
            _is_named_as_done(row, evidence, tests) and not _what_follows(row, evidence, tests)
            for row in rows
        )
        is_done = is_done and not _is_negative(fold_in_place(prior), _words_of_done(rows))
        if has_variant or (is_done and disease_id == likely):
            source = "; ".join(dict.fromkeys(row["source"] for row in rows)) or "disease_profile"
            option = step_option(
                f"confirm:decided:{disease_id}",
                "refine_phenotype",
                RESULT.format(name),
                source,
                between=list(names.values()),
                expecting=[name],
            )
            options.append(option | ({"leads": True} if has_variant else {}))
    return options


def _words_of_done(rows: Iterable[Mapping[str, Any]]) -> str:
    """The words for the tests of several rows."""
    return ";".join(row["done_words"] for row in rows if row.get("done_words"))


def _rows_that_confirm(
    disease_id: str, evidence: Evidence, tests: DiagnosticTests
) -> list[Mapping[str, Any]]:
    """The tests that confirm a disease or its kin in a patient of this sex."""
    profile = evidence.profiles[disease_id]
    return [
        row
        for source_id in profile["source_disease_ids"]
        for row in tests.confirming.get(source_id, ())
        if row["sex"] in (None, evidence.case["sex"]) and _is_of_its_gene(row, source_id, profile)
    ]


def _one_action(actions: Sequence[str]) -> str:
    """The repeats of several genes as one order."""
    if len(actions) == 1:
        return actions[0]
    genes = [action.removeprefix("Order ").partition(" repeat")[0] for action in actions]
    return f"Order {', '.join(genes[:-1])} and {genes[-1]} repeat analysis"


# what most patients with the disease have and sequencing does not show
_MISSED_BY_SEQUENCING = frozenset(("repeats", "methylation", "chromosomes"))


def _is_missed_by_sequencing(source_ids: Iterable[str], tests: DiagnosticTests) -> bool:
    """Whether a disease is confirmed by a count of repeats, methylation or chromosomes."""
    rows = (row for source_id in source_ids for row in tests.confirming.get(source_id, ()))
    return any(row["test_id"] in _MISSED_BY_SEQUENCING for row in rows)


def _gene_option(
    evidence: Evidence,
    names: Mapping[str, str],
    weights: Mapping[str, float],
    tests: DiagnosticTests,
) -> list[Row]:
    """One option if at least two candidates have genes that sequencing explains and these differ;
    none if an exome or a panel was read, and without the genes that were sequenced one by one."""
    profiles = evidence.profiles
    prior = evidence.case["prior_tests"] or ""
    sequenced = {"action": "", "test_id": "gene"}
    kind = tests.by_id.get("gene")
    if kind and _is_gene_told(sequenced, kind, prior):
        return []
    done = {
        gene for genes, words in _genes_told(prior) if _SEQUENCED.search(words) for gene in genes
    }
    of_disease = {
        disease_id: symbols
        for disease_id in names
        if not _is_missed_by_sequencing(profiles[disease_id]["source_disease_ids"], tests)
        if (symbols := tuple(g for g in profiles[disease_id]["gene_symbols"] if g not in done))
    }
    if len(set(of_disease.values())) < 2:
        return []
    genes = list(dict.fromkeys(gene for symbols in of_disease.values() for gene in symbols))
    more = f" and {len(genes) - MOST_GENES} more" if len(genes) > MOST_GENES else ""
    between = [names[disease_id] for disease_id in of_disease]
    # a variant names its disease: worth as much as a result that tells all with genes from the rest
    of_genes: dict[tuple[str, ...], float] = defaultdict(float)
    for disease_id, symbols in of_disease.items():
        of_genes[symbols] += weights[disease_id]
    shares = [*of_genes.values(), max(1 - sum(of_genes.values()), 0.0)]
    told = -sum(share * math.log(share) for share in shares if share > 0)
    effort = ease(tests.by_id["gene"]) if "gene" in tests.by_id else 1.0
    return [
        step_option(
            "genes",
            "genetic_testing",
            f"Order sequencing that covers {', '.join(genes[:MOST_GENES])}{more}",
            "disease_profile",
            between=between,
            expecting=between,
            worth=SEQUENCING_EXPLAINS * told * effort,
        )
    ]


_SYMBOL = re.compile(r"(?<![\w-])(?:C\d{1,2}orf\d{1,3}|[A-Z][A-Z0-9]{1,9})(?![\w-])")
# capitals in what is said of a test that are no genes
_CAPITALS = (
    "EEG ECG EKG MRI CT RM TC TAC EMG DNA RNA WES WGS NGS CGH ACGH SNP MLPA PCR FISH CMA VUS CSF "
    "LCR HPLC ACMG CNV ID NR NA"
)
_NO_GENES = frozenset(_CAPITALS.split())
_PATHOGENIC = re.compile(r"\b(?:likely )?(?:pathogenic|patogenic)\w*")
_NO_VARIANT = re.compile(r"\b(?:no|not|non|without|negative|sin|ningun\w*|negativ\w*)\b")
_WHOLE = re.compile(r"\b(?:exom|genom|wes\b|wgs\b)")
_SEQUENCED = re.compile(r"\b(?:sequenc|secuencia|panel|ngs\b|sanger)")
_PARTS = re.compile(r"[.;,}]\s|\n")


def _genes_told(told: str) -> list[tuple[set[str], str]]:
    """Of each part of what is said of prior tests, the genes it names and its folded words."""
    return [
        (set(_SYMBOL.findall(part)) - _NO_GENES, fold_in_place(part)) for part in _PARTS.split(told)
    ]


def _is_gene_told(row: Mapping[str, Any], kind: Mapping[str, Any], told: str) -> bool:
    """Whether a genetic test was done: a prior test of its kind that names one of its genes, or
    that names none (an exome; a panel that does not say of what). Sequencing does not count repeats
    and tells nothing of methylation, so that it does no such test."""
    wanted = set(_SYMBOL.findall(row["action"])) - _NO_GENES
    is_sequencing = row["test_id"] == "gene"
    for genes, words in _genes_told(told):
        is_of_kind = _names_any(words, kind["done_words"])
        if genes and (wanted or is_sequencing) and not (is_sequencing and _WHOLE.search(words)):
            is_other = not is_of_kind and _SEQUENCED.search(words) and not is_sequencing
            if genes & wanted and not is_other:
                return True
        elif is_of_kind:
            return True
    return False


def _most_worthwhile(options: Iterable[Row], n: int) -> list[Row]:
    """The n options of the highest worth, each action once."""
    best: dict[str, Row] = {}
    for option in sorted(options, key=lambda option: (-option["worth"], option["step_id"])):
        best.setdefault(option["action"], option)
    return list(best.values())[:n]
