"""Reading analyses, and typing by rules."""

import csv
import json
from pathlib import Path

import pytest

from python_llm import paths
from python_llm.parsing.folding import rule_text
from python_llm.questions.analysis import fields_of, parse_analysis
from python_llm.questions.asking import asked_phrases, statement_topics
from python_llm.questions.typing_rules import Question, RuleError, compile_rules, type_question


@pytest.fixture(scope="module")
def rules():
    file = paths.project_root() / "seeds/questions/question_type_rules.csv"
    with file.open(encoding="utf-8", newline="") as handle:
        rows = list(csv.DictReader(handle))
    return compile_rules(
        {**r, "rule_pass": int(r["rule_pass"]), "priority": int(r["priority"])} for r in rows
    )


@pytest.mark.parametrize(
    ("vignette", "stem", "options", "question_type"),
    [
        (None, "What is the most likely diagnosis?", [], "diagnostic"),
        (None, "What is the most appropriate next step in management?", [], "treatment"),
        (None, "Which of the following is the mechanism of action of this drug?", [], "mechanism"),
        # a work-up is no treatment, whether the stem says so or the options
        (None, "Which of the following is the next best diagnostic step?", [], "lab_finding"),
        (
            None,
            "Which of the following is the most appropriate next step in management?",
            ["Pelvic ultrasound", "Serum androgen level", "MRI of the brain", "Reassurance"],
            "lab_finding",
        ),
        (
            None,
            "Which of the following is the most appropriate next step in management?",
            ["Pelvic ultrasound", "Hysterectomy", "Oral contraceptives", "Reassurance"],
            "treatment",
        ),
        (None, "¿Cuál es la actitud diagnóstica más apropiada?", [], "lab_finding"),
        (None, "¿Cuál de las siguientes técnicas quirúrgicas es la más adecuada?", [], "treatment"),
        # the cause is no finding
        (None, "What is the most likely cause of these laboratory findings?", [], "diagnostic"),
        (None, "¿A qué se debe con mayor probabilidad este hallazgo?", [], "diagnostic"),
        (None, "¿Qué esperaría encontrar si la causa fuera un SIADH?", [], "lab_finding"),
        # where the stem says nothing, what most options are about
        (
            "Mujer con linfoma y dolor óseo.",
            "Señale la respuesta INCORRECTA:",
            [
                "El tratamiento de elección es la quimioterapia",
                "La radioterapia está indicada como paliación",
                "Deben administrarse opioides",
                "Se puede optimizar el tratamiento con corticoides",
            ],
            "treatment",
        ),
        (
            None,
            "Señale la respuesta correcta:",
            [
                "Los linfocitos B producen anticuerpos",
                "Las citocinas activan receptores",
                "La secreción de IL-4 disminuye",
                "Hay mutaciones del gen",
            ],
            "mechanism",
        ),
        # about several things at once
        (
            None,
            "Señale la respuesta correcta:",
            ["Es más frecuente en varones", "El tratamiento es quirúrgico", "Uno", "Dos"],
            "other",
        ),
        # a statement about a disease is about several things; its topic may tell the type
        (None, "En relación con la gota, señale la respuesta falsa:", ["a", "b", "c"], "other"),
        (None, "El hiperparatiroidismo primario:", ["Es raro", "Se opera", "Cura solo"], "other"),
        (None, "Which of the following statements is true of gout?", ["a", "b", "c"], "other"),
        (None, "Señale la FALSA sobre clínica, diagnóstico y tratamiento de la gota:", [], "other"),
        (None, "Respecto a los linfocitos B, es cierto que:", [], "mechanism"),
        (None, "Respecto a las manifestaciones de la gota, señale la falsa:", [], "lab_finding"),
        (
            None,
            "Señale la respuesta correcta:",
            ["El tratamiento es oral", "Puede requerir cirugía", "Es rara", "Es hereditaria"],
            "other",
        ),
        # a case that was asked about is no statement
        (None, "¿Cuál es el diagnóstico? Señale la respuesta correcta:", [], "diagnostic"),
        # what all options are
        (
            None,
            "The most likely cause is entrapment of which of the following?",
            ["Ulnar nerve", "Median nerve", "Radial nerve", "Axillary nerve"],
            "anatomy",
        ),
        (
            None,
            "What is the most likely cause of his weakness?",
            ["Ulnar nerve palsy", "Median nerve palsy", "Radial nerve injury", "Brachial neuritis"],
            "diagnostic",
        ),
        (None, "Le corresponde un volumen de:", ["10 ml/kg", "20 ml/kg", "30 ml/kg"], "treatment"),
        (
            None,
            "La reacción de este paciente:",
            ["Es un falso positivo", "Es un verdadero positivo", "Es un falso negativo"],
            "epidemiology",
        ),
        # reassurance is no test, even where it names one
        (
            None,
            "¿Cuál es la actitud a seguir?",
            ["Tranquilizarla: la prueba es normal", "Seguimiento con biopsia", "Hacer biopsia"],
            "treatment",
        ),
        (None, "¿Cuál es el objetivo de este tratamiento?", [], "mechanism"),
        (None, "¿Cómo deberíamos proceder?", [], "treatment"),
        (None, "¿Qué recomendación haría a esta gestante?", [], "treatment"),
        (None, "¿Qué precauciones de aislamiento se deben adoptar?", [], "treatment"),
        ("Se le ofrece el cribado.", "¿En qué periodo debería realizarse?", [], "epidemiology"),
        (
            "A placebo-controlled trial of a drug for colds.",
            "Which is the most appropriate interpretation of these study results?",
            [],
            "epidemiology",
        ),
        (
            "He says that he cannot fail to disclose this mistake.",
            "What is the most appropriate action?",
            [],
            "ethics",
        ),
        (
            "An operation is due.",
            "What is the next step?",
            ["Get consent", "Ask for consent"],
            "ethics",
        ),
        ("An operation is due.", "What is the next step?", ["Get consent", "Operate"], "treatment"),
        (None, "¿Qué nervio está lesionado?", [], "anatomy"),
        (None, "¿Cuál es el tratamiento de elección?", [], "treatment"),
        (None, "Which of the following is the strongest risk factor?", [], "epidemiology"),
        ("The most likely diagnosis is asked for.", None, [], "diagnostic"),
        # a suspicion that is given is not asked for, and an option that tells is no diagnosis
        (
            None,
            "Con la sospecha diagnóstica de una vasculitis, señale la INCORRECTA:",
            ["Puede cursar con uveítis", "La VSG normal la descarta", "El tratamiento es oral"],
            "other",
        ),
        (None, "En relación con la respuesta a esta vacuna, señale la falsa:", [], "mechanism"),
        (
            None,
            "¿Cuál de estas alteraciones es más frecuente en este cáncer?",
            ["Mutación de KRAS", "Fusión de NTRK", "Reordenamiento de ALK"],
            "mechanism",
        ),
        (
            None,
            "What is the most likely etiology of the findings?",
            ["Acyclovir", "Atorvastatin", "Metformin", "Metoprolol"],
            "pharmacology",
        ),
        (
            None,
            "Respecto a la utilidad de la ecografía en el diagnóstico del dolor, señale la cierta:",
            [],
            "lab_finding",
        ),
        (
            None,
            "¿Qué haría primero en esta situación?",
            ["Aceptar la petición del familiar", "Rechazar la solicitud de la hija", "Otra"],
            "ethics",
        ),
        (None, "¿Cuál es el diagnóstico más probable y qué actitud adoptaría?", [], "other"),
        (None, "¿Qué problema puede desencadenar la toma de este fármaco?", [], "pharmacology"),
        (None, "La base neurobiológica de la bulimia consiste en una disfunción:", [], "mechanism"),
        (None, "Es signo de mal pronóstico la existencia de:", [], "epidemiology"),
        (None, "El riesgo de hepatocarcinoma, según la etiología, depende de:", [], "epidemiology"),
        (None, "Los carcinomas serosos tienen su origen en:", [], "anatomy"),
        (
            None,
            "El ensayo clínico que busca el intervalo de dosis adecuadas es un:",
            ["Estudio preclínico", "Ensayo clínico fase I", "Ensayo clínico fase II"],
            "epidemiology",
        ),
        (None, "Which of these serum abnormalities is also present?", [], "lab_finding"),
        (None, "Which of the following is inhibited by this drug?", [], "mechanism"),
        (None, "The deficiency caused by this drug is prevented by which?", [], "pharmacology"),
        (None, "Which feature most increases her chance of this cancer?", [], "epidemiology"),
        (None, "Which result would establish peritonitis?", [], "lab_finding"),
        (None, "His presentation is most consistent with:", [], "diagnostic"),
        (None, "What proportion of their children will be affected?", [], "epidemiology"),
        (None, "¿Cuál sería su propuesta?", [], "treatment"),
        (None, "El efecto hipoglucemiante de las gliflozinas depende de:", [], "mechanism"),
        (None, "¿Con qué fármaco se deben vigilar los neutrófilos?", [], "pharmacology"),
        (None, "La asociación de ambos puede ocasionar:", [], "pharmacology"),
        (None, "Which value is monitored in a patient on amiodarone?", [], "pharmacology"),
        ("Usted comete un error.", "¿Cuál es la conducta correcta?", [], "ethics"),
        ("A colleague arrives intoxicated.", "What should she do first?", [], "ethics"),
        (None, "La ecografía de una colecistitis suele mostrar:", [], "lab_finding"),
        (None, "Which glycoprotein is missing?", [], "mechanism"),
        (None, "Where is the lesion?", [], "anatomy"),
        (None, "How should the infant be delivered?", [], "treatment"),
        (None, "Which type of tumor is most likely?", [], "diagnostic"),
        (None, "Biopsy of the temporal artery would most likely reveal:", [], "lab_finding"),
        ("Nothing is asked.", None, [], "other"),
    ],
)
def test_questions_are_typed(rules, vignette, stem, options, question_type):
    assert type_question(rules, Question(vignette, stem, options))[0] == question_type


