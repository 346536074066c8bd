"""Whether an action is an order in words that are known. What is told instead of ordered, or begins
with a verb that nobody has read, is not understood and so does not pass."""

from __future__ import annotations

import re

from python_llm.recommendations.knowledge import Knowledge
from python_llm.recommendations.phrases import words

_ENGLISH = """
abstain accept access achieve activate add address adhere adjust administer admission admit advise
aim alert allow analyse analyze anticipate anticoagulate apply arrange ascertain ask aspirate
assess assist assure attach auscultate avoid back backup balance be begin bolus book bridge bring
broaden call cancel cannulate capture cardiovert care catheterize cease chart check choose collect
combine commence communicate compare complete compress confirm connect consider consult contact
continue control convene convert cool coordinate correct counsel cover decide decompress
decontaminate deescalate defer defibrillate delay deliver describe desensitize determine dialyze
direct discontinue discuss dispense do document don dont dose double drain draw dress educate
elevate eliminate emphasize enable encourage enroll ensure escalate establish estimate evaluate
examine exclude expand expect expedite explain explore favor find flush follow forgo get give
guide halt halve have hold hydrate identify immunize implement improve include increase inflate
inform infuse inhale initiate inject insert inspect instruct interrogate interrupt introduce
intubate investigate involve irrigate isolate keep lay leave limit list load look lower maintain
make manage measure minimize mobilize monitor move narrow nebulize never no non not notify nurse
observe obtain offer omit open optimize order organize oxygenate pace pause perform persist place
plan position postpone prefer prepare prescribe preserve prevent proceed process prompt propose
protect provide pursue put raise rapid read reassess recheck recommend reconcile record recover
reduce reevaluate refer refrain register reinforce reinforces release relieve remember remind
remove reorder repeat replace replenish report request rescue reserve resite restart restore
restrict resume resuscitate retain retest retry return reverse review rewarm rotate rule run
safety scan schedule screen search secure sedate seek select send separate set share sit site skip
slow speak stabilize stand start stay step stop stratify strengthen submit suction suggest
supplement supply support suppress suspend switch synchronize take talk taper target teach tell
test thrombolyse thrombolyze titrate transfer transfuse transition transport treat trend try turn
undertake update upgrade uptitrate urge use vaccinate validate ventilate verify wait warm warn
watch wean weigh withdraw withhold work
"""
_SPANISH = """
abrir aceptar activar actualizar adaptar adelantar administrar advertir ajustar alertar anadir
anotar antes anticoagular aplicar asegurar asociar aspirar aumentar auscultar avisar ayudar bajar
bolo buscar calcular cambiar canalizar cardiovertir citar colocar combinar comenzar completar
comprobar comunicar conectar confirmar considerar consultar contactar continuar controlar corregir
cubrir cultivar dar dejar derivar descartar descomprimir desescalar desfibrilar determinar diluir
discutir disminuir documentar drenar duplicar educar elegir elevar empezar ensenar enviar escalar
espaciar establecer estudiar evaluar evitar excluir explicar explorar extraer fibrinolisar
fraccionar garantizar hacer hidratar identificar informar infundir ingresar iniciar instaurar
intensificar interconsultar interrumpir intubar investigar inyectar limitar llamar mandar mantener
medir monitorizar mover nebulizar no obtener ofrecer omitir optimizar oxigenar parar pasar pautar
pedir plantear poner posponer preferir preparar prescribir prevenir priorizar programar proponer
proporcionar proteger realizar reanudar recoger recomendar reducir reevaluar registrar reiniciar
remitir repetir reponer restringir retirar revalorar revertir revisar sedar seguir seleccionar
solicitar subir sumar suplementar suspender sustituir tapar titular tomar tramitar transfundir
trasladar tratar usar utilizar vacunar valorar ventilar verificar vigilar
"""
_VERBS = frozenset(words(_ENGLISH)) | frozenset(words(_SPANISH))
# "Administre", "inicie", "evite": how Spanish orders somebody politely.
_POLITE = frozenset(
    verb[:-2] + ending
    for verb in words(_SPANISH)
    for ending in {"ar": ("e", "en"), "er": ("a", "an"), "ir": ("a", "an")}.get(verb[-2:], ())
) | frozenset(("inicie", "de", "pida", "ponga", "mantenga", "siga", "haga", "corrija", "mida"))
# What may stand before the verb.
_LEADING = frozenset(
    (
        *("please", "now", "immediately", "urgently", "then", "also", "first", "next", "finally"),
        *("and", "but", "or", "always", "cautiously", "slowly", "carefully", "early", "promptly"),
        *("meanwhile", "otherwise", "at", "once", "today", "tonight", "strongly", "still", "only"),
        *("again", "further", "additionally", "kindly", "secondly", "thirdly", "lastly", "so"),
        *("por", "favor", "ahora", "inmediatamente", "tambien", "luego", "despues", "y", "o"),
        *(
            "ademas",
            "primero",
            "hoy",
            "se",
            "recomienda",
            "debe",
            "deben",
            "conviene",
            "hay",
            "que",
        ),
        *("we", "i", "you", "would", "should", "must", "may", "can", "could", "to", "clinicians"),
        *("recommended", "suggested", "it", "is", "the", "team", "patient", "he", "she", "not"),
    )
)
_SUBORDINATE = frozenset(
    (
        *(
            "if",
            "once",
            "when",
            "because",
            "since",
            "as",
            "after",
            "before",
            "in",
            "unless",
            "until",
        ),
        *(
            "given",
            "for",
            "with",
            "within",
            "on",
            "during",
            "while",
            "due",
            "owing",
            "to",
            "should",
        ),
        *("si", "cuando", "una", "tras", "dado", "dada", "porque", "ante", "en", "con", "para"),
        *("mientras", "hasta", "debido", "by", "under", "without", "sin", "at", "over", "despite"),
    )
)
# A sentence that tells instead of ordering; "should be given" and "is recommended" order.
_TELLS = re.compile(
    r"\b(?:is|are|was|were|will|would|has|have|had|rules?|means?|makes?|seems?|looks?|does"
    r"|es|son|esta|estan|fue|sera|parece|suele)\b"
)
_ORDERS = re.compile(
    r"\b(?:is|are|remains?|es|son|esta|estan) (?:\w+ )?(?:recommended|indicated|advised|preferred"
    r"|required|needed|necessary|appropriate|started|given|to be|due|essential|mandatory|suggested"
    r"|warranted|favored|continued|stopped|avoided|held|contraindicated|contraindicad\w+|first"
    r"|recomendad\w+|indicad\w+|necesari\w+|the \w+ of choice|de eleccion)\b"
    r"|\b(?:should|must|needs?|ought|shall|deben?|requires?|may|can|puede|habria)\b"
)
# Measures by themselves ("strict fluid balance"), and what may stand before the name of one.
_NOUNS = frozenset(
    (
        *("monitoring", "observation", "weights", "weight", "rest", "referral", "telemetry"),
        *(
            "balance",
            "output",
            "analgesia",
            "education",
            "counseling",
            "physiotherapy",
            "nutrition",
        ),
        *("reassessment", "follow-up", "followup", "measurement", "assessment", "input", "ecg"),
        *("access", "line", "cannula", "consultation", "discussion", "advice", "support", "care"),
        *("swabs", "cultures", "culture", "bloods", "imaging", "ultrasound", "radiograph", "ct"),
        *("echocardiography", "echo", "telemonitoring", "gases", "gas", "glucose", "potassium"),
        *("surgery", "hydration", "maneuvers", "manoeuvres", "compression", "position", "diet"),
        *("monitorizacion", "control", "vigilancia", "acceso", "reposo", "dieta", "balance"),
        *("sueroterapia", "interconsulta", "ingreso", "gasometria", "analitica", "radiografia"),
        *(
            "ventilacion",
            "oxigeno",
            "oxigenoterapia",
            "ecografia",
            "constantes",
            "diuresis",
            "hemocultivos",
            "traslado",
            "seguimiento",
        ),
    )
)
_ATTRIBUTES = frozenset(
    (
        *("a", "an", "the", "any", "all", "intravenous", "iv", "oral", "po", "high", "low", "dose"),
        *("systemic", "broad", "spectrum", "empirical", "empiric", "early", "urgent", "immediate"),
        *("daily", "short", "course", "of", "long", "acting", "therapeutic", "full", "adjusted"),
        *("reduced", "standard", "nebulized", "inhaled", "sublingual", "subcutaneous", "second"),
        *("dual", "rescue", "prophylactic", "maintenance", "loading", "combination", "therapy"),
        *("supplemental", "controlled", "direct", "bedside", "serial", "continuous", "invasive"),
        *("retrievable", "vagal", "emergency", "primary", "prompt", "regular", "strict", "close"),
        *("hourly", "frequent", "careful", "routine", "small", "large", "bolus", "infusion", "new"),
        *("first", "line", "one", "two", "single", "repeat", "aggressive", "gentle", "warm", "dry"),
        *("transthoracic", "transesophageal", "ultrasound", "chest", "cardiac", "pulmonary", "ct"),
        *("arterial", "venous", "capillary", "blood", "urine", "renal", "bladder", "fluid", "bed"),
        *("right", "left", "heart", "lung", "respiratory", "head", "systolic", "oxygen", "pain"),
        *("appropriate", "adequate", "effective", "specific", "local", "senior", "specialist"),
        *("un", "una", "el", "la", "los", "las", "dosis", "tratamiento", "terapia", "bolo", "de"),
        *("alta", "baja", "continua", "continuo", "estricto", "estricta", "urgente", "via", "y"),
        *(
            "three",
            "four",
            "set",
            "sets",
            "and",
            "or",
            "with",
            ",",
            "plus",
            "day",
            "night",
            "weekly",
            "target",
            "treatment",
        ),
    )
)
_SENTENCE = re.compile(r"[;!?\n]|\.(?=\s|$)|:(?=\s)")


