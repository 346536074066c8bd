"""Where the commas of a denial stop listing what is denied, and which test a result is about.

"No fever, cough, rash" lists bare names. "No past history, chest pain" and "no fever, crushing
chest pain for 1 h" deny the first item alone: the next is the complaint.
"""

import re
from collections.abc import Collection, Iterator, Sequence

from python_llm.phenotyping.text import word_set

# Words that can follow "no" without being findings: history, allergies, drugs, habits, people.
_NO_FINDING = word_set(
    "pmh pmhx psh hx history comorbidities comorbidity comorbid ap app amc antecedentes "
    "allergies allergy nkda alergias alergia ram ramc "
    "meds medication medications medicines drugs medicacion medicamentos tratamiento farmacos "
    "tto smoker smoking smokes tobacco alcohol fumador fumadora fuma bebe tabaco toxicos "
    "travel contacts viajes contactos patologia "
    "familia familiar familiares acompanante acompanantes acompanamiento family companion carer "
    "interpreter interprete relatives cuidador cuidadora"
)
# Functions a patient lacks today ("sin fuerzas"); one of these does not open a list of findings.
_FUNCTIONS = word_set(
    "fuerzas fuerza expresion ganas apetito animo energia aliento conocimiento consciencia "
    "conciencia pulso habla voz aire sueno sensibilidad movimiento "
    "appetite energy strength expression breath pulse speech voice sensation movement sleep"
)
_FILLERS = word_set(
    "no nil sin without any known significant relevant past previous prior medical surgical drug "
    "regular recent sick ill of note interest personal personally a an the his her their el la los "
    "las su sus de del al con para habitos habituales habitual previos previas previo previa "
    "personales medicos medicas quirurgicos medicamentosas medicamentosa conocidas conocidos "
    "conocida conocido interes relevantes relevante patologicos patologica cronico cronica ni or "
    "and y e o foreign sharp vital facial en at home"
)
# Onset within hours, or a strong word: these describe a complaint, never an absent finding.
_COUNT = r"(?:\d+(?: [.,] \d+)?|an?|one|two|three|four|five|six|una?|dos|tres|cuatro|cinco|seis)"
_HOURS = r"(?:h|hs|hrs?|hours?|min|mins|minutes?|horas?|minutos?)"
_STRONG = re.compile(
    rf"\b{_COUNT} ?{_HOURS}\b|\b\d+(?:h|hrs?|min|mins)\b|"
    r"\b(?:crushing|excruciating|thunderclap|worst|opresiv[oa]s?|(?:muy )?intens[oa]s?|"
    r"lancinantes?|insoportables?)\b|"
    # what an examination shows, and what a verb of its own tells, behind a list of denials
    r"^brisk\b|\b(?:vivos|exaltad[oa]s?|abolid[oa]s?)$|"
    r"^(?:duerme|come|bebe|tiene|esta|nota|refiere|presenta|le \w+|ha \w+(?:ad|id)o)\b"
)
# These describe a complaint, but can also stand within a longer list of denials.
_DAYS = r"(?:d|days?|wks?|weeks?|dias?|semanas?|sem)"
_QUALIFIED = re.compile(
    rf"\b(?:for|x|over|hace|llev\w+) (?:the )?(?:last |past )?{_COUNT} ?{_DAYS}\b|"
    rf"\b{_COUNT} ?{_DAYS} (?:ago|history|hx|de evolucion)\b|"
    r"\bsince (?:\d|yesterday|this|last (?:night|evening|week)|noon|midday|midnight|lunch|"
    r"breakfast|dinner|waking|\w+day\b)|"
    r"\bdesde (?:hace|ayer|anoche|anteayer|esta|las?|el (?:lunes|martes|miercoles|jueves|viernes|"
    r"sabado|domingo)|hoy)\b|"
    r"^(?:now|ahora)\b|\b(?:severe|sudden(?! (?:cardiac )?death)|suddenly|agonising|agonizing|"
    r"sever[oa]s?|subit[oa]s?|brusc[oa]s?|de repente|de golpe|fuertes?|radiating|irradiad[oa]s?|"
    r"que (?:se )?irradia)\b|"
    r"\b(?:right|left|rt|lt|bilateral(?:es)?|izquierd[oa]s?|izd[oa]s?|izq|derech[oa]s?|dch[oa]s?|"
    r"dcha)\b"
)
_LISTED = frozenset(("or", "nor", "ni"))
# Verbs of deeds. A denial of one ends at its comma: "does not look at you, long face and big ears"
# denies the look and no finding.
_DEEDS = word_set(
    "look looks talk speak play plays walk crawl sit stand run feed sleep smile respond answer "
    "listen point wave babble follow turn eat drink smoke work drive live swim "
    "mira habla juega camina anda gatea come duerme sonrie responde contesta escucha senala "
    "balbucea sigue gira fija bebe fuma trabaja conduce vive"
)
_CONTRASTS = word_set("but however although though except pero aunque salvo excepto sino")
# a denial that names things, whose list may end; a verb ("denies") has one that goes on
_BARE = word_set("no sin without nil")
# what tells a result, behind the test that it is of
_RESULTS = word_set("neg negative negativo negativos negativa negativas")
_TESTS = word_set(
    "trop trops troponin troponins troponina troponinas tnt tni ct cta ctpa mri mra cxr xr xray rx "
    "tac tc rm rmn angiotac eco ecografia uss us ultrasound echo fast ecofast lp csf lcr culture "
    "cultures cultivo cultivos hemocultivo hemocultivos urocultivo swab swabs frotis exudado pcr "
    "serology serologies serologia serologias hiv vih vdrl rpr igra mantoux quantiferon hcg bhcg "
    "dimer dimero ddimer rf fr ccp acpa anca ana anas dsdna ena hla coombs ttg autoantibodies "
    "anticuerpos antibodies monospot paul antigen antigeno test prueba dip dipstick "
    "urinalysis sistematico combur tira crp esr vsg ecg ekg doppler biopsy biopsia screen toxicos "
    "toxicology toxicologia covid flu gripe mibi ergometria holter eeg emg"
)
# A negative test also negates what it looks for ("TB, HIV neg").
_LOOKED_FOR = word_set(
    "hep hepatitis hbv hcv vhb vhc tb tuberculosis syphilis sifilis chlamydia clamidia gonorrhoea "
    "gonorrhea gonococo malaria paludismo ebv veb cmv covid influenza flu gripe rsv vrs strep "
    "estreptococo toxoplasmosis brucella brucelosis coeliac celiac celiaca protein proteinuria "
    "blood leucocytes leucocitos nitrites nitritos ketones cetonas hematuria haematuria glucosuria "
    "vte dvt pe tvp tep sah hsa bleed fracture fractura"
)