def test_spanish_stems_are_typed_as_labelled(rules):
    """Stems in the wording of Spanish examinations, written and labelled for this test."""
    file = Path(__file__).with_name("spanish_stems.csv")
    with file.open(encoding="utf-8", newline="") as handle:
        stems = list(csv.DictReader(handle))
    wrong = [
        row["stem"]
        for row in stems
        if type_question(rules, Question(None, row["stem"], []))[0] != row["question_type"]
    ]
    assert len(wrong) / len(stems) <= 0.05, wrong


def test_spanish_questions_are_typed_as_labelled(rules):
    """Questions in the form of Spanish examinations, written and labelled before the rules saw
    them. `also_fair`: types that another rater could give."""
    file = Path(__file__).with_name("spanish_questions.csv")
    with file.open(encoding="utf-8", newline="") as handle:
        rows = list(csv.DictReader(handle))
    typed = [
        (
            row,
            *type_question(rules, Question(None, row["question_text"], row["options"].split("|"))),
        )
        for row in rows
    ]
    off = [
        f"{row['question_text']} {kind}" for row, kind, *_ in typed if kind != row["question_type"]
    ]
    wrong = [
        f"{row['question_text']} {kind}"
        for row, kind, *_ in typed
        if kind not in (row["question_type"], *row["also_fair"].split("|"))
    ]
    assert not [row["question_text"] for row, _, rule, _ in typed if rule is None]
    assert len(off) / len(rows) <= 0.1, off
    assert len(wrong) / len(rows) <= 0.05, wrong


