"""What the words of a column of certainty say of a diagnosis: confirmed, suspected or pending,
excluded, past. English, Spanish, Portuguese, Italian, German and French.

A word is known by its stem, because these languages give it many endings (sospechoso, sospechosa),
and what stands before it counts: 'not confirmed', 'por confirmar' and 'nicht ausgeschlossen' are
doubts. A text with no known word says something that is not known, which is for people to decide.
"""

import re
from enum import Enum

from python_llm.imports.headings import words_of
from python_llm.imports.principal import NO, YES
from python_llm.parsing.folding import column_key


class Certainty(Enum):
    """What a file says of a diagnosis."""

    CERTAIN = "certain"
    DOUBTED = "doubted"
    EXCLUDED = "excluded"
    PAST = "past"
    REJECTED = "rejected"
    UNKNOWN = "unknown"


CERTAIN, DOUBTED, EXCLUDED, PAST, REJECTED, UNKNOWN = Certainty
_CERTAIN = (
    "confirm conferm bestatig bestaetig gesichert definit definid established establecid"
    " estabelecid etabli feststehend festgestellt nachgewiesen bewiesen erwiesen eindeutig"
    " proven proved probad comprobad comprovad demostrad demonstrad demontre dimostrat"
    " diagnosed prouv accertat avere verified verificad verifi verifizier validat validad"
    " valide affirm assured diagnosticad diagnostiqu diagnostizier certain certez certo certa"
    " cierto cierta segur sicuro sicura assicurat"
)
_CERTAIN_WORDS = (
    "firme definite final active sicher sur sure positive positivo positiva ok yes true"
)
_DOUBTED = (
    "suspec suspic suspeit sospech sospett soupcon verdacht verdaecht vermut wahrschein"
    " probab provav likely unlikely unwahrschein possib posib possiv moglich moeglich eventu"
    " presum presun assum angenommen doubt dubio dubia dubbi duda dudos duvid dout zweifel"
    " fraglich fragwurd unsicher unklar unclear uncert incert inciert ungewiss ungesichert"
    " unbestatig unconfirm pend ausstehen attente attesa espera aguard await abklar abzuklar"
    " klarung klaren investig inchiesta untersuch ungeklart estudi estudo studio review workup"
    " prelim provis vorlauf tentativ hypoth hipot ipotes arbeitsdiagnose working differenti"
    " differenzi diferenci unsure question quer equivoc indetermin undetermin unresolved"
    " unknown desconoc desconhe unbekannt inconnu sconosciut ignot ausschluss orient esclarec"
    " aclarar clarif chiari accertament mutma auszuschlie ausschlie gering scars dubit pte"
    " evaluac evaluat avaliac valutaz valorar reserv reserva verosimil vraisemblab inconclu"
    " inkonklus impres precis ehesten sospeso accertare rever verd unverif nachzuweisen"
    " undiagnos"
)
_DOUBTED_WORDS = (
    "confirmar confermare confirmer bestatigen comprobar comprovar verificar verificare"
    " verifier verifizieren validar validare valider demostrar demonstrar dimostrare prouver"
    " probar provar verify validate prove sichern nachweisen establecer estabelecer etablir"
    " en_curso in_corso en_cours em_curso no_concluyente no_conclusivo non_concluant"
    " non_conclusivo not_conclusive susp sosp prob poss dd vd va open offen todo tbc tbd query"
    " rule_out ruling_out ro r_o v_a descartar excluir exclure eliminer escludere low baja"
    " bajo baixa baixo faible bassa niedrig maybe perhaps quizas quiza acaso talvez forse"
    " vielleicht peut_etre could might wohl"
)
_EXCLUDED = (
    "exclud exclui exclus exclu esclus ausgeschlossen descartad refut widerleg confutat"
    " infirm verworfen ecarte scartat rejected rechazad rejeitad rejet respint smenti desment"
    " abgelehnt negat negad denied absent ausente assente disprov discard verneint fals wrong"
    " error eliminated elimine eliminad"
)
_EXCLUDED_WORDS = (
    "ruled_out se_descarta no_es non_e is_not ist_nicht excl ausgeschl descart not_present"
    " entered_in_error"
)
_PAST_WORDS = (
    "zustand_nach z_n status_post st_p past previous prior former formerly ehemalig"
    " history_of antecedente antecedentes antecedent antecedents anamnestisch"
)
# before what is certain or excluded: not yet, or to be shown
_OPEN = words_of(
    "not no non nicht nao sin sem senza sans ohne never nie yet noch pas por zu to si if"
    " falls wenn pending sujeto subject soumis before until kein keine ni sino nor isnt"
)
_NO_DOUBT = words_of("no without beyond sin sem senza ohne kein keine nicht aucun")
_OF_DOUBT = ("doubt", "duda", "duvid", "dubbi", "zweifel", "dout")
# of the course or the rank of a disease, not of how certain it is
_OF_COURSE = words_of(
    "resolved inactive chronic acute new recurrent recurrence relapse remission ongoing"
    " current cured resuelto resuelta cronico cronica agudo aguda nuevo nueva recurrente"
    " activo activa inactivo inactiva curado curada aktiv chronisch akut neu principal primary"
    " main secondary principale hauptdiagnose"
)
_NOTHING = words_of("na n_a nan none null")
_STEMS = {CERTAIN: _CERTAIN, DOUBTED: _DOUBTED, EXCLUDED: _EXCLUDED}
_WORDS_OF = {
    CERTAIN: _CERTAIN_WORDS,
    DOUBTED: _DOUBTED_WORDS,
    EXCLUDED: _EXCLUDED_WORDS,
    PAST: _PAST_WORDS,
}
_EXACT = {word: how for how, words in _WORDS_OF.items() for word in words.split()}
_BY_STEM = sorted(
    ((stem, how) for how, stems in _STEMS.items() for stem in stems.split()),
    key=lambda known: -len(known[0]),
)
_LONGEST = 3  # words of a phrase in _EXACT
_REACH = 2  # words before another that change what it says


def of_text(written: str) -> Certainty | None:
    """What a text in a column of certainty says; None where it says nothing: it is empty, or of the
    course of the disease. UNKNOWN where no word is known."""
    if not re.search(r"[^\W\d_]", written):
        return DOUBTED if "?" in written else None
    key = column_key(written)
    if key in _NOTHING or key in _OF_COURSE:
        return None
    if key in YES | NO:
        return CERTAIN if key in YES else DOUBTED
    how = _of_words(key.split("_"))
    return DOUBTED if how is CERTAIN and "?" in written else how or UNKNOWN


def _of_words(words: list[str]) -> Certainty | None:
    """What the first known word or phrase says; what is certain by it may be so to a low degree."""
    for at in range(len(words)):
        how = _at(words, at)
        if how is None:
            continue
        before = words[max(at - _REACH, 0) : at]
        if how is DOUBTED and words[at].startswith(_OF_DOUBT) and _NO_DOUBT & {*before}:
            return CERTAIN
        if how in (CERTAIN, EXCLUDED) and _OPEN & {*before}:
            return DOUBTED
        if how is CERTAIN and DOUBTED in (_EXACT.get(word) for word in words[at + 1 :]):
            return DOUBTED
        return how
    return None


def _at(words: list[str], at: int) -> Certainty | None:
    """What the phrase or word at a place says."""
    for length in range(_LONGEST, 0, -1):
        if how := _EXACT.get("_".join(words[at : at + length])):
            return how
    return next((how for stem, how in _BY_STEM if words[at].startswith(stem)), None)
