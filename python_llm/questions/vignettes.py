"""The case that a question is about, where a file has it in a column of its own beside the
question."""

from collections.abc import Mapping, Sequence

from python_llm.imports.numbered_rows import SHEET, Row
from python_llm.parsing.folding import column_key, option_key

# what the column of the case may be called; a column of numbers or codes is none
NAMES = (
    *("vignette", "clinical_vignette", "vineta", "vineta_clinica", "case_vignette", "context"),
    *("contexto", "clinical_case", "caso_clinico", "case_text", "case_description", "case"),
    *("caso", "clinical_scenario", "scenario", "escenario", "stem", "background", "passage"),
    *("patient", "paciente", "patient_description", "case_presentation", "presentation"),
    *("historia_clinica", "clinical_history", "history", "historia", "anamnesis", "enunciado"),
    *("texto", "article", "premise", "case_stem", "descripcion_del_caso", "supuesto"),
    *("supuesto_clinico", "cas_clinique", "fallbeispiel", "enonce"),
)
FEWEST_WORDS = 3  # of a case; less is its name
MOSTLY = 0.5  # of the cells that are filled


def column_among(columns: Sequence[str], rows: Sequence[Row], question: str) -> str | None:
    """The first of `columns`, by its name, that has texts that are not in the question's."""
    by_key = {column_key(name): name for name in reversed(columns)}
    for name in (by_key[key] for key in NAMES if key in by_key):
        texts = [(_text(row.values.get(name)), _text(row.values.get(question))) for row in rows]
        filled = [(text, asked) for text, asked in texts if text]
        n_cases = sum(
            len(text.split()) >= FEWEST_WORDS and not _is_in(text, asked) for text, asked in filled
        )
        if filled and n_cases > MOSTLY * len(filled):
            return name
    return None


def joined(case: object, question: object) -> str:
    """The question with its case before it, unless it has it."""
    text, asked = _text(case), _text(question)
    return asked if not text or _is_in(text, asked) else f"{text}\n{asked}".strip()


def remarks(rows: Sequence[Row], columns: Mapping[str, str], name: str) -> list[str]:
    """What is said of the column that is read as the case, and of rows without one."""
    notes = []
    if vignette := columns.get("vignette"):
        notes.append(f"the column '{vignette}' stands before the question, as its case")
        without = [row.number for row in rows if not _text(row.values.get(vignette))]
        if without:
            listed = ", ".join(map(str, without[:10])) + (", …" if len(without) > 10 else "")
            notes.append(
                f"{name}, line {listed}: no case in '{vignette}', so the question stands alone; "
                "if the case is that of the row above, copy it down"
            )
    return notes


def unread(rows: Sequence[Row], columns: Mapping[str, str]) -> list[str]:
    """The columns with values that play no role."""
    filled = dict.fromkeys(
        str(column)
        for row in rows
        for column, value in row.values.items()
        if value not in (None, "", [], {}) and column != SHEET
    )
    used = {*columns.values()}
    return [column for column in filled if column.strip() and column not in used]


def _is_in(case: str, question: str) -> bool:
    folded, asked = option_key(case), option_key(question)
    return folded in asked or asked in folded


def _text(value: object) -> str:
    """A cell as text; a list of texts as its paragraphs. A structure is none."""
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return "\n".join(value).strip()
    return "" if isinstance(value, (list, dict)) or value is None else str(value).strip()
