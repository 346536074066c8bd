"""A work-up as one page that a clinician reads: what was read, what fits, what to do next."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

SUPPORTS = (
    "Computed from HPO annotations for a clinician to judge: it names what to look at next, makes "
    "no diagnosis and treats nobody."
)
NO_FLAG = (
    "No red flag was read. Emergencies are seen by listed words, vital signs and a few laboratory "
    "values, and where a note reads like those of known ones, so this is not an all-clear."
)
NO_AGE = (
    "The age is not known: flags and steps that depend on age were not looked for, and values were "
    "judged as an adult's, or a child's where the note calls one. Give it with --age."
)
MOST_MEMBERS = 4  # other diseases of a group that are named
MOST_GAPS = 4
EXPLAINED = 5  # groups whose evidence is printed; the others are named
LONGEST_LIST = 6  # findings named for or against a disease
LONGEST_TESTS = 400  # characters of the tests that were done
Row = Mapping[str, Any]


def format_work_up(result: Row) -> str:
    """A work-up as a person reads it."""
    lines = [_format_flag(flag) for flag in result["red_flags"]]
    reading = _format_reading(result["reading"]) if "reading" in result else []
    if result["status"] == "stopped":
        lines += _format_patient(result)
        lines += _format_measures(result)
        return "\n".join([*lines, "The work-up stops here. " + SUPPORTS, *reading])
    lines += ["" if lines else NO_FLAG]
    lines += _format_patient(result)
    lines += _format_phenotypes(result)
    lines += _format_measures(result)
    if causes := result.get("common_causes"):
        lines.append(f"\nCommon or treatable, to think of first: {', '.join(causes)}")
    lines += _format_candidates(result)
    lines.append("\nNext steps")
    for step in result["next_best_steps"]:
        urgency = " (urgent)" if step["urgency"] == "urgent" else ""
        lines.append(f"  {step['rank']}. {step['action']}{urgency}")
        lines.append(f"     {step['rationale']}")
    if result.get("prior_tests"):
        reported = result["prior_tests"][:LONGEST_TESTS]
        lines.append(f"  Already reported, not asked for again: {reported}")
    lines.append("\nWhat would change this")
    lines += [f"  - {change}" for change in result["what_would_change"]]
    lines.append("\nNot known")
    unknown = result["uncertainty"]["ambiguous"] + result["uncertainty"]["missing"]
    lines += [f"  - {gap}" for gap in unknown[:MOST_GAPS]]
    return "\n".join([*lines, *reading, "", f"{SUPPORTS} ({result['seconds']:.1f} s)"])


def _format_reading(reading: Row) -> list[str]:
    """The two readings side by side, what they disagree on first."""
    rows = reading["comparison"]
    verdicts = Counter(row["verdict"] for row in rows)
    counts = ", ".join(f"{count} {verdict}" for verdict, count in verdicts.items())
    n_lost = reading["n_unreadable"]
    lost = f"; {n_lost} of the model's entries could not be read" if n_lost else ""
    lines = [
        f"\nRead by the rules and by {reading['model']} (${reading['usd']:.4f}): "
        f"{counts or 'no finding'}{lost}",
        "The work-up stands on the rules' reading; --hpo and --not add what the model saw rightly.",
    ]
    if rows:
        width = min(max(len(row["hpo_name"]) for row in rows), 40)
        lines.append(f"  {'finding':{width}}  {'rules':11} {'model':11} words")
    for row in rows:
        words = row["model_words"] or row["rules_words"] or ""
        note = f" ({row['verdict']})" if row["verdict"] in ("no term", "not in the note") else ""
        lines.append(
            f"  {row['hpo_name'][:width]:{width}}  {row['rules'] or '-':11} "
            f'{row["model"] or "-":11} "{words[:60]}"{note}'
        )
    return lines


def _format_flag(flag: Row) -> str:
    words = f' ("{flag["words"]}" in the note)' if flag.get("words") else ""
    return f"{flag['severity']}: {flag['flag_name']}{words}. {flag['reason']} ({flag['source']})"


def age_text(years: float) -> str:
    """An age as people say it: hours of the first day, days, weeks or months of an infant, years
    and months of a small child, years after."""
    days, months = years * 365.25, years * 12
    if 0 < days < 0.95:
        return _counted(max(round(days * 24), 1), "hour")
    for n, unit, below in ((days, "day", 14), (days / 7, "week", 9), (months, "month", 24)):
        if round(n, 2) < below:
            return _counted(round(n), unit)
    whole, rest = divmod(round(months), 12)
    if whole < 6 and rest:
        return f"{_counted(whole, 'year')} and {_counted(rest, 'month')}"
    return _counted(int(years + 1e-6), "year")


def _counted(n: int, unit: str) -> str:
    return f"{n} {unit}" if n == 1 else f"{n} {unit}s"


def _format_patient(result: Row) -> list[str]:
    patient = result["patient"]
    told = patient.get("read_from_note", ())
    age = patient["age_years"]
    parts = [
        "age unknown" if age is None else age_text(age) + _told("age_years", told),
        (patient["sex"] or "sex unknown") + _told("sex", told),
    ]
    if pregnancy := patient.get("pregnancy"):
        parts.append(f"pregnancy: {pregnancy} (from the note)")
    if "data_completeness" in result:
        parts.append(f"data completeness {result['data_completeness']:.2f} of 1")
    return [f"Patient: {'; '.join(parts)}", *([NO_AGE] if age is None else [])]


def _told(name: str, told: Sequence[str]) -> str:
    return " (from the note)" if name in told else ""


def _format_phenotypes(result: Row) -> list[str]:
    present = [row for row in result["phenotypes"] if not row["is_excluded"]]
    kinds = (
        ("Present", [row for row in present if row.get("status") != "past"]),
        ("Past", [row for row in present if row.get("status") == "past"]),
        ("Denied", [row for row in result["phenotypes"] if row["is_excluded"]]),
    )
    age = result["patient"]["age_years"]
    lines = []
    for heading, rows in kinds:
        if rows:
            lines.append(f"{heading}: {'; '.join(_finding(row, age) for row in rows)}")
    if signs := result.get("signs"):
        told = "; ".join(f'{row["sign"]} "{row["words"]}"' for row in signs)
        lines.append(f"Signs: {told}")
    lines = lines or ["Present: none recognised"]
    contradictions = [row for row in result["issues"] if row["origin"] == "contradiction"]
    lines += [f"Contradiction: {row['finding']} is {row['issue']}" for row in contradictions]
    others = [row for row in result["issues"] if row["origin"] != "contradiction"]
    for row in others:
        name = f"{row['finding']}, " if row["finding"] else ""
        lines.append(f'Not used: {name}"{row["written"][:60]}" ({row["issue"]})')
    return lines


def _format_measures(result: Row) -> list[str]:
    """What was measured, in the words of the note; what is not of today with its status."""
    values: dict[str, str] = {}
    for row in result.get("measures", ()):
        values.setdefault(row["written"], row["status"])
    parts = [
        words if status == "present" else f"{words} ({status.replace('_', ' ')})"
        for words, status in values.items()
    ]
    return [f"Measured: {'; '.join(parts)}"] if parts else []


_GROWN = 2  # years; of a smaller child the age of onset is told in months


def _finding(row: Row, age: float | None) -> str:
    words = row.get("words")
    same = words and words.casefold() == row["hpo_name"].casefold()
    quoted = f' "{words}"' if words and not same else ""
    onset = row["onset_years"]
    since = "" if onset is None else ", from birth" if onset == 0 else f", from {age_text(onset)}"
    if onset and age and age >= _GROWN and 0 < age - onset < 1:
        # years alone would say that four days began a year ago
        since = f", for {age_text(age - onset)}"
    course = f", {row['progression']}" if row["progression"] else ""
    return f"{row['hpo_name']} ({row['hpo_id']}){quoted}{since}{course}"


def _format_candidates(result: Row) -> list[str]:
    lines = ["\nRare diseases that fit, kin as one group; each number is a chance among them alone"]
    profiles = {row["disease_id"]: row for row in result["disease_profiles"]}
    if not result["disease_candidates"]:
        lines.append("  none: no phenotype was recognised")
    for candidate in result["disease_candidates"]:
        same = f", most likely {candidate['same_as']}" if "same_as" in candidate else ""
        genes = profiles.get(candidate["disease_id"], {}).get("genes", ())
        of_genes = f" [{', '.join(genes[:3])}{', …' if len(genes) > 3 else ''}]" if genes else ""
        lines.append(
            f"  {candidate['rank']:>2}. {candidate['disease']} ({candidate['disease_id']}{same})"
            f"{of_genes}: {candidate['confidence']}, {candidate['probability']:.2f}"
        )
        if candidate["rank"] > EXPLAINED:
            continue
        for label, field in (
            ("with", "group"),
            ("for", "supporting_phenotypes"),
            ("against", "contradicting_phenotypes"),
            ("not looked for", "missing_key_phenotypes"),
        ):
            if names := candidate.get(field):
                most = MOST_MEMBERS if field == "group" else LONGEST_LIST
                more = f" and {len(names) - most} more" if len(names) > most else ""
                lines.append(f"      {label}: {', '.join(names[:most])}{more}")
    return lines
