"""Gold diagnoses as people write them: names, codes inside names, alternatives of one disease."""

import html
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from python_llm import seeds
from python_llm.imports.headings import words_of
from python_llm.imports.markup_tables import without_note_marks
from python_llm.parsing.folding import column_key


class Gold(NamedTuple):
    """Names and codes of one gold diagnosis, each once (docs/specification.md#gold-diagnosis). The
    name with most words in common comes first ('Brugada syndrome' before 'Brugada syndrome 2'),
    names in foreign scripts come last.

    A code is an id as its vocabulary writes it (ORPHA:110, OMIM:154700, MONDO:0001234) or, in
    `icd10_codes`, a bare ICD-10 code (G71.2).
    """

    names: list[str]
    codes: list[str]
    icd10_codes: list[str]


# How people write the vocabulary, its own prefix (none for ICD-10), the pattern of its codes.
VOCABULARIES = (
    (r"(?:ORPHA(?:NET|CODE)?|ORDO)", "ORPHA", r"\d{1,6}"),
    (r"O?MIM", "OMIM", r"\d{3} ?\d{3}"),
    (r"MONDO", "MONDO", r"\d{1,7}"),
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
# the page of a disease, and the mark that OMIM sets before its numbers: what each stands for
_PAGES = (
    (r"omim\.org/(?:entry|mim)/[#*%+]?(\d{6})[^\s()\[\],;]*", "OMIM"),
    (r"identifiers\.org/(?:o?mim)[:/](\d{6})", "OMIM"),
    (r"orpha\.net/\S{0,80}?(?:orphanet_|orpha:|detail/|expert=)(\d{1,6})[^\s()\[\],;]*", "ORPHA"),
    (r"(?<![\w.])[\w.]{1,60}\.(?:org|eu|io)/\S{0,80}?mondo[_:](\d{7})", "MONDO"),
)
_PAGE = [
    (re.compile(rf"(?:https?://)?(?:www\.)?{page}", re.IGNORECASE), prefix)
    for page, prefix in _PAGES
]
_MARKED_NUMBER = re.compile(r"\s*[#*%+]\s?(\d{6})\s*")
# an ICD-10 code with the letter that ICD-10-GM sets behind it: 'E84.9 G'
_LETTERED_CODE = re.compile(
    r"\s*([A-TV-Z]\s?\d[0-9A-Z](?:\.[0-9A-Z-]{0,4})?)\s?[+*!†]?\s+([GVAZ])\s*", re.IGNORECASE
)
_ONE_CODE = [re.compile(code, re.IGNORECASE) for _, _, code in VOCABULARIES]
_ICD10 = _ONE_CODE[-1]
# certainly an ICD-10 code; without a point it may be an abbreviation (T21, B12)
_BARE_ICD10 = re.compile(r"\s*([A-TV-Z]\d[0-9A-Z]\.[0-9A-Z]{1,4})\s*", re.IGNORECASE)
_UNDOTTED_ICD10 = re.compile(r"\s*([A-TV-Z]\d[0-9A-Z])([0-9A-Z]{1,4})\s*", re.IGNORECASE)
# a diagnosis somebody asks for: '? Gout', 'Gout?', '¿Gota?', 'V.a. Gicht', 'probable gota'
_DOUBT = (
    r"susp(?:ected|icion|icious|ect[ée]e?|icione)?|sospechad?[oa]?|sosp|query|presumed|presumptive"
    r"|presunt[oa]|presum[ií]vel|suspeita|prob(?:able|abile|ably)?|prov[aá]vel|poss(?:ible|ibly|ibile)?"
    r"|posible|poss[ií]vel|likely|verdacht|vermutlich|wahrscheinlich|fraglich|dudos[oa]|sospetto"
)
_DOUBTED = re.compile(
    r"\s*[(\[]?\s*(?:[?¿？]|疑似|可疑|疑诊|考虑|可能|v\.\s?a\b\.?|(?:r/o|(?:to )?rule out"
    rf"|(?:a |por )?descartar|d/c|ausschlu(?:ss|ß)|{_DOUBT})(?![\w-]))",
    re.IGNORECASE,
)
_DOUBTED_AT_END = re.compile(
    r"(?:[?？]|可能(?:性大)?|待排除?|待查)\s*[)\]）]?\s*$|"
    rf"[\s,(\[](?:a descartar|{_DOUBT})\.?\s*[)\]]?\s*$",
    re.IGNORECASE,
)
# how the parts of a clinician's judgement are told apart, the principal diagnosis first
_PARTS_OF_JUDGEMENT = re.compile(r"(?<=[^\W\d_]{4})[.]\s+|\s*[;\n+]\s*|\s/\s|\s?//\s?")
# a number or a code without its vocabulary
_BARE_CODE = re.compile(r"\s*[#*%+]?(?:\d+|[A-TV-Z]\d[0-9A-Z][0-9A-Z.]{0,5})\s*", re.IGNORECASE)
# a code before the name: '[G43.9] Migraine', 'G70.00 - Gout'; a chromosome band is none
_CODE_FIRST = re.compile(
    r"\s*(?:[\[(]\s*([A-TV-Z]\d[0-9A-Z](?:\.[0-9A-Z]{1,4})?)\s*[\])]\s*[:,;|–—-]?"
    r"|((?![PQ][0-4])[A-TV-Z]\d[0-9A-Z]\.[0-9A-Z]{1,4})(?:\s*[:,;|–—]|\s+-))\s*(?=[^\W\d_]{2})",
    re.IGNORECASE,
)
# or behind it: 'Migraine [G43.9]', 'Diabetic ketoacidosis (E10.1)'
_CODE_LAST = re.compile(
    r"(?<=\w)\s*[\[(]\s*((?![PQ][0-4])[A-TV-Z]\d[0-9A-Z]\.[0-9A-Z]{1,4})\s*[\])]\s*$"
)
# codes if ICD-10-CM has them: 'M10.9 Gout', 'M109: Gout', 'B54 - Malaria', 'Malaria [B54]'; in
# round brackets and before a blank, those without a point may be abbreviations (T21, S100)
_KNOWN_CODE_FIRST = re.compile(
    r"\s*(?![PQ][0-4]\d?\.)([A-TV-Z]\d[0-9A-Z](?:\.[0-9A-Z]{1,4}(?=\s)"
    r"|[0-9A-Z]{0,4}(?=\s*[:|]|\s+[–—-]\s)))\s*[:|–—-]?\s*(?=[^\W\d_]{2})"
)
_KNOWN_CODE_LAST = re.compile(r"(?<=\w)\s*\[\s*([A-TV-Z]\d[0-9A-Z])\s*\]\s*$")
# what points to another row, and what names no disease
_OTHER_ROW = words_of(
    "see_above see_below same same_as_above as_above idem ditto id_anterior"
    " ver_arriba ver_anterior mismo el_mismo lo_mismo igual siehe_oben s_o dito"
    " voir_ci_dessus vedi_sopra"
)
_NO_DISEASE = words_of(
    "other others other_diagnosis healthy healthy_control control normal no_disease"
    " no_finding no_findings no_abnormality otro otra otros otras otro_diagnostico"
    " sano sana normalidad sin_hallazgos sonstige sonstiges andere gesund autre autres"
    " sain saine altro sano_a outro outros"
)
# how people write that there is no gold diagnosis, folded; signs alone fold to the empty text. No
# abbreviation that a disease has, too (ND of Norrie disease, NS of the nephrotic syndrome)
NO_GOLD = {"", *["否", "无", "無", "未知", "不详", "没有"]} | words_of(
    "na n_a nan nil none null unknown not_known not_available not_given not_stated not_provided"
    " not_specified unspecified not_recorded not_reported not_documented not_applicable"
    " not_determined no_data no_information no_diagnosis without_diagnosis undiagnosed"
    " not_diagnosed unknown_diagnosis missing pending tbd tba to_be_determined to_be_confirmed"
    " blank empty"
    " desconocido desconocida se_desconoce sin_diagnostico ninguno ninguna ningun_diagnostico"
    " sin_diagnosticar diagnostico_desconocido no_consta pendiente sin_dato sin_datos"
    " sin_informacion sin_especificar s_d no_disponible n_d no_aplica no_procede no_informado"
    " no_informada no_indicado no_registrado no_recogido no_especificado no_especificada"
    " no_conocido no_conocida nc n_c ns_nc"
    " unbekannt nicht_bekannt keine_angabe keine_angaben keine keine_diagnose k_a o_a ohne_angabe"
    " ohne_angaben ohne_diagnose nicht_angegeben nicht_verfugbar nicht_vorhanden nicht_zutreffend"
    " nicht_dokumentiert nicht_anwendbar entfallt fehlt fehlend ausstehend unklar"
    " inconnu inconnue non_connu non_connue non_renseigne non_renseignee non_communique"
    " non_communiquee non_precise non_precisee non_specifie non_specifiee non_indique"
    " non_disponible non_applicable non_determine non_determinee sans_objet sans_diagnostic"
    " pas_de_diagnostic aucun aucune aucun_diagnostic en_attente manquant manquante n_r"
    " sconosciuto sconosciuta non_noto non_nota ignoto ignota non_indicato non_indicata"
    " non_specificato non_specificata non_riportato non_riportata non_disponibile"
    " non_applicabile non_pervenuto nessuno nessuna nessuna_diagnosi senza_diagnosi mancante"
    " in_attesa"
    " desconhecido desconhecida nao_informado nao_informada nao_se_aplica nao_aplicavel"
    " nao_disponivel nao_consta nao_especificado nao_especificada nao_registrado nao_conhecido"
    " nao_preenchido sem_diagnostico sem_informacao sem_dados nenhum nenhuma ignorado n_i"
    " pendente"
    " onbekend niet_bekend niet_van_toepassing nvt n_v_t geen geen_diagnose geen_gegevens"
    " niet_ingevuld niet_opgegeven niet_vermeld niet_beschikbaar niet_gespecificeerd ontbreekt"
)
_DENIED = re.compile(
    r"\s*(?:no|not|without|sin|kein(?:e|en)?|pas de|(?:se )?descarta(?:d[oa]s?)?|ruled out"
    r"|negative for)\s",
    re.IGNORECASE,
)
_DENIED_AT_END = re.compile(
    r"(?:[,;:–—-]|\s)\s*[(\[]?(?:(?:was |is )?(?:ruled out|excluded|not confirmed)|descartad[oa]"
    r"|excluid[oa]|ausgeschlossen|[eé]cart[eé]e?|esclus[oa])[)\]]?[.\s]*$",
    re.IGNORECASE,
)
_OF_FAMILY = re.compile(
    r"\s*(?:family (?:history|hx)|f\.?hx?\b|(?:ant(?:ecedentes?|\.)?|historia) familiar(?:es)?|"
    r"familienanamnese|ant[eé]c[eé]dents? familia(?:l|ux)|anamnesi familiare)\b",
    re.IGNORECASE,
)
# '#NV', '#¡REF!', '#N/A': what a spreadsheet writes for a formula without a result
_ERROR_OF_SHEET = re.compile(r"\s*#[¡A-ZÁÉÍÓÚÑÄÖÜ/]+(?:/?0)?[!?]?\s*")
_TRUTH = {"true", "false", "wahr", "falsch", "verdadero", "falso", "vrai", "faux", "yes", "si"}
_TAG = re.compile(r"</?[a-z][a-z0-9]{0,9}(?:\s[^<>]*)?/?>", re.IGNORECASE)
_OBJECT = re.compile(r"\s*(?:\{|\[\s*(?:[\[{]|\d+\s*,))")
_VERSUS = re.compile(r"\s(?:vs\.?|versus)\s", re.IGNORECASE)
# columns whose name is the vocabulary of the bare numbers in them, and how many digits these have
_OF_COLUMN = {"omim": ("OMIM", 6), "mim": ("OMIM", 6), "mondo": ("MONDO", 7)} | dict.fromkeys(
    ("orpha", "orphanet", "orphacode"), ("ORPHA", 0)
)
_N_DIGITS = {"OMIM": 6, "MONDO": 7}
_EXAMPLES = {"OMIM": "154700", "MONDO": "0007947", "ORPHA": "558"}
# already as its vocabulary writes it
_ID = re.compile(r"(?!(?:MIM|ORDO|ORPHANET|ORPHACODE):|MONDO:\d{1,6}$)[A-Z]+:\d[\d.]*")
_EMPTY_BRACKETS = re.compile(r"[(\[{（【]\s*[,;:/|&\-–]*\s*[)\]}）】]")
_ENDS = " \t\r\n,;:/|&-–—"
_OPEN, _CLOSED = "([{（【", ")]}）】"
# not in 'and/or' or '2,4-dienoyl', and no comma before a blank ('Alport syndrome, X-linked')
_SEPARATOR = re.compile(
    r"(?<!\band)(?<!\bwith)(?<!\bor)/|[;；、]|(?<!\d)[,，](?=\S)|[,，](?=[^\s\d])"
)
_COMMA = re.compile(r"[,，]\s")
_ABBREVIATION = re.compile(
    r"[A-Z0-9][A-Z0-9a-z\-]{0,3}[A-Z0-9\-]{1,5}(?: (?:\d+[A-Za-z]?|[IVX]+))?"
)
_POSSESSIVE = re.compile(r"['’`´]s\b", re.IGNORECASE)
# words that an abbreviation may skip
_SMALL = {
    *("of", "the", "and", "in", "to", "with", "due", "by", "for", "type"),
    *("de", "del", "la", "el", "los", "las", "y", "en", "por", "tipo"),
}
_CLASS = {"syndrome", "disease", "disorder", "sindrome", "enfermedad", "trastorno"}
_MARK = re.compile(r"\d+[a-z]?|[ivx]+|[a-z]")
_AT_THE_END = re.compile(r"[(\[（【]([^()\[\]（）【】]*)[)\]）】]$")
# a catalogue number, or an ICD-10 code that is not a chromosome band ('Q11.2'); types and years
# have fewer digits
_NUMBER = re.compile(r"[#*%+]?\d{5,8}|(?![PQ][0-4])[A-TV-Z]\d[0-9A-Z]\.[0-9A-Z]{1,4}")
# sex chromosomes, and an additional or missing chromosome: '45,X/46,XX', '47,XY,+21'
_KARYOTYPE = re.compile(
    r"(?:mos )?4[5-9]\s?,\s?[XYO]{1,5}(?:\s?,\s?[+\-]\d{1,2})?(?:\s?/\s?4[5-9]\s?,\s?[XYO]{1,5})*",
    re.IGNORECASE,
)
_SYNDROME = re.compile(r"\b(?:syndrome|s[ií]ndrome)\b", re.IGNORECASE)
# how certain a diagnosis is, and by which method; not part of a name
_EVIDENCE = re.compile(
    r"(?:(?:\w+(?:ly|mente)|biopsy|autopsy|culture|pcr|lab|laboratory|gene|serology)[ \-])?"
    r"(?:confirm(?:ed|ad[oa])|prove[nd]|verified|suspected|probable|possible|presumed|likely"
    r"|demostrad[oa]|comprobad[oa]|sospecha(?:d[oa])?|posible|presunt[oa])"
    r"(?: (?:diagnosis|case|\w+(?:ly|mente)))?(?: (?:by|via|on|through|por|mediante)\s[^,;]+)?",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"(?:^|(?<=[\s,;]))\(?(\d{1,2})(?:\.-|[.)])\s*(?=[^\W\d_])")


def read_gold(written: Iterable[str], *, are_alternatives: bool = False) -> Gold:
    """The names and codes in what was written as one gold diagnosis.

    A name is split at '/', ';' and ',' if its parts repeat each other, give one name in two scripts
    or an abbreviation of it; with `are_alternatives`, because the format separates only alternative
    names. Brackets at its end that do not change the disease are dropped (`without_additions`).
    """
    names: list[str] = []
    codes: list[str] = []
    icd10_codes: list[str] = []
    split = False
    for text in written:
        # of a page: '<b>Crohn&#39;s disease</b>'
        name, ids, icd10 = without_codes(
            html.unescape(_TAG.sub(" ", without_note_marks(text))).strip()
        )
        codes += ids
        icd10_codes += icd10
        name = without_additions(name)
        parts = _parts(name, _SEPARATOR)
        is_split = len(parts) > 1 and (are_alternatives or _repeat(parts))
        if not is_split:
            parts = _parts(name, _COMMA)
            is_split = len(parts) > 1 and all(_repeats(part, parts[0]) for part in parts[1:])
        names += map(without_additions, parts) if is_split else [name]
        split |= is_split
    kept: dict[str, str] = {}
    for name in filter(_is_name, names):
        kept.setdefault(column_key(name), name)
    if len(kept) < 2 or not split:
        in_order = list(kept)
    else:
        words = [set(column_key(name).split("_")) for name in names]
        common = {key: _share_in_all(set(key.split("_")), words) for key in kept}
        in_order = sorted(kept, key=lambda key: (_foreignness(kept[key]), -common[key]))
    return Gold(
        [kept[name] for name in in_order],
        list(dict.fromkeys(codes)),
        list(dict.fromkeys(icd10_codes)),
    )


def _share_in_all(words: set[str], names: list[set[str]]) -> float:
    """The share of these words that the other names contain, 0 to 1, averaged over the names."""
    return sum(len(words & other) for other in names) / (len(words) * len(names))


def read_codes(written: Iterable[str]) -> tuple[list[str], list[str]]:
    """Codes from a column of codes: ids as their vocabularies write them (other texts unchanged),
    and ICD-10 codes."""
    codes: list[str] = []
    icd10_codes: list[str] = []
    for text in map(_plain_id, written):
        if _ID.fullmatch(text):
            codes.append(text)
            continue
        if _ICD10.fullmatch(text):
            icd10_codes.append(_with_point(text) or text.upper())
            continue
        rest, ids, icd10 = without_codes(text)
        icd10_codes += icd10
        codes += [text] if rest else ids
    return codes, icd10_codes


def _plain_id(written: str) -> str:
    """A text with the pages of diseases in it as ids ('omim.org/entry/154700' is OMIM:154700), and
    a number with the mark of OMIM ('#154700'), too."""
    for page, prefix in _PAGE:
        written = page.sub(rf"{prefix}:\1", written)
    marked = _MARKED_NUMBER.fullmatch(written)
    return f"OMIM:{marked[1]}" if marked else written


def lettered_code(written: str) -> tuple[str, str] | None:
    """An ICD-10 code and the letter of ICD-10-GM behind it, which says how certain the diagnosis
    is: 'E84.9 G' is E84.9 and 'g'; None for any other text."""
    code = _LETTERED_CODE.fullmatch(written)
    return (code[1].upper(), code[2].lower()) if code else None


def problem_of(written: str) -> str | None:
    """Why a text of a column of gold names is no gold diagnosis, with the remedy; None if it may be
    one."""
    if _ERROR_OF_SHEET.fullmatch(written):
        return "an error of a spreadsheet and no name: correct the formula, or leave it empty"
    if _DOUBTED.match(written) or _DOUBTED_AT_END.search(written):
        return (
            "a diagnosis in doubt: write it without the question mark or the word of doubt if it "
            "is certain, or leave it empty"
        )
    if _DENIED.match(written):
        return "a diagnosis that is denied: write the one that was made, or leave it empty"
    if _DENIED_AT_END.search(written):
        return "a diagnosis that is denied: write the one that was made, or leave it empty"
    if _OF_FAMILY.match(written):
        return "a disease of the family: write the patient's own diagnosis, or leave it empty"
    if column_key(written) in _TRUTH:
        return "a truth value and no name: write the diagnosis itself, or leave it empty"
    if _VERSUS.search(written):
        return "two diagnoses between which nobody decided: write one, or leave it empty"
    if column_key(written) in _OTHER_ROW:
        return "what points to another row: write the diagnosis itself, or leave it empty"
    if column_key(written) in _NO_DISEASE:
        return "a text that names no disease: write the diagnosis that was made, or leave it empty"
    if _OBJECT.match(written):
        return "an object and no name: give its name and its code a column each"
    return None


def problem_of_judgement(written: str) -> str | None:
    """The same of a clinician's judgement, which may hold several diagnoses and denials: what
    counts is the first diagnosis that is not denied."""
    parts = [part for part in _PARTS_OF_JUDGEMENT.split(written) if part.strip()]
    principal = next((part for part in parts if not _DENIED.match(part)), written)
    return problem_of(principal)


def problem_of_code(column: str, written: str) -> str | None:
    """Why a text is not a valid code of its column's vocabulary, such as 'abc' in 'orpha'."""
    prefix = _vocabulary_of(column)[0]
    if not prefix or _ID.fullmatch(written) or any(read_codes([written])[1]):
        return None
    rest, ids, _ = without_codes(written)
    if ids and not rest:
        return None
    return f"no code of {prefix}: write the number, as in {prefix}:{_EXAMPLES[prefix]}"


def is_no_gold(written: str) -> bool:
    """Whether a text states that there is no gold diagnosis: 'N/A', '-', 'sin diagnóstico'."""
    return column_key(written) in NO_GOLD


def is_bare_code(written: str) -> bool:
    """Whether a gold diagnosis is a number or code that several vocabularies could contain."""
    return _BARE_CODE.fullmatch(written) is not None


def with_vocabulary(column: str, written: str) -> str:
    """The text of a column, with the vocabulary that the column's name implies before a bare
    number: 154700 in a column 'omim' is OMIM:154700."""
    prefix, n_digits = _vocabulary_of(column)
    # a spreadsheet makes 586 a number, and 586.0 of it
    number = re.sub(r"\.0+$", "", written.strip().lstrip("#*%+"))
    if not prefix or not number.isdecimal():
        return written
    return f"{prefix}:{number.zfill(n_digits)}"


def _vocabulary_of(column: str) -> tuple[str, int]:
    words = column_key(column).split("_")
    return next((_OF_COLUMN[word] for word in words if word in _OF_COLUMN), ("", 0))


@lru_cache(maxsize=1)
def _icd10_codes() -> frozenset[str]:
    """The codes of ICD-10-CM; read only when somebody writes one without its point."""
    names = ("icd10cm_code", "icd10cm_extension_code")
    return frozenset(
        row["code"]
        for name in names
        for row in seeds.read(f"seeds/terminology/{name}.csv", ["code"])
    )


def _with_point(written: str) -> str | None:
    """E75.2 for E752 where ICD-10-CM has it; an abbreviation such as H1N1 stays what it is."""
    if not (code := _UNDOTTED_ICD10.fullmatch(written)):
        return None
    dotted = f"{code[1]}.{code[2]}".upper()
    return dotted if dotted in _icd10_codes() else None


def _known_code(code: re.Match[str]) -> str | None:
    """A code that is one only because ICD-10-CM has it, with its point."""
    written = code[1].upper()
    return written if written in _icd10_codes() else _with_point(written)


def without_codes(written: str) -> tuple[str, list[str], list[str]]:
    """The name without its codes, the ids, and the ICD-10 codes."""
    written = _plain_id(written)
    if bare_code := _BARE_ICD10.fullmatch(written):
        return "", [], [bare_code[1].upper()]
    if dotted := _with_point(written):
        return "", [], [dotted]
    codes: list[str] = []
    icd10_codes: list[str] = []
    if before := _CODE_FIRST.match(written):
        icd10_codes.append((before[1] or before[2]).upper())
        written = written[before.end() :]
    elif (before := _KNOWN_CODE_FIRST.match(written)) and (known := _known_code(before)):
        icd10_codes.append(known)
        written = written[before.end() :]
    if behind := _CODE_LAST.search(written):
        icd10_codes.append(behind[1].upper())
        written = written[: behind.start()]
    elif (behind := _KNOWN_CODE_LAST.search(written)) and (known := _known_code(behind)):
        icd10_codes.append(known)
        written = written[: behind.start()]
    for match in _CODES.finditer(written):
        # one group per vocabulary, and only that of its own is filled
        for (_, prefix, _), one_code, listed in zip(
            VOCABULARIES, _ONE_CODE, match.groups(), strict=True
        ):
            for code in one_code.findall(listed or ""):
                if prefix:
                    digits = code.replace(" ", "").zfill(_N_DIGITS.get(prefix, 0))
                    codes.append(f"{prefix}:{digits}")
                else:
                    icd10_codes.append(code.upper())
    if not codes and not icd10_codes:
        return written, [], []
    name = _EMPTY_BRACKETS.sub(" ", _CODES.sub(" ", written))
    return " ".join(name.split()).strip(_ENDS), codes, icd10_codes


def without_additions(name: str) -> str:
    """The name without brackets at its end that contain its abbreviation, a catalogue number, the
    karyotype of a syndrome or the certainty of the diagnosis; any other bracket may change the
    disease."""
    while bracket := _AT_THE_END.search(name):
        before, inside = name[: bracket.start()].rstrip(_ENDS), bracket[1].strip()
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
    """The diagnoses of a list such as '1. Marfan syndrome 2. Gout'; empty for any other text."""
    numbers = list(_NUMBERED.finditer(written))
    if len(numbers) < 2 or written[: numbers[0].start()].strip():
        return []
    if [int(number[1]) for number in numbers] != list(range(1, len(numbers) + 1)):
        return []
    ends = [*(number.start() for number in numbers[1:]), len(written)]
    return [
        written[number.end() : end].strip(_ENDS + ".")
        for number, end in zip(numbers, ends, strict=True)
    ]


def _parts(name: str, separator: re.Pattern[str]) -> list[str]:
    """The parts of a name between separators outside brackets.

    'Alport syndrome, X-linked' and '2,4-dienoyl-CoA reductase deficiency' are one part for
    _SEPARATOR; _COMMA also splits at a comma before a blank.
    """
    parts, depth, begin = [], 0, 0
    for position, letter in enumerate(name):
        if letter in _OPEN:
            depth += 1
        elif letter in _CLOSED:
            depth = max(depth - 1, 0)
        elif depth:
            continue
        elif separator.match(name, position):
            parts.append(name[begin:position])
            begin = position + 1
    return [part.strip() for part in [*parts, name[begin:]] if part.strip()]


def _repeat(parts: list[str]) -> bool:
    """Whether the parts of a name repeat the same disease."""
    if len(parts) < 2:
        return False
    folded = [column_key(part) for part in parts]
    if len(set(folded)) < len(folded):
        return True
    scripts = {_foreignness(part) > 0 for part in parts}
    return len(scripts) == 2 or all(_abbreviates(part, parts[0]) for part in parts[1:])


def _abbreviates(short: str, name: str) -> bool:
    """Whether a text of capitals, such as 'PWS', occurs letter by letter in the order of a name."""
    letters = iter(name.upper())
    return _ABBREVIATION.fullmatch(short) is not None and all(
        letter in letters for letter in short if letter.isalnum()
    )


def _repeats(part: str, name: str) -> bool:
    """Whether a part repeats the name, with or without its 's, or consists of its initials."""
    plain = [column_key(_POSSESSIVE.sub("", without_additions(text))) for text in (part, name)]
    return plain[0] == plain[1] or _is_initials(part, name)


def _is_initials(short: str, name: str) -> bool:
    """Whether a text consists of a name's initials: one letter of each word in order ('MFS', 'CMT'
    of 'Charcot-Marie-Tooth disease'), or at least three in any order ('PWS' of 'síndrome de
    Prader-Willi').

    Letters of a word may follow its initial, except in the last word: 'LES' is not 'lupus
    erythematosus'. A single word has no initials: 'LMA' occurs in 'leukemia' but says more.
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
        and Counter(word[0] for word in unnumbered)
        <= Counter(letters)
        <= Counter(word[0] for word in words)
    )


def _spells(letters: str, words: list[str], telling: list[str]) -> bool:
    """Whether the letters abbreviate each telling word, and possibly function words between
    them."""
    read = {0}  # how many letters can have been read so far
    for word in words:
        begun = {position + 1 for position in read if letters[position : position + 1] == word[0]}
        if word in _SMALL:
            read |= begun
        elif word in telling and _MARK.fullmatch(word):
            read = {position + len(word) for position in read if letters.startswith(word, position)}
        elif word in telling:
            read = begun
            for letter in "" if word == telling[-1] else word[1:]:
                read |= {
                    position + 1 for position in read if letters[position : position + 1] == letter
                }
    return len(letters) in read


def _is_name(name: str) -> bool:
    """Whether a text has at least two letters, or one that is a word by itself (Chinese)."""
    letters = [letter for letter in name if letter.isalpha()]
    return len(letters) > 1 or any(_is_foreign(letter) for letter in letters)


def _foreignness(name: str) -> int:
    """0 if all letters are Latin, 1 if some are, 2 if none is."""
    foreign = [_is_foreign(letter) for letter in name if letter.isalpha()]
    return 0 if not any(foreign) else 2 if all(foreign) else 1


def _is_foreign(letter: str) -> bool:
    # Greek letters (β-thalassemia) and full-width forms belong to Latin names
    return not unicodedata.name(letter, "").startswith(("LATIN", "GREEK", "FULLWIDTH LATIN"))
