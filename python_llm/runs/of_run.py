"""Which rows and columns of a file are those of the run: of its model, of its prompt."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping

from python_llm.errors import FileError
from python_llm.imports.numbered_rows import SHEET, Row
from python_llm.imports.tables import roles
from python_llm.parsing.folding import column_key
from python_llm.registries.names import are_same
from python_llm.runs.answerers import own_names
from python_llm.runs.matching import MOST_SHOWN
from python_llm.runs.reading import MODELS, ROLES, WIDE, value_of

# A column that says with which prompt each answer was asked for, by a short name; what is longer is
# the prompt itself.
PROMPTS = ("prompt", "prompt_alias", "prompt_name", "prompt_id", "prompt_type", "prompt_version")
LONGEST_NAME = 60
MOST_OF_LABEL = 3  # letters of a label, such as P2, yes or hit
_OF_PROVIDER = re.compile(r"\[([\w.-]+:[^\]]+)\]")  # '[openai:gpt-4] Diagnose {{case}}'

# words for the ranks, of several languages: a line for each rank
_WORDS = {
    word: rank
    for rank, words in enumerate(
        (
            "first primer primero primera premier premiere erste erster primo prima primeiro",
            "second segundo segunda deuxieme seconde zweite zweiter secondo seconda",
            "third tercer tercero tercera troisieme dritte dritter terzo terza terceiro",
            "fourth cuarto cuarta quatrieme vierte vierter quarto quarta",
            "fifth quinto quinta cinquieme funfte funfter quinto",
        ),
        1,
    )
    for word in words.split()
}
_ENDING = "(?:st|nd|rd|th|er|ere|eme|e|ro|ra|do|da|to|ta|o|a)?"
_RANK = rf"(?P<word>{'|'.join(_WORDS)})|(?P<number>\d{{1,2}}){_ENDING}"
_ORDINAL = re.compile(
    rf"(?:{_RANK})(?:_(?:most_likely_)?(?:diagnosis|diagnostico|dx|prediction|choice|guess|option|"
    r"possibility|hypothesis|opcion|posibilidad|hipotesis|eleccion))?"
)
_COUNTED = re.compile(r"(?P<before>.+?)_?(?P<number>\d{1,2})")
_BEFORE_NUMBERS = {
    *("choice", "guess", "diag", "differential", "ddx", "candidate", "suggestion", "hypothesis"),
    *("disease", "condition", "rango", "puesto", "possible_diagnosis", "differential_diagnosis"),
    *("top", "likely_diagnosis", "diagnose", "diagnostic", "diagnosi", "rang", "platz"),
    *("hipotesis", "hipotese", "ipotesi", "hypothese", "sospecha", "suspeita", "sospetto"),
    *("opcion", "opcao", "opzione", "option", "posibilidad", "possibilidade", "possibility"),
}

_OF_DIAGNOSES = re.compile(r"diagn|(?:^|_)(?:d?dx|differentials?|diferencial(?:es)?)(?:_|$)")
# words of a heading about a diagnosis: how sure it is, whether it is right, why, its code
_BESIDE_DIAGNOSES = {
    *("confidence", "probability", "certainty", "likelihood", "score", "correct", "right", "gold"),
    *("reason", "reasoning", "why", "explanation", "justification", "comment", "code", "icd"),
    *("orpha", "omim", "severity", "relation", "rating", "grade", "time", "confianza", "seguro"),
    *("probabilidad", "certeza", "acierto", "correcto", "motivo", "razon", "codigo", "gravedad"),
    *("justificacion", "comentario", "sure", "confident", "many"),
}

Chosen = tuple[list[Row], list[str]]  # rows, and what to say of the others


def of_model(name: str, rows: list[Row], model: str, *, may_differ: bool) -> Chosen:
    """The rows of a model in a file called `name` with a column of models or a sheet for each, and
    what to say of the others.

    Answers of one model may call it otherwise (`may_differ`); labels of another are an error, and
    so are several models of which none is the one.
    """
    rows = _with_numbers(rows, model if may_differ else "")
    columns = [
        column
        for row in rows[:1]
        for column, text in row.values.items()
        if column_key(column) in MODELS and not text.startswith("{")  # its parts name it
    ]
    if not columns:
        rows, notes = _of_sheet(name, rows, model) if may_differ else (rows, [])
        rows, others = _of_model_columns(name, rows, model)
        if others:  # without the other models' columns, 1st, 2nd and 3rd are ranks
            rows = _with_numbers(rows, model if may_differ else "")
        return rows, notes + others
    by_column = {c: Counter(value_of(row.values.get(c, "")) for row in rows) for c in columns}
    named = next((c for c in columns if own_names(by_column[c], model)), columns[0])
    counts, own = by_column[named], own_names(by_column[named], model)
    others = sorted(other for other in counts if other and other not in own)
    if not others or (may_differ and len(counts) == 1):
        return rows, []
    kept = [row for row in rows if value_of(row.values.get(named, "")) in own]
    if not kept:
        raise FileError(
            f"{name}: the rows are of {_listed(others)}, none of '{model}' (column '{named}'): "
            "correct --model, take the column out, or bring judged lists of several models in with "
            "kernel29 labels import."
        )
    note = f"{name}: {len(rows) - len(kept)} rows are of other models ({_listed(others)})."
    return kept, [note]


def _with_numbers(rows: list[Row], model: str = "") -> list[Row]:
    """The rows with the columns 'first diagnosis', '2nd', '#3', 'guess 4' or the name of the
    `model` and 5 called diagnosis_1, diagnosis_2, …, if they have names, none is missing between
    them, and no column says already which rank a row is of."""
    named = {
        name: rank
        for row in rows[:1]
        for name in row.values
        if (rank := _rank_of_heading(name, model)) is not None
    }
    named = named or _by_one_word(rows)
    if len(named) < 2 or sorted(named.values()) != [*range(1, len(named) + 1)]:
        return rows
    others = {column_key(name) for name in rows[0].values if name not in named}
    # '1', '2', '3' beside answers may be labels of them
    are_bare = not all(_OF_DIAGNOSES.search(column_key(name)) for name in named)
    if are_bare and not (model and others.isdisjoint((*ROLES["answer"], *ROLES["diagnosis"]))):
        return rows
    texts = [text for row in rows for name in named if (text := value_of(row.values[name]))]
    n_names = sum(sum(map(str.isalpha, text)) > MOST_OF_LABEL for text in texts)
    if not others.isdisjoint(ROLES["rank"]) or 2 * n_names <= len(texts):
        return rows
    return [
        Row(
            number,
            {f"diagnosis_{named[n]}" if n in named else n: v for n, v in values.items()},
        )
        for number, values in rows
    ]


def _by_one_word(rows: list[Row]) -> dict[str, int]:
    """The rank of each heading where all ask for a diagnosis in the same words but for one, which
    says the rank: 'What is your first diagnosis?', 'Differential - Rank 2'. None where others do
    so in other words, which may be another model's or rater's."""
    by_form: dict[tuple[str, ...], dict[str, int]] = {}
    for name in rows[0].values if rows else ():
        key = column_key(name)
        words = key.split("_")
        if not _OF_DIAGNOSES.search(key) or not _BESIDE_DIAGNOSES.isdisjoint(words):
            continue
        for at, word in enumerate(words):
            rank = int(word) if word.isdecimal() else _WORDS.get(word)
            if rank is not None:
                by_form.setdefault((*words[:at], "", *words[at + 1 :]), {})[name] = rank
    several = [ranks for ranks in by_form.values() if len({*ranks.values()}) > 1]
    return several[0] if len(several) == 1 else {}


def _rank_of_heading(name: str, model: str) -> int | None:
    """The rank a heading says: 'Second diagnosis', '1er', '#2', '3.', 'guess 4', 'gpt4 5'."""
    key = column_key(name)
    if match := _ORDINAL.fullmatch(key):
        return _WORDS[match["word"]] if match["word"] else int(match["number"])
    match = _COUNTED.fullmatch(key)
    if match is None:
        return None
    own = name.rstrip("0123456789").rstrip(" _-#.")
    is_known = match["before"] in _BEFORE_NUMBERS or bool(model and are_same(own, model))
    return int(match["number"]) if is_known else None


def named_after(name: str, rows: list[Row], model: str, assigned: Mapping[str, str]) -> Chosen:
    """The rows with the column of the answers where it is called after the `model`, or as promptfoo
    calls that of its only provider, and no column has a usual name or is `assigned`."""
    names = [*rows[0].values] if rows else []
    known = {*ROLES["answer"], *ROLES["diagnosis"], *assigned}
    if {"answer", "diagnosis"} & assigned.keys() or any(
        column_key(column) in known or WIDE.fullmatch(column_key(column)) for column in names
    ):
        return rows, []
    own = [column for column in names if are_same(column, model)]
    if not own:
        providers = {c: of[1] for c in names if (of := _OF_PROVIDER.match(c))}
        called = own_names(providers.values(), model) if len(providers) > 1 else providers.values()
        own = [column for column, provider in providers.items() if provider in called]
    texts = [text for row in rows for n in own if (text := value_of(row.values.get(n, "")))]
    n_names = sum(sum(map(str.isalpha, text)) > MOST_OF_LABEL for text in texts)
    if len(own) != 1 or 2 * n_names <= len(texts):
        return rows, []
    renamed = [
        Row(number, {"answer" if n == own[0] else n: text for n, text in values.items()})
        for number, values in rows
    ]
    return renamed, [f"{name}: the column '{own[0][:40]}' is read as the answers of {model}."]


def of_prompt(name: str, rows: list[Row], prompt: str) -> Chosen:
    """The rows of a prompt in a file whose column of prompts has several, or that has a sheet for
    each, and what to say of the others. Raises FileError if cases were asked with several and
    none of them is the one."""
    named = next((c for row in rows[:1] for c in row.values if column_key(c) in PROMPTS), None)
    if named is None:
        sheets = {row.values.get(SHEET, "") for row in rows}
        is_named = any(sheet and are_same(sheet, prompt) for sheet in sheets)
        return _of_one(name, rows, SHEET, prompt, "prompt") if is_named else (rows, [])
    counts = Counter(value_of(row.values.get(named, "")) for row in rows)
    if len(counts) < 2 or max(map(len, counts)) > LONGEST_NAME:
        return rows, []
    return _of_one(name, rows, named, prompt, "prompt")


def _of_sheet(name: str, rows: list[Row], model: str) -> Chosen:
    """The rows of the model's sheet where several sheets have the same cases."""
    if not rows or SHEET not in rows[0].values:
        return rows, []
    return _of_one(name, rows, SHEET, model, "model")


