"""Gold diagnoses as people write them: names, codes inside names, alternatives of one disease."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from python_llm.parsing.folding import column_key


class Gold(NamedTuple):
    """Names and codes of one gold diagnosis, each once. The name that says what all of them say
    stands first ('Brugada syndrome' before 'Brugada syndrome 2'), foreign scripts stand last.

    A code is an id as the vocabularies write it (ORPHA:110, OMIM:154700, MONDO:0001234) or, in
    `icd10_codes`, a bare ICD-10 code (G71.2).
    """

    names: list[str]
    codes: list[str]
    icd10_codes: list[str]


# The vocabulary as people call it; its own prefix, none for ICD-10; what its codes look like.
VOCABULARIES = (
    (r"ORPHA(?:NET|CODE)?", "ORPHA", r"\d{1,6}"),
    (r"O?MIM", "OMIM", r"\d{6}"),
    (r"MONDO", "MONDO", r"\d{7}"),
    (r"CCRD", "CCRD", r"\d{1,3}(?:\.\d+)?"),
    (r"GARD", "GARD", r"\d{1,7}"),
    (r"DOID", "DOID", r"\d{1,7}"),
    (r"(?:ICD|CIE)[ \-]?10(?:[ \-]?(?:CM|ES|GM))?", "", r"[A-TV-Z]\d[0-9A-Z](?:\.?[0-9A-Z]{1,4})?"),
)
# 'OMIM', then one code or several: 'OMIM: #154700, 154780'
_CODES = re.compile(
    "|".join(
        rf"(?<![A-Za-z0-9]){called}[ ]?(?:ids?|codes?|n[oº]\.?)?\s*[:_#\-]*\s*[#*%+]?"
        rf"({code}(?:\s*[,;/|]\s*[#*%+]?{code})*)(?![A-Za-z0-9])"
        for called, _, code in VOCABULARIES
    ),
    re.IGNORECASE,
)
_ONE_CODE = [re.compile(code, re.IGNORECASE) for _, _, code in VOCABULARIES]
_ICD10 = _ONE_CODE[-1]
# what can be nothing but an ICD-10 code; without a point it may be an abbreviation (T21, B12)
_BARE_ICD10 = re.compile(r"\s*([A-TV-Z]\d[0-9A-Z]\.[0-9A-Z]{1,4})\s*", re.IGNORECASE)
# a number or a code that does not say its vocabulary
_BARE_CODE = re.compile(r"\s*[#*%+]?(?:\d+|[A-TV-Z]\d[0-9A-Z][0-9A-Z.]{0,5})\s*", re.IGNORECASE)
# how people write that there is no gold diagnosis, folded; signs alone fold to nothing
NO_GOLD = {
    *("", "na", "n_a", "nan", "nil", "none", "null", "unknown", "not_known", "not_available"),
    *("no_diagnosis", "without_diagnosis", "undiagnosed", "not_diagnosed", "unknown_diagnosis"),
    *("missing", "pending", "tbd", "desconocido", "desconocida", "sin_diagnostico", "ninguno"),
    *("sin_diagnosticar", "diagnostico_desconocido", "no_consta", "pendiente", "sin_dato", "s_d"),
    *("no_disponible", "n_d"),
}
# columns that say the vocabulary of the bare numbers in them, and how many digits these have
_OF_COLUMN = {"omim": ("OMIM", 6), "mim": ("OMIM", 6), "mondo": ("MONDO", 7)} | dict.fromkeys(
    ("orpha", "orphanet", "orphacode"), ("ORPHA", 0)
)
# as the vocabularies write it already
_ID = re.compile(r"[A-Z]+:\d[\d.]*")
_EMPTY_BRACKETS = re.compile(r"[(\[{（【]\s*[,;:/|&\-–]*\s*[)\]}）】]")
_ENDS = " \t\r\n,;:/|&-–—"
_OPEN, _CLOSED = "([{（【", ")]}）】"
# neither 'and/or' nor '2,4-dienoyl', nor a comma before a blank ('Alport syndrome, X-linked')
_SEPARATOR = re.compile(
    r"(?<!\band)(?<!\bwith)(?<!\bor)/|[;；、]|(?<!\d)[,，](?=\S)|[,，](?=[^\s\d])"
)
_COMMA = re.compile(r"[,，]\s")
_ABBREVIATION = re.compile(
    r"[A-Z0-9][A-Z0-9a-z\-]{0,3}[A-Z0-9\-]{1,5}(?: (?:\d+[A-Za-z]?|[IVX]+))?"
)
_POSSESSIVE = re.compile(r"['’`´]s\b", re.IGNORECASE)
# words that an abbreviation may pass over
_SMALL = {
    *("of", "the", "and", "in", "to", "with", "due", "by", "for", "type"),
    *("de", "del", "la", "el", "los", "las", "y", "en", "por", "tipo"),
}
_CLASS = {"syndrome", "disease", "disorder", "sindrome", "enfermedad", "trastorno"}
_MARK = re.compile(r"\d+[a-z]?|[ivx]+|[a-z]")
_AT_THE_END = re.compile(r"[(\[（【]([^()\[\]（）【】]*)[)\]）】]$")
# a number of a catalogue, or an ICD-10 code and no band of a chromosome ('Q11.2'): a type or a year
# has fewer digits
_NUMBER = re.compile(r"[#*%+]?\d{5,8}|(?![PQ][0-4])[A-TV-Z]\d[0-9A-Z]\.[0-9A-Z]{1,4}")
# sex chromosomes, and a chromosome more or less: '45,X/46,XX', '47,XY,+21'
_KARYOTYPE = re.compile(
    r"(?:mos )?4[5-9]\s?,\s?[XYO]{1,5}(?:\s?,\s?[+\-]\d{1,2})?(?:\s?/\s?4[5-9]\s?,\s?[XYO]{1,5})*",
    re.IGNORECASE,
)
_SYNDROME = re.compile(r"\b(?:syndrome|s[ií]ndrome)\b", re.IGNORECASE)
# how sure somebody is, and by what method: neither is part of a name
_EVIDENCE = re.compile(
    r"(?:(?:\w+(?:ly|mente)|biopsy|autopsy|culture|pcr|lab|laboratory|gene|serology)[ \-])?"
    r"(?:confirm(?:ed|ad[oa])|prove[nd]|verified|suspected|probable|possible|presumed|likely"
    r"|demostrad[oa]|comprobad[oa]|sospecha(?:d[oa])?|posible|presunt[oa])"
    r"(?: (?:diagnosis|case|\w+(?:ly|mente)))?(?: (?:by|via|on|through|por|mediante)\s[^,;]+)?",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"(?:^|(?<=[\s,;]))\(?(\d{1,2})(?:\.-|[.)])\s*(?=[^\W\d_])")


def read_gold(written: Iterable[str], *, are_alternatives: bool = False) -> Gold:
    """Take apart what was written as one gold diagnosis.

    A name is split at '/', ';' and ',' where its parts repeat each other, give one name in two
    scripts or an abbreviation of it; 'are_alternatives' says that the format writes nothing else.
    Brackets at its end that do not change the disease are dropped (`without_additions`).
    """
    names: list[str] = []
    codes: list[str] = []
    icd10_codes: list[str] = []
    split = False
    for one in written:
        name, found, icd10 = without_codes(one)
        codes += found
        icd10_codes += icd10
        name = without_additions(name)
        parts = _parts(name, _SEPARATOR)
        is_split = len(parts) > 1 and (are_alternatives or _repeat(parts))
        if not is_split:
            parts = _parts(name, _COMMA)
            is_split = len(parts) > 1 and all(_is_again(part, parts[0]) for part in parts[1:])
        names += map(without_additions, parts) if is_split else [name]
        split |= is_split
    kept: dict[str, str] = {}
    for name in filter(_is_name, names):
        kept.setdefault(column_key(name), name)
    if len(kept) < 2 or not split:
        in_order = list(kept)
    else:
        words = [set(column_key(name).split("_")) for name in names]
        told = {one: _told_by_all(set(one.split("_")), words) for one in kept}
        in_order = sorted(kept, key=lambda one: (_foreignness(kept[one]), -told[one]))
    return Gold(
        [kept[name] for name in in_order],
        list(dict.fromkeys(codes)),
        list(dict.fromkeys(icd10_codes)),
    )


def _told_by_all(words: set[str], names: list[set[str]]) -> float:
    """The share of a name's words that the others have too, 0 to 1, on average over them."""
    return sum(len(words & other) for other in names) / (len(words) * len(names))


