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
aid agree bleep bleed bump carry catch chase clamp clean clear close cross cut deliver dilute dip
drop ease encourage feed fetch fit fix fold go hand help invite isolate jot lay learn lie lift
liaise line mark mix mobilise nil note nurse page perform phone plug press print prop put rehydrate
remind renew resite rest revisit ring roll settle shift show sign sit sleep splint spray squirt
stick straighten strap swab swap swing tail take tell tighten tilt tip top trim trip turn
wake wash wear wipe wrap write
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
acompanar acostar acudir agendar aislar alargar apuntar arreglar auscultar beber bloquear caminar
cerrar coger comentar comer concertar conservar contar conversar convocar cortar curar decidir
desplazar destapar despertar dosificar echar ejercitar elevar emitir encamar encargar entregar
entrenar escribir esperar espirar facilitar fijar firmar gestionar guardar hablar hacer hospitalizar
incluir incorporar insistir ir lavar levantar localizar marcar movilizar nebulizar observar
organizar pesar preguntar preparar pinchar puncionar quedar quitar rebajar recitar recolocar
recordar rehabilitar rellenar renovar reunir revalorar rotar sacar sentar sondar telefonear terminar
traer vaciar venir ver volver
"""
_VERBS = frozenset(words(_ENGLISH)) | frozenset(words(_SPANISH))
# "Administre", "inicie", "evite": how Spanish orders somebody politely.
_POLITE = frozenset(
    verb[:-2] + ending
    for verb in words(_SPANISH)
    for ending in {"ar": ("e", "en"), "er": ("a", "an"), "ir": ("a", "an")}.get(verb[-2:], ())
) | frozenset(
    words("""
    inicie de pida ponga mantenga siga haga corrija mida pese saque busque coloque aplique indique
    revise pregunte cite llame avise deje vaya venga vuelva traiga empiece cuente apunte explique
    interconsulte busque practique
    """)
)
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
        *("they", "let", "her", "him", "them", "ought", "needs", "has", "have", "nurses", "family"),
        *(
            "puede",
            "pueden",
            "deberia",
            "ha",
            "de",
            "el",
            "la",
            "paciente",
            "necesita",
            "enfermeria",
        ),
        *("under", "no", "circumstances", "en", "ningun", "caso", "just", "simply", "ideally"),
        *("back", "tomorrow", "this", "morning", "evening", "afternoon", "week", "esta", "tarde"),
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
# What an order without a verb asks for: "daily creatinine", "chest film in six weeks".
_NOUNS = frozenset(
    words("""
    monitoring observation observations weights weight rest referral telemetry balance output
    analgesia education counseling physiotherapy physio nutrition reassessment review follow-up
    followup measurement assessment input ecg access line cannula consultation consult discussion
    advice support care swab swabs cultures culture bloods imaging ultrasound radiograph film x-ray
    xray ct scan mri echocardiography echocardiogram echo telemonitoring gases gas glucose potassium
    surgery hydration fluids maneuvers manoeuvres compression position diet count tests test panel
    profile function electrolytes urea creatinine crp troponin bnp lactate inr clotting group film
    sputum urine serology spirometry peak flow oximetry pressure pulse temperature saturation
    saturations dose doses puff puffs tablet tablets capsule capsules spray sprays drops patch
    nebulizer nebulizers spacer inhaler inhalers technique oxygen mask cannulae litres liters
    rehabilitation vaccine vaccination vaccines dialysis ventilation intubation pacing
    cardioversion angiogram angiography bronchoscopy thoracentesis drain drainage pci stenting
    biopsy catheter catheterization clinic appointment visit call team cardiology nephrology
    obstetrics surgeons surgeon cardiologist nephrologist obstetrician hematology pharmacist
    dietitian dietician nurse nurses outreach registrar consultant palliative neurology
    admission transfer bed ward unit stockings exercise walking chart
    monitorizacion control controles vigilancia acceso reposo dieta sueroterapia interconsulta
    ingreso gasometria analitica radiografia ventilacion oxigeno oxigenoterapia ecografia constantes
    diuresis hemocultivos traslado seguimiento hemograma iones creatinina urea funcion coagulacion
    ecocardiograma electrocardiograma placa peso tension pulso temperatura cita consulta revision
    nefrologia cardiologia obstetricia hematologia dialisis hemodialisis fisioterapia vacuna
    vacunacion rehabilitacion inhalaciones comprimido comprimidos capsula ampolla espirometria
    cateterismo
    """)
)
# Where what an order without a verb asks for ends.
_AFTER_THE_HEAD = frozenset(
    words("""
    in on at for until within every each if when once because since as after before unless while
    to from by through via under over so that which who
    en durante hasta cada si cuando porque tras antes para por que
    """)
)
_HEAD = 12
_PURPOSE = frozenset(("to", "if", "until", "once", "when", "para", "si", "hasta", "cuando"))
# "he is over 80 and weighs 52 kg": why, behind an order; what it says is checked by its facts.
_REASON = re.compile(
    r"^(?:because|as|since|with|given|porque|dado|dada|con|ya que|pues)\b"
    r"|^(?:he|she|they|his|her|their|the patient|tiene|el paciente|la paciente|su)\b.*\d"
)
_SENTENCE = re.compile(r"[;!?\n]|\.(?=\s|$)")
_HEADING = re.compile(r":(?=\s)")


class Understood:
    """Whether each sentence of an action is an order in known words."""

    def __init__(self, knowledge: Knowledge) -> None:
        self._knowledge = knowledge

    def complaint(self, text: str) -> str:
        """The first sentence that is no order; empty if every sentence is one."""
        is_first = True
        for sentence in _SENTENCE.split(text):
            # "Potassium 7.4: call nephrology", "Apixaban 2.5 mg: she is over 80"
            parts = [(part, words(part)) for part in _HEADING.split(sentence)]
            parts = [(part, tokens) for part, tokens in parts if tokens]
            is_order = False
            for number, (part, tokens) in enumerate(parts):
                if self._is_order(tokens):
                    is_order = True
                    continue
                is_heading = number + 1 < len(parts) and len(tokens) <= _HEAD
                if is_heading and not _TELLS.search(" ".join(tokens)):
                    continue
                is_behind = is_order or not is_first
                if is_behind and not self._tells(tokens):
                    continue
                return f"not understood as an order: “{part.strip()[:60]}”"
            is_first = is_first and not is_order
        return ""

    @staticmethod
    def _tells(tokens: list[str]) -> bool:
        plain = " ".join(tokens)
        is_reason = bool(_REASON.search(plain))
        return not is_reason and bool(_TELLS.search(plain)) and not _ORDERS.search(plain)

    def _is_order(self, tokens: list[str]) -> bool:
        main = _main(tokens)
        if main and (main[0] in _VERBS or main[0] in _POLITE or main[0].endswith("ing")):
            return True
        end = next((n for n, token in enumerate(main) if token in _AFTER_THE_HEAD and n), _HEAD)
        head = main[: min(end, _HEAD)]
        # "chest film in six weeks, to see that it has cleared" tells behind its head alone
        told = main if not _PURPOSE & set(main) else head
        if self._tells(told):
            return False
        return bool(_NOUNS & set(head)) or self._knowledge.names_measure(" ".join(head))


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