class Understood:
    """Whether each sentence of an action is an order in known words."""

    def __init__(self, knowledge: Knowledge) -> None:
        self._knowledge = knowledge

    def complaint(self, text: str) -> str:
        """The first sentence that is no order; empty if every sentence is one."""
        is_first = True
        for sentence in _SENTENCE.split(text):
            tokens = words(sentence)
            if not tokens:
                continue
            # what stands behind an order may be its reason
            if not self._is_order(sentence, tokens) and (is_first or self._tells(tokens)):
                return f"not understood as an order: “{sentence.strip()[:60]}”"
            is_first = False
        return ""

    @staticmethod
    def _tells(tokens: list[str]) -> bool:
        plain = " ".join(tokens)
        return bool(_TELLS.search(plain)) and not _ORDERS.search(plain)

    def _is_order(self, sentence: str, tokens: list[str]) -> bool:
        main = _main(tokens)
        if main and (main[0] in _VERBS or main[0] in _POLITE or main[0].endswith("ing")):
            return True
        plain = " ".join(main)
        until = next((n for n, token in enumerate(main) if token not in _ATTRIBUTES), 0)
        is_measure = bool(main) and (
            main[until] in _NOUNS
            or main[until][0].isdigit()
            or any(
                self._knowledge.begins_with_measure(" ".join(main[start:]))
                for start in range(until + 1)
            )
        )
        return is_measure and (not _TELLS.search(plain) or bool(_ORDERS.search(plain)))


def _main(tokens: list[str]) -> list[str]:
    """The tokens without what stands before the main clause."""
    while tokens and tokens[0] in _SUBORDINATE and "," in tokens:
        tokens = tokens[tokens.index(",") + 1 :]
    position = 0
    while position < len(tokens) - 1 and (
        tokens[position] in _LEADING or tokens[position] == "," or tokens[position].endswith("ly")
    ):
        position += 1
    return tokens[position:]
