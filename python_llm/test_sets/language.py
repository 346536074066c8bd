"""Which language the cases of a file are in, by the small words of their texts."""

import re
from collections import Counter
from collections.abc import Iterable

from python_llm.parsing.folding import without_accents

# ISO 639-1: words that are frequent in it and rare in the others; abbreviations of Spanish notes
# are telegraphic, so that words of admission and examination count, too
_SMALL = {
    "en": "the of and with was is has had for to no who her his she he patient presents denies at"
    # shared with others: an English text of few words is not theirs for these
    " a an as do",
    "es": "de la el los las con y del por una un sin desde niega acude paciente al se refiere anos"
    " que no dolor hace para su fiebre tos texto edad"
    " diagnostico motivo mujer hombre",
    "ca": "de la el els les amb i del per una sense des nega acudeix pacient dels al es refereix"
    " anys que dolor fa seva",
    "pt": "de a o os as com e do da por uma um sem desde nega paciente ao se refere anos que nao"
    " dor ha foi febre tosse falta apos homem mulher idade queixa",
    "fr": "de la le les et avec du des une un sans depuis patient au il elle est dans ans que pas"
    " a apres chez douleur fievre toux homme femme dyspnee gros rouge sexe motif",
    "de": "der die das und mit von ein eine ohne seit patient patientin im ist wurde nicht zur bei"
    " am auf nach rot rotes heiss heiß schmerz schmerzen kopfschmerz kopfschmerzen fieber husten"
    " atemnot luftnot abend jahre alter geschlecht diagnose anamnese befund fallnummer aktuelle"
    " hauptdiagnose",
    "it": "di la il gli le con e del della per una un senza da paziente al si riferisce anni che"
    " non dopo dolore febbre tosse uomo donna dispnea anamnesi esame eta sesso diagnosi",
}
_WORDS_OF = {code: frozenset(words.split()) for code, words in _SMALL.items()}
_HAN = re.compile(r"[\u4e00-\u9fff]")
_LETTER = re.compile(r"[^\W\d_]+")
LEAST = 3  # small words that tell
LONGEST = 4000  # characters of a text
DEFAULT = "en"


def language_of(texts: Iterable[str]) -> str:
    """The ISO 639-1 code of the language most words are of; English if nothing tells."""
    counts: Counter[str] = Counter()
    n_han = n_letters = 0
    for text in texts:
        part = text[:LONGEST]
        n_han += len(_HAN.findall(part))
        words = _LETTER.findall(without_accents(part).lower())
        n_letters += sum(map(len, words))
        for word in words:
            counts.update(code for code, small in _WORDS_OF.items() if word in small)
    if 2 * n_han > n_letters:
        return "zh"
    best, count = max(counts.items(), key=lambda item: item[1], default=(DEFAULT, 0))
    # what an English text and another share, such as 'patient' and 'a', does not make it the other
    return best if count >= LEAST and count > counts[DEFAULT] else DEFAULT
