"""What the name of a column of gradings says beside its question: that a yes is a miss, that its
labels are made of other raters' labels, that a program gave them."""

import re
from collections.abc import Collection

from python_llm.errors import FileError
from python_llm.parsing.folding import column_key, name_key

OPPOSITE = {"yes": "no", "no": "yes"}
# words of a name that ask for a miss: error_top1, missed_top3, fallo_top1, dx1_wrong
OF_A_MISS = {
    *("incorrect", "error", "errors", "wrong", "fail", "fails", "failed", "failure", "failures"),
    *("miss", "missed", "missing", "misses", "not", "absent", "outside", "without", "mistake"),
    *("incorrecto", "incorrecta", "fallo", "fallos", "fallado", "falla", "errores", "sin", "fuera"),
    *("fehler", "verfehlt", "fehlt", "falsch", "erreur", "erreurs", "errore", "errori", "erro"),
    *("manque", "manquee", "absente", "assente", "misserfolg", "fehlschlag"),
    *("ausente", "equivocado", "equivocada", "errado", "erroneo", "unfound"),
}
A_NO = re.compile(r"(?:^|_)no_(?=acierto|acert|hit|correct|found|en_|in_|esta|aparece|top|inclu)")
OUT_OF = re.compile(r"(?:^|_)out_(?:of_)?")
# answers to a question; other words (hit, miss, absent, P2) say by themselves what they mean
ANSWERS = {
    *("yes", "y", "si", "s", "true", "t", "verdadero", "v", "1", "1 0", "100"),
    *("oui", "o", "ja", "j", "sim", "vrai", "wahr"),
    *("no", "n", "false", "f", "falso", "0", "0 0", "non", "nein", "nao", "faux", "falsch"),
}
OF_AN_AGREEMENT = {
    *("consensus", "consenso", "majority", "mayoria", "agreed", "acordado", "acordada", "panel"),
    *("adjudicated", "adjudication", "adjudicado", "adjudicacion", "consensuado", "consensuada"),
    *("average", "mean", "media", "promedio", "median", "mediana", "moda"),
    *("konsens", "konsensus", "consensuel", "mehrheit", "majorite", "maioria"),
    *("maggioranza", "ubereinstimmung", "mittelwert", "durchschnitt", "moyenne", "mediane"),
}
CANCELLED = {
    *("cancelled", "canceled", "discarded", "skipped", "ignored", "deleted", "withdrawn"),
    *("cancelado", "cancelada", "descartado", "descartada", "omitido", "omitida", "anulado"),
}
OF_A_PROGRAM = re.compile(
    r"(?:^|_)(?:gpt\w*|chatgpt|llm|claude|gemini|llama\d*|mistral|mixtral|deepseek|qwen\d*|copilot"
    r"|openai|medgemma|gemma\d*|bot)(?=_|\d|$)"
)


def asks_for_a_miss(name: str) -> bool:
    """Whether a yes in a column of hits is a miss by its name. Raises FileError where it denies
    that twice."""
    folded = column_key(name)
    denials = [word for word in folded.split("_") if word in OF_A_MISS]
    is_yes_no = {"yes", "si"} & {*folded.split("_")}
    denials += [] if is_yes_no else A_NO.findall(folded)
    denials += OUT_OF.findall(folded)
    if len(denials) > 1:
        raise FileError(
            f"the column '{name}' denies twice, so whether 1 is a hit cannot be told: rename it "
            "to top1, top3, … and write 1 for a hit."
        )
    return bool(denials)


def without_denial(folded: str) -> str:
    """A folded name without the words that deny."""
    folded = OUT_OF.sub("_", A_NO.sub("_", folded))
    return "_".join(word for word in folded.split("_") if word not in OF_A_MISS)


def is_bare_answer(written: str) -> bool:
    """Whether a cell only says yes or no, so that its column says what is meant."""
    return name_key(written) in ANSWERS or not any(map(str.isalnum, written))


def is_of_an_agreement(name: str) -> bool:
    """Whether a rater's name is that of what several raters came to: Consenso, majority."""
    return bool({*column_key(name).split("_")} & OF_AN_AGREEMENT)


def is_of_a_program(name: str) -> bool:
    """Whether a rater's name is that of a language model: 'GPT-4 judge'."""
    return OF_A_PROGRAM.search(column_key(name)) is not None


def says_cancelled(name: str, written: str) -> bool:
    """Whether a cell says that a rater took the row back: a status 'discarded', a flag
    'was_cancelled'."""
    words = column_key(name).split("_")
    value = name_key(written)
    if words[-1] in CANCELLED and {*words[:-1]} <= {"was", "is", "annotations", "annotation"}:
        return value in {"true", "yes", "1", "si"}
    return words[-1] in {"status", "state", "estado"} and value in CANCELLED


def why_left_out(rater: str, raters: Collection[str], kind: str) -> str:
    """Why the labels of one of `raters` are not read beside the others'; '' if they are. kind: of
    the import, 'person' or 'recorded'."""
    if kind == "person" and is_of_a_program(rater):
        return f"'{rater}' is named as a program: import its labels apart with --kind recorded"
    if is_of_an_agreement(rater) and not all(map(is_of_an_agreement, raters)):
        return f"'{rater}' is what raters agreed on, no rater: import it apart"
    return ""