# "tos no productiva", "lump not painful": a quality of the noun ahead is denied, and no finding
_QUALITY = re.compile(
    r"\w{2,}(?:ad|id|iv|os|ent|ic|ador|edor)[oa]s?|\w{3,}(?:al|il|able|ible|ante)(?:es|s)?|"
    r"productive|purulent|painful|tender|itchy|radiating|bloody|pruritic|distended|exertional"
)
_NO_QUALITY = word_set(
    "antecedentes sangrado sangrados perdida perdidas herida heridas caida caidas ruido ruidos "
    "quejido quejidos latido latidos sonido sonidos colico colicos contacto contactos senal "
    "senales animal animales accidente accidentes estado cuidado cuidados"
)
_NO_NOUN = word_set(
    "que y e ni o u pero porque aunque si como se le lo la los las les me nos te hoy ahora "
    "actualmente refiere refieren presenta niega dice comenta cuenta tiene tenia esta estan estaba "
    "es son fue era ha han habia hay and or but is was are were be been does do did has had have "
    "she he it they i we you which who that still"
)
_GOES_ON = frozenset((",", "y", "e", "con", "and", "with"))


def end_of_quality(words: Sequence[str], begin: int, end: int) -> int | None:
    """The token in [begin, end), of what "no" or "not" denies, at which what it denies ends if it
    denies a quality of the noun ahead and no finding ("tos no productiva, disnea"); None if it is
    no such denial, or of a list that "ni" closes."""
    if begin < 2 or begin + 1 >= end or words[begin - 1] not in ("no", "not"):
        return None
    noun, quality = words[begin - 2], words[begin]
    is_of_noun = noun.isalpha() and noun not in _NO_NOUN
    is_quality = _QUALITY.fullmatch(quality) is not None and quality not in _NO_QUALITY
    is_listed = not _LISTED.isdisjoint(words[begin:end])
    if is_of_noun and is_quality and words[begin + 1] in _GOES_ON and not is_listed:
        return begin + 1
    return None


def end_of_list(
    words: Sequence[str], begin: int, end: int, *, is_verbal: bool, people: Collection[int]
) -> int | None:
    """The comma in tokens [begin, end), of what a denial names, behind which something else is
    told; None if all is one list. is_verbal: denied by a verb; people: the tokens of relatives."""
    end = next((n for n in range(begin, end) if words[n] in _CONTRASTS), end)
    commas = [n for n in range(begin, end) if words[n] == ","]
    if not commas:
        return None
    is_closed = not _LISTED.isdisjoint(words[begin:end])
    if words[begin] in _DEEDS and not is_closed:
        return commas[0]
    is_other = _is_no_finding(words, begin, commas[0], people)
    for number, (first, last) in enumerate(_items(begin, end, commas)):
        if not number:
            continue
        text = " ".join(words[first:last])
        is_strong = _STRONG.search(text) is not None
        if is_other:
            if _is_no_finding(words, first, last, people):
                continue
            return first - 1 if is_strong or not is_closed else None
        if is_closed or is_verbal:
            return None
        if is_strong or (number == 1 and _QUALIFIED.search(text)):
            return first - 1
    return None


def is_bare(word: str) -> bool:
    """Whether a denial that begins with this word names what is denied."""
    return word in _BARE


def test_before(words: Sequence[str], first: int, begin: int, end: int) -> bool:
    """Whether the result in the words from `begin` is of a test right before it, which a comma or
    "with" parts from the finding that ends at token `first`: "chest pain, troponin neg"."""
    if words[begin] not in _RESULTS or not _LOOKED_FOR.isdisjoint(words[max(0, first - 2) : first]):
        return False
    parting = (",", "with", "con", "but", "pero")
    signs = [n for n in range(first, end) if words[n] in parting]
    return bool(signs) and not _TESTS.isdisjoint(words[signs[-1] + 1 : end])


def _items(begin: int, end: int, commas: Sequence[int]) -> Iterator[tuple[int, int]]:
    starts = [begin, *(n + 1 for n in commas)]
    return zip(starts, [*commas, end], strict=True)


def _is_no_finding(words: Sequence[str], first: int, last: int, people: Collection[int]) -> bool:
    """Whether an item names what is no finding, and nothing else."""
    own = [n for n in range(first, last) if words[n] not in _FILLERS]
    known = _NO_FINDING | _FUNCTIONS
    return bool(own) and all(words[n] in known or n in people for n in own)