def read_codes(written: Iterable[str]) -> tuple[list[str], list[str]]:
    """Codes from a column of codes: ids as the vocabularies write them (what is none stays as it
    is), and ICD-10 codes."""
    codes: list[str] = []
    icd10_codes: list[str] = []
    for one in written:
        if _ID.fullmatch(one):
            codes.append(one)
            continue
        if _ICD10.fullmatch(one):
            icd10_codes.append(one.upper())
            continue
        rest, found, icd10 = without_codes(one)
        icd10_codes += icd10
        codes += [one] if rest else found
    return codes, icd10_codes


def is_no_gold(written: str) -> bool:
    """Whether a gold diagnosis says that there is none: 'N/A', '-', 'sin diagnóstico'."""
    return column_key(written) in NO_GOLD


def is_bare_code(written: str) -> bool:
    """Whether a gold diagnosis is a number or a code that may be of several vocabularies."""
    return _BARE_CODE.fullmatch(written) is not None


def of_vocabulary(column: str, written: str) -> str:
    """What a column holds, a bare number with the vocabulary that the name of the column says:
    154700 of a column 'omim' is OMIM:154700."""
    prefix, n_digits = next(
        (_OF_COLUMN[word] for word in column_key(column).split("_") if word in _OF_COLUMN), ("", 0)
    )
    number = written.strip().lstrip("#*%+")
    if not prefix or not number.isdecimal():
        return written
    return f"{prefix}:{number.zfill(n_digits)}"