@pytest.mark.parametrize(
    ("stem", "begins"),
    [
        ("¿qué prueba de las siguientes realizaría antes de la intervención?", "prueba de las"),
        ("¿ cuál de los siguientes es el diagnóstico más probable ?:", "diagnostico"),
        ("de las siguientes, ¿cuál sería la mejor opción terapéutica?", "opcion terapeutica"),
        ("señale cuál de los siguientes no es un factor de riesgo:", "factor de riesgo"),
        ("en la gota aguda, el tratamiento de elección es:", "tratamiento de eleccion"),
        ("¿qué explica el cuadro? señale la causa más probable:", "explica"),
        ("hombre con fiebre. indique la actitud más adecuada:", "actitud mas adecuada"),
    ],
)
def test_what_a_stem_asks_for_is_read_by_its_grammar(stem, begins):
    assert asked_phrases(rule_text(stem))[0].startswith(begins)


def test_only_statements_have_a_topic():
    about = rule_text("Respecto al tratamiento de la gota, señale la respuesta falsa:")
    asking = rule_text("Respecto al tratamiento de la gota, ¿qué prueba haría antes?")
    assert statement_topics(about, asked_phrases(about)) == [
        "tratamiento de la gota, senale la respuesta falsa:"
    ]
    assert statement_topics(asking, asked_phrases(asking)) == []


def test_what_statements_leave_open_is_other(rules):
    question = Question(None, "Señale la respuesta correcta:", ["uno", "dos", "tres"])
    assert type_question(rules, question) == ("other", "statement", "stem")


def test_a_broken_pattern_is_named():
    row = {
        "rule_id": "r",
        "rule_pass": 2,
        "priority": 1,
        "question_type": "other",
        "pattern": "(",
        "context_pattern": None,
        "options_pattern": None,
    }
    with pytest.raises(RuleError, match=r"rule r: pattern is not a regular expression"):
        compile_rules([row])


def test_an_analysis_is_found_inside_what_surrounds_it():
    draft, final = {"direct_answer": "draft"}, {"direct_answer": "B12", "management_options": ["x"]}
    text = f"Thinking {{a}} {json.dumps(draft)} so\n```json\n{json.dumps(final)}\n```"
    analysis = parse_analysis(text)
    assert analysis is not None
    assert analysis.direct_answer == "B12"
    assert [(f["field"], f["field_rank"]) for f in fields_of(analysis)] == [
        ("direct_answer", 1),
        ("management_options", 1),
        ("full_text", None),
    ]


@pytest.mark.parametrize(
    "text", [None, "", "no json", "{}", '{"other": 1}', '{"direct_answer": ""}']
)
def test_what_is_no_analysis_is_none(text):
    assert parse_analysis(text) is None