def _of_one(name: str, rows: list[Row], column: str, wanted: str, kind: str) -> Chosen:
    counts = Counter(value_of(row.values.get(column, "")) for row in rows)
    others = sorted(other for other in counts if other and not are_same(other, wanted))
    kept = [row for row in rows if are_same(row.values.get(column, ""), wanted)]
    if not kept and _has_cases_again(rows, column):
        raise FileError(
            f"{name}: the column '{column}' has {_listed(others)} with the same cases, and none is "
            f"'{wanted}': correct --{kind}, or keep the rows of one {kind}."
        )
    if not kept or not others:
        return rows, []
    note = f"{name}: {len(rows) - len(kept)} rows are of other {kind}s ({_listed(others)})."
    return kept, [note]


def _has_cases_again(rows: list[Row], column: str) -> bool:
    """Whether most cases have rows under several values of a column."""
    case = roles(rows, {"case": ROLES["case"]}, {}).get("case")
    if case is None:
        return False
    pairs = {(value_of(row.values.get(case, "")), row.values.get(column, "")) for row in rows}
    values = Counter(ref for ref, _ in pairs if ref)
    return 2 * sum(count > 1 for count in values.values()) > len(values)


def _of_model_columns(name: str, rows: list[Row], model: str) -> Chosen:
    """The columns of a model, where a header of two rows has models over the same columns each, and
    what to say of the others. Raises FileError if none is the model's."""
    known = {role for names in ROLES.values() for role in names}
    columns_of: dict[str, dict[str, str]] = {}  # by model: its columns, and what they are below it
    by_joint: dict[str, dict[str, str]] = {}  # 'gpt4_top1', 'claude-rank1'
    for column in rows[0].values if rows else ():
        for joint in re.finditer(r"[ _:./-]+", column):
            over, below = column[: joint.start()], column[joint.end() :]
            is_blank = set(joint[0]) == {" "}
            key = column_key(below)
            if column_key(over).rpartition("_")[2] in _WORDS:
                continue  # 'What is your first' names no model
            is_rank = WIDE.fullmatch(key) or (is_blank and _is_ordinal(key))
            if over and (is_rank or (is_blank and key in known)):
                of_joint = columns_of if is_blank else by_joint
                of_joint.setdefault(over, {})[column] = below
                break
    columns_of |= _of_ranks_each(by_joint, rows, known)
    shared = Counter(column_key(b) for columns in columns_of.values() for b in columns.values())
    models = {
        over: columns
        for over, columns in columns_of.items()
        if column_key(over) not in known
        and any(shared[column_key(b)] > 1 for b in columns.values())
    }
    if len(models) < 2:
        return rows, []
    own = next((columns for over, columns in models.items() if are_same(over, model)), None)
    others = [over for over in models if not are_same(over, model)]
    if own is None:
        raise FileError(
            f"{name}: its columns are of {_listed(others)}, none of '{model}': correct --model."
        )
    left = {column for columns in models.values() for column in columns} - own.keys()
    kept = [
        Row(number, {own.get(c, c): value for c, value in values.items() if c not in left})
        for number, values in rows
    ]
    return kept, [f"{name}: {len(left)} columns are of other models ({_listed(others)})."]


def _is_ordinal(key: str) -> bool:
    """Whether a folded heading is a rank in words (1st, second choice), and no number alone."""
    return not key.isdecimal() and _ORDINAL.fullmatch(key) is not None


def _of_ranks_each(
    by_joint: dict[str, dict[str, str]], rows: list[Row], known: set[str]
) -> dict[str, dict[str, str]]:
    """The columns by model where each has its ranks side by side in names without blanks; none
    where the file has a list of its own beside them, which they may be about."""
    names = {column_key(name) for row in rows[:1] for name in row.values}
    several = {over: columns for over, columns in by_joint.items() if len(columns) > 1}
    has_own = any(map(WIDE.fullmatch, names)) or names & {*ROLES["answer"], *ROLES["diagnosis"]}
    if has_own or any(column_key(over) in {*known, *_BEFORE_NUMBERS} for over in several):
        return {}
    return several


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"'{name[:40]}'" for name in list(names)[:MOST_SHOWN])