def without_codes(written: str) -> tuple[str, list[str], list[str]]:
    """The name without the codes in it, ids, ICD-10 codes."""
    if bare_code := _BARE_ICD10.fullmatch(written):
        return "", [], [bare_code[1].upper()]
    codes: list[str] = []
    icd10_codes: list[str] = []
    for match in _CODES.finditer(written):
        # one group per vocabulary, and only that of its own is filled
        for (_, prefix, _), one_code, listed in zip(
            VOCABULARIES, _ONE_CODE, match.groups(), strict=True
        ):
            for code in one_code.findall(listed or ""):
                if prefix:
                    codes.append(f"{prefix}:{code}")
                else:
                    icd10_codes.append(code.upper())
    if not codes and not icd10_codes:
        return written, [], []
    name = _EMPTY_BRACKETS.sub(" ", _CODES.sub(" ", written))
    return " ".join(name.split()).strip(_ENDS), codes, icd10_codes


def without_additions(name: str) -> str:
    """The name without brackets at its end that hold its abbreviation, a catalogue's number, the
    karyotype of a syndrome, or how sure the diagnosis is; any other bracket may change it."""
    while found := _AT_THE_END.search(name):
        before, inside = name[: found.start()].rstrip(_ENDS), found[1].strip()
        if not _is_name(before) or not (
            _NUMBER.fullmatch(inside)
            or _EVIDENCE.fullmatch(inside)
            or (_KARYOTYPE.fullmatch(inside) and _SYNDROME.search(before))
            or _is_initials(inside, before)
        ):
            break
        name = before
    return name


def numbered(written: str) -> list[str]:
    """The diagnoses of '1. Marfan syndrome 2. Gout', none of what is no such list."""
    found = list(_NUMBERED.finditer(written))
    if len(found) < 2 or written[: found[0].start()].strip():
        return []
    if [int(one[1]) for one in found] != list(range(1, len(found) + 1)):
        return []
    ends = [*(one.start() for one in found[1:]), len(written)]
    return [
        written[one.end() : end].strip(_ENDS + ".") for one, end in zip(found, ends, strict=True)
    ]


