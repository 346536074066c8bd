"""What speaks for or against a drug is found in Spanish as it is in English."""

import pytest

from python_llm.recommendations.wording.phrases import clauses


@pytest.mark.parametrize(
    ("text", "finding"),
    [
        ("Choque cardiogénico.", "cardiogenic_shock"),
        ("Disfunción sistólica grave.", "reduced_ef"),
        ("FEVI conservada.", "preserved_ef"),
        ("Estenosis mitral grave.", "mitral_stenosis"),
        ("Síndrome antifosfolípido.", "antiphospholipid"),
        ("Miocardiopatía hipertrófica obstructiva.", "hocm"),
        ("Taquicardia ventricular.", "ventricular_arrhythmia"),
        ("Trasplante cardíaco en 2020.", "heart_transplant"),
        ("Fallo hepático.", "acute_liver_failure"),
        ("Obstrucción intestinal.", "bowel_obstruction"),
        ("Hipoglucemia.", "hypoglycemia"),
        ("Crisis hipertensiva.", "severe_hypertension"),
        ("Sobrecarga del ventrículo derecho.", "rv_strain"),
        ("Ideación suicida.", "depression"),
    ],
)
def test_a_finding_is_told_in_spanish(knowledge, text, finding):
    told = {name for tokens in clauses(text) for name, _, _ in knowledge.told_findings(tokens)}
    assert finding in told
    denied = [*clauses(f"Sin {text.lower()}")]
    assert finding not in {name for c in denied for name, _, _ in knowledge.told_findings(c)}
