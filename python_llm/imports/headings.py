"""What a column of a clinical export is, by the words of its heading.

Hospitals head the same column in their own way: 'ENF. ACTUAL', 'Enfermedad actual', 'E. actual'.
A heading is of a kind if it has a word of each group of the kind, and besides only words that may
stand there and small ones: 'diagnostico_principal' is the gold diagnosis, 'diagnóstico diferencial'
nothing that is known. Spanish first; Catalan, Portuguese, French, German and Italian where the word
for it is one.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from python_llm.parsing.folding import column_key


def words_of(text: str) -> frozenset[str]:
    """The words of a list in one text."""
    return frozenset(text.split())


SMALL = words_of(
    "de del la el los las al a en y e o por the of at on for and do da dos das du des le les l d"
    " et und der die das im in bei zur zum di della dello dei alla il lo per i els amb"
)


class Kind(NamedTuple):
    """A kind of column: its field, groups of words of which one each must be there, words that may
    be there too."""

    field: str
    groups: tuple[frozenset[str], ...]
    beside: frozenset[str]


# words that say one thing, in the form of column_key
_GROUPS = {
    "number": "n no nr num nro numero number nummer id identificador identifier codigo cod code o"
    " identifiant identificativo",
    "case": "episodio epis episodi caso casos cas case fall falls registro urgencia sejour"
    " sample muestra study estudio participant participante teilnehmer",
    "episode": "episodio episodi fallnummer fallnr",
    "person": "nhc nhcu hc historia hist ha paciente pac patient patienten pacient expediente"
    " dossier ipp processo cartella sujeto subject cip cipa",
    "identity": "nhc nhcu dni nif nie nip nuhsa nuss nass cip cipa ipp pasaporte passport ssn mrn"
    " emrn medicalrecord patientennummer patientennr patnr patid pid",
    "file": "historia hist hc ha expediente dossier processo cartella akte akten",
    "pat": "pat patienten",
    "record": "record",
    "chart": "chart krankenakte",
    "surname": "apellidos apellido surname nachname cognome telefono telephone phone email correo"
    " direccion domicilio",
    "firstname": "nombre nom nome vorname name",
    "patient": "paciente patient pacient patienten pac",
    "anonymous": "anonimizado anonymous clinico urgencias",
    "clinical": "clinica clinico clinic clinical clinique medical diagnostica diagnostique"
    " medica medico",
    "diagnosis": "diagnostico diagnosticos diagnostic diagnostics diagnosis diagnose diagnosen"
    " diagnosi diag dx dg dco diagn",
    "icd": "cie cie10 cie10es cie10mc cie10cm icd icd10 icd10cm icd10gm cim cim10 cid cid10",
    "edition": "10 es cm gm mc",
    "code": "codigo codigos cod code codes codi codice kode schlussel",
    "codenumber": "n id",
    "main": "principal principale primario primary pral ppal main haupt 1 primer primera 1o 1a 1er"
    " 1ro 1st first",
    "last": "final finales finale definitivo definitiva definitif definitive confirmado confirmada"
    " real correcto gold estandar oro confirmed correct established reference adjudicated"
    " gesichert gesicherte endgultig endgultige confirme confirmee retenu",
    "discharge": "alta salida saida sortie entlassung entlassungs entlass dimissione discharge"
    " egreso hospital hospitalaria urgencias urgencia",
    "judgement": "juicio j jc jd judici juizo giudizio jui",
    "impression": "impresion imp impr impressio impressao impression orientacion orientacio od",
    "conclusion": "conclusion conclusions conclusiones conclusio conclusao conclusioni beurteilung",
    "description": "descripcion desc texto literal",
    "name": "nombre name texto",
    "complaint": "motivo motiu motif mot mc pc queixa vorstellungsgrund"
    " aufnahmegrund konsultationsgrund",
    "visit": "consulta cons consult ingr urg ingreso urgencias urgencia asistencia visita atencion"
    " principal consultation hospitalisation ricovero accesso admision admission admissao"
    " internamiento internacion entrada venue visite recours atendimento",
    "illness": "enfermedad enf e malaltia malattia doenca maladie historia hist h ha proceso storia"
    " histoire anamnesis anamnese anamnesi cuadro",
    "now": "actual act atual attuale actuelle aktuelle presente present actuel",
    "course": "histoire historia storia evolucion evolution",
    "disease": "maladie enfermedad malattia malaltia doenca enf",
    "anamnesis": "anamnesis anamnese anamnesi hea ea hpi hda hdm hma",
    "past": "antecedentes antecedente antec ant aapp ap antecedents antecedenti atcd atcds"
    " vorgeschichte"
    " vorerkrankungen",
    "own": "personales pers personals pessoais personnels medicos medicaux patologicos interes per"
    " personal remota patologici medics medicales",
    "near": "prossima",
    "remote": "remota patologica",
    "tests": "pruebas prueba ppcc pp proves provas exames examens esami exploraciones tests"
    " zusatzbefunde laborbefunde labor laboratorio laboratoire analitica analisis",
    "done": "cc diagnosticas realizadas",
    "complementary": "complementaria complementarias complementario complementarios compl comp"
    " complementaries complementares complementaires complementari complementary",
    "examination": "exploracion expl explo exp exploracio exame examen esame untersuchung befund"
    " untersuchungsbefund ef examination exam",
    "physical": "fisica fis fisico general gral physical physique korperliche korperlicher"
    " koerperliche obiettivo obj",
    "sex": "sexo sex genero gender sexe geschlecht geschl sesso genere",
    "biological": "biologico",
    "age": "edad idade age alter eta edat",
    "years": "anos ano years year yrs yr annees ans anys jahre jahren anni ingreso urgencias"
    " consulta",
    "text": "texto text texte testo informe nota notas relato relatorio descripcion resumen"
    " vignette fallbeschreibung fallvignette kasuistik krankengeschichte epikrise arztbrief"
    " observation descrizione",
    "summary": "description summary presentation picture",
    "free": "free libre livre libero caso case fall completo ingreso evolucion",
}
# field: groups of which a word must be there [+ groups of which words may be]; of the kinds of a
# field an earlier one takes precedence
_KINDS = """
gold_names: diagnosis last + main discharge clinical
gold_names: diagnosis discharge + main clinical
gold_names: diagnosis main + clinical description
gold_names: description icd + main edition
gold_names: diagnosis + clinical name description
gold_names: judgement + diagnosis clinical main discharge
gold_names: impression + diagnosis clinical main
gold_names: conclusion + diagnosis clinical discharge
icd10_code: icd + code codenumber diagnosis main last discharge edition
icd10_code: code diagnosis + main last discharge
reason: complaint + visit
history: illness now
history: course disease
history: anamnesis near + remote
history: anamnesis + clinical now
background: past + clinical own
background: anamnesis remote
complementary: tests + complementary done
complementary: examination complementary + tests
examination: examination + clinical physical
sex: sex + biological patient
age: age + years patient
record_id: number case + anonymous
record_id: episode + anonymous
record_id: number person + clinical anonymous
narrative: text + clinical discharge free patient
narrative: clinical summary
"""
# record numbers, identity cards and the like: whoever has one has the person
_OF_PERSONS = """
person: identity + number patient clinical
person: number file + clinical person
person: number pat
person: number record clinical + patient
person: number chart + patient
person: surname + main patient
person: firstname patient
person: firstname surname
"""
_SPANISH = words_of(
    "diagnostico diagnosticos diag dx dg dco cie cie10 cie10es 10 es codigo codigos cod"
    " principal primario pral ppal 1 final definitivo definitiva confirmado alta egreso"
    " urgencias urgencia hospitalaria juicio j jc jd clinico clinica diagnostica impresion imp"
    " impr orientacion od motivo mot mc consulta cons ingreso asistencia visita atencion"
    " enfermedad enf e historia hist h ha proceso anamnesis actual act cuadro hea ea exploracion"
    " expl exp ef fisica fis fisico descripcion desc texto literal medico"
)
WORDS = {name: words_of(words) for name, words in _GROUPS.items()}


def _read(lines: str) -> list[Kind]:
    kinds = []
    for line in lines.strip().splitlines():
        field, _, groups = line.partition(": ")
        needed, _, beside = groups.partition(" + ")
        kinds.append(
            Kind(
                field,
                tuple(WORDS[name] for name in needed.split()),
                frozenset().union(*(WORDS[name] for name in beside.split())),
            )
        )
    return kinds


KINDS = _read(_KINDS)
OF_PERSONS = _read(_OF_PERSONS)
_ALL = frozenset().union(*WORDS.values())
_SHORTEST = 3  # letters of a word that is told apart inside another
_LONGEST = 60  # letters of words written as one; more are no heading


@lru_cache(maxsize=4096)
def kind_of(heading: str) -> tuple[str, int] | None:
    """The field that a heading is of, and how many kinds of column take precedence over it; None
    for a heading that is of none."""
    words = _telling(heading)
    return next(
        ((kind.field, rank) for rank, kind in enumerate(KINDS) if _is_of(words, kind)), None
    )


@lru_cache(maxsize=4096)
def is_spanish(heading: str) -> bool:
    """Whether a heading has only words that stand in Spanish ones."""
    return all(word in _SPANISH for word in _telling(heading))


@lru_cache(maxsize=4096)
def is_of_person(heading: str) -> bool:
    """Whether a column holds what tells who somebody is: a record number, a name, a telephone."""
    words = _telling(heading)
    return any(_is_of(words, kind) for kind in OF_PERSONS)


class Headings:
    """Names that tell a header from other rows: some that are known, and all that are of a kind."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = list(names)
        self._known = set(self._names)

    def __contains__(self, name: Any) -> bool:
        return name in self._known or kind_of(str(name)) is not None

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def _is_of(words: tuple[str, ...], kind: Kind) -> bool:
    known = kind.beside.union(*kind.groups)
    return (
        bool(words)
        and all(word in known for word in words)
        and all(any(word in group for word in words) for group in kind.groups)
        and len(words) >= len(kind.groups)
    )


def _telling(heading: str) -> tuple[str, ...]:
    """The words of a heading without small ones, and those written as one ('motivoConsulta') taken
    apart. A small word that means something where it stands alone beside another ('E. actual')
    stays."""
    words: list[str] = []
    apart = column_key(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", heading))
    for word in filter(None, re.split(r"_|(?<=[a-z]{2})(?=\d)", apart)):
        is_several = word not in _ALL and 2 * _SHORTEST <= len(word) <= _LONGEST
        words += (is_several and _apart(word)) or [word]
    telling = [word for word in words if word not in SMALL]
    initial = words[:1] if words and len(words[0]) == 1 and words[0] in WORDS["illness"] else []
    return tuple(dict.fromkeys([*initial, *telling]))


def _apart(word: str) -> list[str] | None:
    """A word as words that are known, the longest first; None if it is not made of them."""
    if not word:
        return []
    for end in range(len(word), _SHORTEST - 1, -1):
        if word[:end] in _ALL and (rest := _apart(word[end:])) is not None:
            return [word[:end], *rest]
    return None