def _parts(name: str, separator: re.Pattern[str]) -> list[str]:
    """A name at its slashes, semicolons and commas without a blank, none of them in brackets, or at
    its commas with one.

    'Alport syndrome, X-linked' and '2,4-dienoyl-CoA reductase deficiency' are one part.
    """
    parts, depth, begin = [], 0, 0
    for place, letter in enumerate(name):
        if letter in _OPEN:
            depth += 1
        elif letter in _CLOSED:
            depth = max(depth - 1, 0)
        elif depth:
            continue
        elif separator.match(name, place):
            parts.append(name[begin:place])
            begin = place + 1
    return [part.strip() for part in [*parts, name[begin:]] if part.strip()]


def _repeat(parts: list[str]) -> bool:
    """Do the parts of a name say the same disease more than once?"""
    if len(parts) < 2:
        return False
    folded = [column_key(part) for part in parts]
    if len(set(folded)) < len(folded):
        return True
    scripts = {_foreignness(part) > 0 for part in parts}
    return len(scripts) == 2 or all(_abbreviates(part, parts[0]) for part in parts[1:])


def _abbreviates(short: str, name: str) -> bool:
    """'PWS' and 'Prader-Willi syndrome': capitals, all of them in the name and in its order."""
    letters = iter(name.upper())
    return _ABBREVIATION.fullmatch(short) is not None and all(
        letter in letters for letter in short if letter.isalnum()
    )


def _is_again(part: str, name: str) -> bool:
    """Is a part the name once more, with or without its 's, or made of its initials?"""
    plain = [column_key(_POSSESSIVE.sub("", without_additions(one))) for one in (part, name)]
    return plain[0] == plain[1] or _is_initials(part, name)


def _is_initials(short: str, name: str) -> bool:
    """'MFS' and 'Marfan syndrome', 'CMT' and 'Charcot-Marie-Tooth disease': a letter of each word,
    in their order, or at least three initials in any ('PWS' and 'síndrome de Prader-Willi').

    Between two initials may stand letters of the first one's word, behind the last none: 'LES' is
    not 'lupus erythematosus'. A word alone has no initials: 'LMA' is in 'leukemia' and says more.
    """
    if not _ABBREVIATION.fullmatch(short):
        return False
    letters = column_key(short).replace("_", "")
    words = column_key(_POSSESSIVE.sub("", name)).split("_")
    telling = [word for word in words if word not in _SMALL]
    special = [word for word in telling if word not in _CLASS]
    unnumbered = [word for word in special if not _MARK.fullmatch(word)]
    return any(
        len(some) > 1 and _spells(letters, words, some) for some in (telling, special, unnumbered)
    ) or (
        len(unnumbered) > 1
        and len(letters) > 2
        and Counter(one[0] for one in unnumbered)
        <= Counter(letters)
        <= Counter(one[0] for one in words)
    )


def _spells(letters: str, words: list[str], telling: list[str]) -> bool:
    """Do the letters abbreviate the telling words, each of them, and perhaps small ones between?"""
    read = {0}  # how many letters can have been read so far
    for word in words:
        begun = {place + 1 for place in read if letters[place : place + 1] == word[0]}
        if word in _SMALL:
            read |= begun
        elif word in telling and _MARK.fullmatch(word):
            read = {place + len(word) for place in read if letters.startswith(word, place)}
        elif word in telling:
            read = begun
            for letter in "" if word == telling[-1] else word[1:]:
                read |= {place + 1 for place in read if letters[place : place + 1] == letter}
    return len(letters) in read


def _is_name(name: str) -> bool:
    """At least two letters, or one that is a word by itself (Chinese)."""
    letters = [letter for letter in name if letter.isalpha()]
    return len(letters) > 1 or any(_is_foreign(letter) for letter in letters)


def _foreignness(name: str) -> int:
    """0: letters are Latin; 1: some are; 2: none is."""
    foreign = [_is_foreign(letter) for letter in name if letter.isalpha()]
    return 0 if not any(foreign) else 2 if all(foreign) else 1


def _is_foreign(letter: str) -> bool:
    # one Greek letter is part of a name (β-thalassemia), as the full-width forms are
    return not unicodedata.name(letter, "").startswith(("LATIN", "GREEK", "FULLWIDTH LATIN"))
