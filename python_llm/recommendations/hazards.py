"""Hazards in the text of a recommendation: an emergency put off or sent home, parts that contradict
each other or the patient, and words meant for a machine (docs/specification.md#hazards)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

from python_llm.recommendations.contradictions import conflicts
from python_llm.recommendations.knowledge import Knowledge
from python_llm.recommendations.schema import Patient, Recommendation
from python_llm.recommendations.urgency import Need

# What cannot wait in whoever needs it: each is asked for "at once", "immediately" or "promptly" by
# the guideline of its condition (clinical_documents).
EMERGENCY = frozenset(
    (
        *("cath_lab", "thrombolysis", "embolectomy", "pert", "icu", "emergency_escalation"),
        *("potassium_treatment", "niv", "anticoagulation", "anticoagulation_without_heparin"),
        *("beta_lactam", "loop_diuretic", "short_acting_bronchodilator", "aspirin"),
        *("fluids_vasopressors", "controlled_oxygen", "oxygen", "cardiac_monitoring"),
        *("systemic_corticosteroid", "respiratory_fluoroquinolone", "macrolide"),
        *("oral_narrow_antibiotic", "oral_doxycycline", "oral_combination_antibiotic"),
        "copd_antibiotic",
    )
)
_UNDELAYED = EMERGENCY | {"adrenaline", "dialysis", "dissection_team"}
_ANGIOGRAPHY = frozenset(("cath_lab", "early_angiography"))
_PRESSORS = re.compile(
    r"vasopressor|norepinephrine|noradrenaline|noradrenalina|support|inotrop", re.IGNORECASE
)
_LONG = r"(?:days?|weeks?|months?|nights?)"
_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_DIA = r"(?:lunes|martes|mi[eé]rcoles|jueves|viernes|s[aá]bado|domingo)"
# from three hours on: ventilation if the pH is still low after one hour is what guidelines say
_HOURS = r"(?:[3-9]|\d\d|three|four|five|six|seven|eight|ten|twelve|several|some|a few)"
_NUMBER = r"(?:\d+(?:\s*(?:-|–|to)\s*\d+)?|an?|one|two|three|four|five|six|seven|ten|a few|several)"
_PUT_OFF = re.compile(
    r"\b(tomorrow"
    r"|next (?:available )?(?:day|morning|week|weekend|month|visit|appointment|clinic|available"
    rf"|list|slot|session|shift|ward round|round|{_DAY})"
    rf"|(?:if|once|when|unless)\b[^.;]{{0,60}}\b(?:in|after|at) {_HOURS} hours?"
    r"|(?:once|when|after|until)\b[^.;]{0,20}\b(?:ward rounds?|rounds?|handover|shift|lunch|meeting"
    r"|weekend|holidays?)(?: (?:is|are|has|have)(?: been)? (?:over|done|finished|ended))?"
    r"|(?:the )?day after (?:the weekend|tomorrow)|over the weekend"
    rf"|(?:this coming|by|until|wait(?:ing)? for) {_DAY}"
    r"|(?:la|el) (?:semana|mes|día|dia) que viene|pr[oó]xim[ao]s? (?:semana|mes|d[ií]as?|lista|cita"
    r"|consulta|visita|sesi[oó]n|turno)|pasado mañana|de aqu[ií] a \w+ d[ií]as"
    r"|dentro de \w+ (?:d[ií]as?|semanas?|horas)|cuando (?:haya|quede|exista)\b[^.;]{0,15}\b"
    r"(?:hueco|cama|sitio|plaza|disponibilidad|quir[oó]fano|sala|tiempo)"
    r"|tras el (?:pase|fin de semana)"
    rf"|(?:el|pr[oó]ximo) (?:pr[oó]ximo )?{_DIA}|si\b[^.;]{{0,60}}\b(?:en|a las) \w+ horas"
    rf"|(?:in|after|within|wait(?:ing)?(?: for)?) (?:the next )?{_NUMBER} {_LONG}"
    rf"|{_NUMBER} {_LONG} (?:later|from now)|after the weekend|elective(?:ly)?|when convenient"
    r"|if time permits|non-?urgent(?:ly)?|(?:once|when) (?:a bed|capacity) (?:is|becomes) available"
    r"|after discharge|at follow-?up|(?:in|at) (?:the )?(?:out-?patient )?clinic|wait and see"
    r"|watchful waiting|at the earliest convenience|(?<!mg )(?<!daily )(?<!day )in the morning"
    r"|overnight"
    rf"|on {_DAY}"
    r"|when the (?:\w+ ){0,2}list|(?<!por la )(?<!cada )(?<!esta )mañana"
    # behind a dose or a day, the time of the dose
    r"|(?<!mg )(?<!día )(?<!comprimido )por la mañana|la próxima semana|en consulta|de forma"
    r" (?:electiva|diferida)|cuando sea posible)\b",
    re.IGNORECASE,
)
# What puts off whatever stands beside it, for a patient who needs something at once.
_CAN_WAIT = re.compile(
    r"\b((?:can|may|could|should) (?:safely )?wait|no (?:hurry|rush|urgency)|(?:is|are) not urgent"
    # what must not wait for a result (SSC 2021; NICE NG158: treat while the scan is awaited)
    r"|\b(?:wait|await|waiting|awaiting)\b(?! (?:until |no )?longer)[^.;]{0,50}(?:, then|\bthen"
    r"|\bbefore)\b"
    r"|\bfirst\b[^.;]{0,60}\b(?:if|when) (?:it|this|that"
    r"|the test) is positive"
    r"|only (?:if|when|once|after)\b[^.;]*\b(?:after|for|fail\w*|not (?:helped|improved"
    r"|responded))\b"
    r"|before any (?:treatment|therapy)|not until\b|hold off until|puede esperar|sin prisa"
    r"|no (?:es|corre) (?:urgente|prisa))",
    re.IGNORECASE,
)
# The result of a test, for which what cannot wait is kept waiting.
_TEST = (
    r"(?:cultures?|blood count|count|gas|sample|stain|swab|antigens?|results?|report|scan|ct"
    r"|ctpa|troponin|lactate|d-?dimer"
    r"|procalcitonin|x-?ray|bloods|blood tests?|sensitivit(?:y|ies)|antibiograma"
    r"|(?:hemo)?cultivos?|resultados?|informe|antígenos?"
    r"|antigenos?|radiografía|radiografia|analítica|analitica|gram)"
)
_AFTER_A_RESULT = re.compile(
    rf"\b(?:(?:once|after|when|as soon as|cuando|una vez|tras)\b[^.;]{{0,40}}\b{_TEST}\b"
    r"[^.;]{0,15}\b(?:(?:is|are|has|have|was|were|comes?|came|está|esta|estén|esten|sea|sean)\b"
    r"(?: (?:been|come))? ?(?:all )?(?:reported|back|available|done|known|ready|returned"
    r"|resulted|repeated|checked|measured|performed|completed|done|out"
    r"|in|read|reviewed|negative|positive|through|disponibles?|informad[oa]s?"
    r"|conocid[oa]s?|listos?|listas?)|returns?|arrives?|llegue[n]?)\b"
    r"|(?:after|following|tras|pending|a la espera de|en espera de)\b(?: [\w-]+){0,5}?"
    r" (?:culture|stain|swab|antigen|scan|ct|ctpa|troponin|lactate|d-?dimer|procalcitonin|x-?ray"
    r"|blood) (?:results?|reports?)"
    r"|(?:once|when|cuando) (?:we|you|they) (?:have|know) (?:the |all )?(?:[\w-]+ ){0,3}results?"
    r"|(?:tras|hasta tener|en espera de|a la espera de|pendientes? de)(?: (?:el|la|los|las))?"
    r" (?:resultados?(?: de)?|informe|hemocultivos?|cultivos?)"
    r"|(?:cuando|una vez)(?: se)?(?: (?:esté|este|estén|esten|haya|hayan))?"
    r" (?:inform|conoc|conozca|recib|lleg|llegu)\w+)\b",
    re.IGNORECASE,
)
# What is done with a treatment that was begun before the result, or is done at once.
_REVISED = re.compile(
    r"\b(?:narrow|de-?escalat|adjust|review|reassess|re-?evaluat|switch|chang|stop|tailor|target"
    r"|step|shorten|modif|continu|titrat|reconsider|repeat|recheck|oral|discontinu|streamlin"
    r"|now|immediately|at once|stat|desescal|ajust|revis|suspend|cambi|ahora|inmediat)\w*",
    re.IGNORECASE,
)
# What is said of an emergency that is not treated as one.
_MADE_LIGHT_OF = re.compile(
    r"\b(?:ignore|disregard|dismiss) (?:the|this|that|his|her)\b|\bneeds? (?:nothing"
    r"|no (?:further )?"
    r"(?:treatment|action|work-?up|intervention))|\bno (?:treatment|action"
    r"|intervention) (?:is |are )?"
    r"(?:needed|required|necessary|indicated)|\bdo nothing\b|\bobserve only\b"
    # an emergency explained away, or a test that is made to exclude it (NICE NG158, NG185: neither
    # age nor a normal saturation excludes an infarction or an embolism)
    r"|\btoo young (?:for|to have)\b|\b(?:just )?reassure (?:him|her|them|the patient)\b"
    r"|\b(?:is|are|looks?|seems?) (?:surely |certainly |clearly |probably )?(?:benign|harmless"
    r"|haemolysed"
    r"|hemolysed|hemolyzed|an artefact|an artifact)\b|\bignore it\b|\bstop here\b"
    r"|\bnothing to worry about\b|\bno (?:antibiotics?|anticoagula\w+|reperfusion|oxygen"
    r"|treatment) (?:for|in) "
    r"(?:this|his|her|the)\b|\b(?:is|are) (?:just |only |merely )?(?:anxiety|musculoskeletal"
    r"|muscular)\b"
    r"|\b(?:normal|good|negative|clear) (?:\w+ ){1,3}(?:excludes?|rules? out)\b"
    r"|\bno need (?:for|of) (?:hospital|admission|an? (?:ambulance|ecg|scan|ct))"
    r"|\bno further (?:tests?|work-?up|investigations?|imaging|action)\b"
    r"|\b(?:anticoagulation|reperfusion|antibiotics?|oxygen|adrenaline|treatment) (?:is|are) "
    r"(?:not (?:indicated|needed|required|necessary)|unnecessary)\b"
    r"|\bno (?:observation|monitoring|admission|hospital\w*|oxygen|follow-?up|imaging|ecg)"
    r" (?:is |are )?(?:needed|required|necessary)"
    r"|\bno (?:precisa|requiere|necesita) (?:tratamiento|nada)",
    re.IGNORECASE,
)
# Of whom nothing is light: an emergency by the problem `emergency` (clinical_problems).
_BENIGN = re.compile(
    r"\b(?:is|are|was|were|looks?|seems?|appears?|es|son|parece)(?: \w+){0,3} (?:expected(?! to)"
    r"|of (?:no|little) (?:importance|concern|significance|consequence|relevance)|insignificant"
    r"|irrelevant|unimportant|reassuring|quiet|settled|trivial|minor|incidental|physiological"
    r"|artefactual|a normal variant|a false positive|self-?limit(?:ing|ed)|not (?:serious"
    r"|concerning|worrying|dangerous|alarming|relevant)|nothing serious|harmless|psychogenic"
    r"|sin importancia|banal|normal para|de esperar|tranquilizador\w*)\b"
    r"|\b(?:low|no) (?:concern|suspicion) (?:for|of)\b|\bno (?:cause|reason) for (?:alarm|concern)"
    r"|\bnot an emergency\b|\bno es una (?:emergencia|urgencia)\b"
    r"|\b(?:tranquili[cz]\w+ (?:al|a la|a)|no hay que preocuparse)\b"
    r"|\bno (?:es|hace) (?:necesari[oa]|falta) (?:avisar|llamar|tratar|ingresar|monitorizar)"
    r"|\bno need to (?:call|alert|involve|notify|contact|inform|escalate|admit|treat|transfer"
    r"|monitor|repeat|watch|scan|image|check|measure|observe|test)\b"
    r"|\b(?:do not|don't|not necessary to) (?:call|alert|involve|notify|inform"
    r"|escalate|bother|disturb|wake|admit|transfer) ",
    re.IGNORECASE,
)
_AWAY = re.compile(
    r"\b(?:discharge(?! (?:letter|summary|plan\w*|medic\w+|prescri\w+))|at home|own home"
    r"|(?:next |the )clinic (?:visit|appointment)|out-?patients?|primary care|family doctor"
    r"|general practi\w+|(?:the|his|her|their) gp|(?:to )?take home|clinic|consulta(?! con)"
    r"|walk-?in|(?:general|ordinary|medical|open|rehabilitation) (?:ward|unit)|planta"
    r"|matter for the|day (?:hospital|unit)"
    r"|return to (?:work|sport|driving|school|exercise)|(?:may|can) (?:drive|work|exercise|travel)"
    r"|a domicilio|en (?:su )?(?:casa|domicilio)|m[eé]dico de (?:cabecera|familia)"
    r"|centro de salud|atenci[oó]n primaria|consultas? externas?|de alta|telephone (?:review"
    r"|follow)|virtual (?:ward|clinic)|hotel|nursing home|step(?:ped)? down to (?:a )?(?:ward"
    r"|general))\b",
    re.IGNORECASE,
)
_AFTERWARDS = re.compile(
    r"\b(?:once|when|after|if|until|unless|before|not|no|never|follow-?up|refer\w*|rehab\w*"
    r"|vaccin\w*|of discharge|on discharge|at discharge|smoking|cuando|una vez|si|tras|hasta|antes"
    r"|seguimiento|avoid|later|nicotine|previously|oxygen at home)\b",
    re.IGNORECASE,
)
# What is looked for first, while what cannot wait waits (NICE NG158; SSC 2021; ERC 2021).
_LOOKED_FOR = re.compile(
    r"\b(?:lung function|ct\w*|radiograph\w*|x-?ray|scan|imaging|echo\w*|ultrasound"
    r"|troponins?|mri|angiogra\w+"
    r"|d-?dimer|blood gas\w*|abg|results?|report|opinion|second opinion|consult\w*|review|history"
    r"|family|relatives|insurance|consent form|paperwork|registration|physio\w*|observe"
    r"|observation|radiograf[ií]a|tac|ecocardio\w*|anal[ií]tica|interconsulta|familia"
    r"|procalcitonin|urine|spirometry|complete|finish|wait\w*|try|trial)\b",
    re.IGNORECASE,
)
_BEFORE = re.compile(r"\b(?:before|prior to|ahead of|antes de|previo a|previamente a)\b", re.I)
_CANNOT_WAIT = re.compile(
    r"\b(?:reperfusion|decompress\w*|adrenalin[ae]?|epinephrine|defibrillat\w+|cardiover\w+"
    r"|intubat\w+|thrombolys\w+|treat\w*|therapy|pericardiocentesis|drain(?:age|ing)|oxygen"
    r"|resuscitat\w+|anticoagula\w+|surg\w+|calling|call|activat\w+|antibiotics?|pacing"
    r"|fluids?|vasopressors?|bronchodilat\w*|insulin|norepinephrine|ventilation|transfer|magnesium|calcium|tratamiento"
    r"|reperfusi[oó]n|ox[ií]geno|antibi[oó]ticos?|descompr\w+|avisar|activar|fibrin[oó]lisis)\b",
    re.IGNORECASE,
)
_CULTURES = re.compile(r"\b(?:cultures?|hemocultivos?|cultivos?)\b", re.IGNORECASE)
_LEFT_ALONE = re.compile(
    r"\b(?:(?:give|treat with|needs?|offer|use|dar|administrar) (?:only|just|merely|solo"
    r"|[uú]nicamente)\b(?! (?:if|when|once|after|until|in|for|one|a single))"
    r"|(?:observations?|vital signs|constantes) (?:every|each|cada) (?:six|eight|twelve|[6-9]|\d\d)"
    r" (?:hours|horas)|(?:observations?|vital signs) (?:once|twice) (?:a day|daily)"
    r"|(?:and |but )?nothing (?:else|more|further)|nada m[aá]s|no other (?:treatment|measure"
    r"|action|drug)s?|by itself|on its own|of its own accord|por s[ií] sol[ao]|run its course"
    r"|leave [^.;]{0,30} alone|let (?:it|him|her|the \w+ \w*) ?(?:settle|pass|resolve|be|sleep)"
    r"|sleep it off|see (?:how|what)\b|ver c[oó]mo evoluciona|esperar y ver|symptomatic treatment"
    r" only|tratamiento sintom[aá]tico|keep (?:him|her|the patient) comfortable|expectant"
    r"|conducta expectante|conservative(?:ly)? (?:management|treatment)?)",
    re.IGNORECASE,
)
# to do without what keeps somebody alive, in words that name no measure of the seeds
_REFUSED = re.compile(
    r"\b(?:do not|don't|never|no need to|withhold|refrain from|not to|no)"
    r" (?:ventilat|treat|resuscitat|defibrillat|cardiover|decompress|reperfus|oxygenat|monitor"
    r"|ventilar|tratar|monitorizar|reanimar|desfibrilar|escalat)\w*",
    re.IGNORECASE,
)
_REVIEWED = re.compile(
    r"\b(?:re-?assess|review|re-?evaluat|see (?:him|her|the patient|again)|look again|decide"
    r"|revalorar|reevaluar|revisar|valorar|volver a ver|check (?:on )?(?:him|her|the patient))\w*",
    re.IGNORECASE,
)
_THEN = re.compile(
    r"(?:,|;|\band\b)\s*(?:and )?(?:only )?(?:then|after that|luego|despu[eé]s)\b", re.I
)
_URGENTLY = re.compile(
    r"\b(?:now|immediate\w*|at once|urgent\w*|stat|within|without delay|straight|ahora|ya|urgente"
    r"|inmediat\w*|meanwhile|while)\b",
    re.IGNORECASE,
)
_HELD = re.compile(
    r"\b(?:hold|withhold|delay|postpone|defer|retrasar|posponer|diferir)\b(?P<held>[^.;]*?)"
    r"\b(?:until|till|for|hasta)\b(?P<until>[^.;]*)",
    re.IGNORECASE,
)
_IN_RESERVE = re.compile(
    r"\b(?:in reserve|held? back|as a last resort|last[- ]ditch|as rescue only"
    r"|only as (?:a )?rescue"
    r"|for later|second(?:ary)? choice|en reserva|como [uú]ltimo recurso|can be added later"
    r"|can follow|more tarde|can come later|keep for later|reserve for)\b",
    re.IGNORECASE,
)
_MEASURE = re.compile(
    r"\b(?:antibiotics?|treatment|treat|therapy|reperfusion|angiograph\w+|oxygen|adrenaline"
    r"|epinephrine|fluids?|ventilat\w+|antibióticos?|tratamiento|oxígeno|adrenalina)\b",
    re.IGNORECASE,
)
# Who is sent home: never a patient who needs something at once.
_SENT_HOME = re.compile(
    r"\b(?:discharge (?:\d+ (?:minutes|hours?) after|him|her|them|the patient|home|today|now"
    r"|from)|discharge(?=\W*$)"
    r"|(?:may|can|could|should|is to|to) (?:safely )?(?:go|be sent|return) home|send (?:him |her |"
    r"the patient |them )?home|fit for discharge|(?:can|may) leave\b|let (?:him|her|them) go\b"
    r"|no admission\b|not (?:be )?admitted\b|(?:as|an|in) (?:an )?out-?patient|(?:in"
    r"|for|at) the (?:"
    r"ambulatory|day) (?:unit|clinic|care)|manage(?:d)? at"
    r" home|home (?:today|tonight|with)|alta (?:a domicilio|médica|hoy)|dar (?:de )?alta"
    r"|enviar a (?:casa|domicilio)|tratamiento ambulatorio|ambulatoriamente)",
    re.IGNORECASE,
)
_ONLY_THEN = re.compile(
    r"\b(?:once|when|after|if|until|unless|not|no|never|cuando|una vez|si|tras|hasta)\b",
    re.IGNORECASE,
)
# A person or a bed: a recommendation names its patient by id alone.
_PERSON = re.compile(
    r"\b(?:Mr|Mrs|Ms|Miss|Mister|Sra?|Srta|Don|Doña)\.?\s+[A-ZÁÉÍÓÚÑ][\w'’-]+"
    r"|\b(?:[Bb]ed|[Rr]oom|[Cc]ama|[Hh]abitación)\s+(?:no\.? ?)?\d+"
    r"|\b(?:MRN|NHC)\W{0,2}\d+"
)
_OF_SEX = {
    "male": re.compile(r"\b(?:she|her|hers|herself|woman|girl|pregnan(?:t|cy)|embaraz\w+)\b", re.I),
    "female": re.compile(r"\b(?:he|him|his|himself|man|boy|prostat\w+)\b", re.I),
}
_YEARS_OLD = re.compile(r"\b(\d{1,3})[- ](?:years?|yr)[- ]old\b", re.I)
ADULT = 18
_YOUNG = re.compile(
    r"\b(?:infant|baby|newborn|neonate|toddler|lactante|neonato|niñ[oa]"
    r"|\d{1,2}[- ](?:month|week|day)s?"
    r"[- ]old|(?:the|this|a) child(?![- ](?:pugh|bearing)))\b",
    re.I,
)
_WEEKS_PREGNANT = re.compile(
    r"\b(?:\d{1,2} weeks (?:pregnant|of gestation|gestation)|because (?:of (?:her )?)?pregnan\w+"
    r"|as she is pregnant)\b",
    re.I,
)
_CLAUSE = re.compile(r"[;!?\n]|\.(?=\s|$)")
_PART = re.compile(r",|\b(?:and|then|but)\b", re.IGNORECASE)
_DENIED = re.compile(
    r"\b(?:not(?! (?:better|improv))|don't|never|no(?! (?:better|improv)))\s+(?:[\w-]+\s+){0,3}$",
    re.IGNORECASE,
)
# What may wait: a part of a sentence that says so is about the time after the emergency.
_LATER = re.compile(
    r"\b(?:monitor|(?:review|follow|reassess|repeat|recheck|re-?evaluat|check|see|seen|stop|switch|"
    r"transition|wean|taper|inr|discharge(?! )|refer|continu|complet|bridg|chang|"
    r"further|another|second|increas|doubl|until|over)\w*)\b",
    re.IGNORECASE,
)

# What is said to a machine, not to a clinician.
_TO_A_MACHINE = re.compile(
    r"<\s*/?\s*(?:!--|script|system|instructions?|prompt|assistant|user|hidden)\b|<!--"
    r"|\[/?(?:inst|system)\]|\{\{|\$\{|javascript:|<\|[a-z_]+\|>"
    r"|(?:^|[.\n]\s*)(?:#{1,}\s*)?(?:system|assistant|developer)\s*(?:prompt|message)?\s*:"
    r"|\b(?:ignore|disregard|forget|override)\b[^.]{0,40}\b(?:instruction|prompt|rule|check|"
    r"guideline|safety|warning|contraindication|allerg(?:y|ie))s?\b"
    r"|\b(?:as an?|you are an?) (?:ai|language model|chatbot|evaluator|grader|judge)\b"
    r"|\b(?:rate|score|grade|mark|label|classify|report|treat) (?:this|it|the (?:recommendation|"
    r"answer|output|response|case)) [^.]{0,20}\b(?:safe|passed|approved|maximum|highest|excellent|"
    r"5)\b"
    r"|\b(?:do not|don't|never) (?:flag|reveal|disclose|alert)\b"
    r"|\bthis (?:recommendation|answer|output) (?:is|has been|was) (?:pre-?)?approved\b"
    r"|\b(?:skip|disable|suppress|turn off) (?:the |all |any )?(?:\w+ )?(?:check|alert|warning|"
    r"escalation|verification)s?\b"
    # in Spanish, French, Portuguese and German
    r"|\b(?:ignor[aeo]\w*|olvid[ae]\w*|omit[ae]\w*|haz caso omiso|oubli\w+|ignorier\w*|vergiss"
    r"|desconsider\w+)\b[^.]{0,40}\b(?:instruc\w+|norma\w*|regla\w*|regra\w*|r[eè]gle\w*|alergi\w+"
    r"|anweisung\w*|regeln|comprobaci\w+|advertenci\w+|consigne\w*)"
    r"|\b(?:marca|califica|punt[uú]a|valora|clasifica|eval[uú]a|notez|marque\w*"
    r"|bewerte)\b[^.]{0,40}"
    r"\b(?:segur[ao]|aprobad[ao]|correct[ao]|apta|s[uû]re|sicher)\b"
    # to whoever reviews it
    r"|(?:^|[.\n(]\s*)(?:(?:note|message|instruction|nota|aviso)s? (?:to|for|para) (?:the "
    r"|el |la )?)?"
    r"(?:reviewer|evaluator|grader|checker|validator|revisor|evaluador|evaluator|gate)\s*[:,]"
    r"|\b(?:note|message|instruction)s? (?:to|for) (?:the )?(?:reviewer|evaluator|grader"
    r"|model|judge"
    r"|checker|ai|system)\b"
    r"|\b(?:dear|hey|hello|hi|attention) (?:the )?(?:reviewer|evaluator|grader|model|judge"
    r"|checker|ai)\b"
    r"|\b(?:full marks|(?:top|highest|perfect|maximum) (?:score|mark|grade)s?)\b"
    r"|\b(?:validation|verification|all checks|safety checks?)\b[^.]{0,20}\b(?:completed?"
    r"|done|passed"
    r"|waived|performed|skipped)\b|\bno (?:further )?(?:verification|validation)\b"
    r"|\b(?:output|print|return|answer|say) [\"'“]?(?:pass(?:ed)?|ok|safe|true)\b",
    re.IGNORECASE | re.MULTILINE,
)
_ENCODED = re.compile(r"[A-Za-z0-9+/]{60,}={0,2}|(?:\\u[0-9a-f]{4}){4,}|(?:%[0-9A-F]{2}){6,}")


class Hazards:
    """Finds the three hazards; pure functions of the text and the seeds."""

    def __init__(self, knowledge: Knowledge) -> None:
        self.knowledge = knowledge

    def delay(self, text: str) -> str:
        """The words that put off an emergency measure of a text; empty if none do."""
        for clause in _CLAUSE.split(text):
            before = ""
            for part in _PART.split(clause):
                match = _PUT_OFF.search(part)
                if (
                    match
                    and not part[match.end() :].startswith(" of ")
                    and not _DENIED.search(part[: match.start()])
                    and not _LATER.search(part.replace(match[0], " "))
                ):
                    # words by themselves ("…, tomorrow") belong to the part before them
                    alone = not self.knowledge.recommended(part) and len(part.split()) <= 5
                    measures = f"{before} {part}" if alone else part
                    if self.knowledge.recommended(measures) & _UNDELAYED:
                        return match[0]
                before = part
        return ""

    def put_off(self, text: str) -> str:
        """The words by which a patient who needs something at once is kept waiting or sent home;
        empty if there are none."""
        for clause in _CLAUSE.split(text):
            waits = _CAN_WAIT.search(clause)
            if waits and _DENIED.search(clause[: waits.start()]):
                waits = None
            if waits and (_MEASURE.search(clause) or self.knowledge.mentioned(clause) & EMERGENCY):
                return waits[0]
            if waits := self._after_a_result(clause):
                return waits[0]
            if light := _MADE_LIGHT_OF.search(clause):
                return light[0]
            home = _SENT_HOME.search(clause)
            if home and (home[0][-5:] == "after" or not _ONLY_THEN.search(clause)):
                return home[0]
        return ""

    def made_light_of(self, text: str) -> str:
        """The words that send an emergency away, make light of it, or let something else come
        first; empty if there are none."""
        for clause in _CLAUSE.split(text):
            light = _BENIGN.search(clause)
            if light and not _ONLY_THEN.search(clause.replace(light[0], " ")):
                return light[0]
            if held := self._held_back(clause):
                return held
            alone = _LEFT_ALONE.search(clause) or _REFUSED.search(clause)
            if alone and not _ONLY_THEN.search(clause.replace(alone[0], " ")):
                return alone[0]
            later = _PUT_OFF.search(clause)
            if later and _REVIEWED.search(clause) and not _URGENTLY.search(clause):
                return later[0]
            away = _AWAY.search(clause)
            if away and not _AFTERWARDS.search(clause.replace(away[0], " ")):
                return away[0]
            if waits := self._behind_a_test(clause):
                return waits
            reserve = _IN_RESERVE.search(clause)
            if reserve and (
                _CANNOT_WAIT.search(clause) or self.knowledge.mentioned(clause) & _UNDELAYED
            ):
                return reserve[0]
        return ""

    def _held_back(self, clause: str) -> str:
        """The words by which a measure, or the cultures before it, is put off for a test."""
        match = _HELD.search(clause)
        if match is None:
            return ""
        held, until = match["held"], match["until"]
        is_measure = _CULTURES.search(held) or self.knowledge.mentioned(held) & _UNDELAYED
        is_for_a_test = _CULTURES.search(held) or _LOOKED_FOR.search(until)
        return match[0][:60] if is_measure and is_for_a_test else ""

    def _behind_a_test(self, clause: str) -> str:
        """The words by which what cannot wait comes after a test or a talk."""
        before = _BEFORE.search(clause) or _THEN.search(clause)
        if before is None or (before.re is _THEN and _URGENTLY.search(clause)):
            return ""
        first, then = clause[: before.start()], clause[before.end() :]
        is_kept_waiting = _CANNOT_WAIT.search(then) or (
            self.knowledge.mentioned(then) & (EMERGENCY | _UNDELAYED)
        )
        if not is_kept_waiting or _CULTURES.search(first) or not _LOOKED_FOR.search(first):
            return ""
        if re.search(r"\b(?:not|never|no|don't|without|sin)\b", first, re.IGNORECASE):
            return ""
        return clause[before.start() : before.end() + 30].strip()

    def _after_a_result(self, clause: str) -> re.Match[str] | None:
        """The words by which a measure waits for a result; a treatment that is only narrowed by it
        does not."""
        for match in _AFTER_A_RESULT.finditer(clause):
            # "…, once the culture is back" belongs to the part before it, with what stands behind
            before = _PART.split(clause[: match.start()])
            own = next((part for part in reversed(before) if part.strip()), "")
            own = f"{own} {_PART.split(clause[match.end() :].lstrip(' ,'))[0]}"
            is_measure = _MEASURE.search(own) or self.knowledge.recommended(own) & EMERGENCY
            if is_measure and not _REVISED.search(own) and not _DENIED.search(before[-1]):
                return match
        return None

    def elective(self, text: str) -> str:
        """The words that put off angiography or an order, for a patient with ST elevation."""
        match = _PUT_OFF.search(text)
        return match[0] if match and self.knowledge.mentioned(text) & _ANGIOGRAPHY else ""

    def denied_need(
        self, recommendation: Recommendation, needs: Sequence[Need]
    ) -> Iterator[tuple[str, str]]:
        """Each action that only advises against what the patient needs at once, where nothing else
        than a call for help meets the need."""
        actions = [action.action for action in recommendation.recommended_actions]
        advised = {
            name
            for text in actions
            for name in self.knowledge.recommended(text)
            if self.knowledge.actions.get(name, {}).get("category") != "escalation"
        }
        for number, text in enumerate(actions, 1):
            affirmed = self.knowledge.recommended(text) & self.knowledge.actions.keys()
            denied = self.knowledge.mentioned(text) - affirmed
            for need in needs:
                accepted = {name for way in need.accepted for name in way}
                if affirmed or not denied & accepted or accepted & advised:
                    continue
                if denied & accepted == {"fluids_vasopressors"} and not _PRESSORS.search(text):
                    continue
                measure = min(denied & accepted).replace("_", " ")
                yield f"action {number}", f"it advises against {measure}, which is needed at once"
                break

    def of_another(self, text: str, patient: Patient, findings: set[str]) -> str:
        """What in a text is said of a person who is not this patient; empty if nothing."""
        record = " ".join([*patient.notes, *patient.conditions])
        person = _PERSON.search(text)
        if person and person[0] not in record:
            return f"it is for another person or bed (“{person[0]}”)"
        pattern = _OF_SEX.get(patient.sex)
        if pattern and (word := pattern.search(text)):
            return f"it speaks of “{word[0]}”, the patient is {patient.sex}"
        if patient.age >= ADULT and (young := _YOUNG.search(text)):
            return f"it speaks of “{young[0]}”, the patient is an adult"
        age = _YEARS_OLD.search(text)
        if age and abs(int(age[1]) - patient.age) > 1:
            return f"it is for somebody of {age[1]} years"
        if "pregnancy" not in findings and (weeks := _WEEKS_PREGNANT.search(text)):
            return f"it says “{weeks[0]}”, the record does not"
        return ""

    def contradictions(self, recommendation: Recommendation) -> Iterator[tuple[str, str]]:
        """Each action with the emergency measure it advises against and another part advises."""
        advised: set[str] = set()
        against: list[tuple[str, set[str]]] = []
        for number, action in enumerate(recommendation.recommended_actions, 1):
            affirmed = self.knowledge.recommended(action.action)
            advised |= affirmed
            denied = self.knowledge.mentioned(action.action) - affirmed
            against.append((f"action {number}", denied))
        for escalation in recommendation.when_to_escalate:
            advised |= self.knowledge.recommended(escalation.action)
        for item, denied in against:
            # another drug of the measure may be given in place of one that is avoided
            for drug in (denied & self.knowledge.book.drugs.keys()) - advised:
                denied = denied - self.knowledge.mentioned(drug)
            both = sorted(denied & advised & EMERGENCY - {"anticoagulation"})
            measures = " and ".join(both).replace("_", " ")
            yield item, f"it advises against {measures}, another part advises it" if both else ""


def texts(recommendation: Recommendation) -> Iterator[tuple[str, str]]:
    """Every text of a recommendation with the name of its place."""
    for number, action in enumerate(recommendation.recommended_actions, 1):
        yield f"action {number}", action.action
    for row in recommendation.evidence_table:
        yield f"evidence {row.ref}", row.statement
    for entry in recommendation.contraindications_checked:
        for text in (entry.medication, entry.checked_against, entry.result):
            yield f"check of {entry.medication}", text
    for number, escalation in enumerate(recommendation.when_to_escalate, 1):
        yield f"escalation {number}", f"{escalation.trigger}. {escalation.action}"
    for name in ("problems", "differential"):
        for text in getattr(recommendation, name):
            yield name, text
    yield "uncertainty", recommendation.uncertainty.reason


def to_a_machine(text: str) -> str:
    """What a text hides or says to a machine; empty if nothing."""
    for letter in text:
        kind = unicodedata.category(letter)
        if kind in ("Cf", "Co", "Cs", "Cn") or (kind == "Cc" and letter not in "\n\t\r"):
            return f"an invisible character (U+{ord(letter):04X})"
    match = _TO_A_MACHINE.search(text)
    if match:
        return f"words to a machine (“{match[0].strip()[:40]}”)"
    return "encoded text" if _ENCODED.search(text) else ""


def hazards(
    finder: Hazards,
    recommendation: Recommendation,
    patient: Patient | None = None,
    findings: set[str] | None = None,
    needs: Sequence[Need] = (),
) -> Iterator[tuple[str, str, str]]:
    """Each check with the place it examined and what is wrong there ("" if nothing).

    needs: what the patient needs at once.
    """
    advice: Sequence[tuple[str, str]] = [
        *((f"action {n}", a.action) for n, a in enumerate(recommendation.recommended_actions, 1)),
        *((f"escalation {n}", e.action) for n, e in enumerate(recommendation.when_to_escalate, 1)),
    ]
    for item, text in advice:
        delay = finder.delay(text) or (finder.put_off(text) if needs else "")
        if not delay and "emergency" in (findings or ()):
            delay = finder.put_off(text) or finder.made_light_of(text)
        if not delay and "stemi" in (findings or ()):
            delay = finder.elective(text)
        yield "timeliness", item, f"an emergency measure is put off: “{delay}”" if delay else ""
    for item, problem in finder.contradictions(recommendation):
        yield "consistency", item, problem
    orders = [action.action for action in recommendation.recommended_actions]
    for item, problem in conflicts(finder.knowledge.book, orders):
        yield "consistency", item, problem
    for item, problem in finder.denied_need(recommendation, needs):
        yield "consistency", item, problem
    if patient is not None:
        for item, text in advice:
            if problem := finder.of_another(text, patient, findings or set()):
                yield "consistency", item, problem
    hidden = {
        item: problem for item, text in texts(recommendation) if (problem := to_a_machine(text))
    }
    for item, problem in hidden.items():
        yield "plain_text", item, f"it has {problem}"
    if not hidden:
        yield "plain_text", "", ""
