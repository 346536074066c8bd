"""What a column of certainty says of a diagnosis, in words of six languages."""

import pytest

from python_llm.imports.certainty import of_rows
from python_llm.imports.certainty_words import of_text
from python_llm.parsing.folding import column_key
from python_llm.test_sets.importing import import_cases
from python_llm.test_sets.store import read_records

WORDS = {
    "certain": "Confirmado; confirmada por biopsia; certa; gesichert; bestätigt; confirmée; sûr"
    "; biopsy-proven; sin duda; ohne Zweifel; accertata; nachgewiesen; comprovado; sim; firme",
    "doubted": "pendiente; pte. biopsia; falta confirmar; sin confirmar; en estudio; sospechoso"
    "; muy probable; suspeito; provável; em investigação; aguardando biópsia; não confirmado"
    "; sospetta; da confermare; in attesa; non escluso; vermutet; unklar; noch nicht bestätigt"
    "; in Abklärung; mutmaßlich; nicht ausgeschlossen; à confirmer; en attente; douteux"
    "; vraisemblable; pending; under investigation; highly likely; not yet confirmed; confirmed?"
    "; unknown; não; certeza baja; inconclusive; geringe Sicherheit",
    "excluded": "ruled out; excluído; se descarta; esclusa; ausgeschlossen; exclue; on a écarté"
    "; falso positivo; refuted; widerlegt; smentito",
    "past": "Zustand nach; history of",
    "unknown": "tipo B; hausärztlich; to discuss with the team",
    None: "; -; n/a; 4; crónico",
}
HEADINGS = (
    "certeza; Certeza diagnóstica; grau de certeza; Grado de certeza; certezza; livello di certezza"
    "; Sicherheit; Grad der Sicherheit; certitude; degré de certitude; Diagnostic certainty"
    "; estado del diagnóstico; statut du diagnostic; Stato della diagnosi; confirmação"
)


def test_words_of_certainty_in_six_languages():
    wrong = {
        word.strip(): how and how.value
        for expected, words in WORDS.items()
        for word in words.split(";")
        if ((how := of_text(word.strip())) and how.value) != expected
    }
    assert wrong == {}


def test_headings_of_certainty_in_six_languages():
    values = ("confirmado", "suspeito", "descartado")
    unknown = []
    for heading in HEADINGS.split(";"):
        column = column_key(heading)
        held = of_rows([{column: value} for value in values], are_of_findings=False)
        if [says(value).value for _, says in held for value in values] != [
            "certain",
            "doubted",
            "excluded",
        ]:
            unknown.append(heading)
    assert unknown == []


@pytest.mark.parametrize(
    ("heading", "values", "golds"),
    [
        ("grau de certeza", ("confirmado", "suspeito", "tipo B"), ["Gout"]),
        ("certezza", ("confermata", "esclusa", "in attesa"), ["Gout"]),
        ("Sicherheit", ("G", "V", "unklar"), ["Gout"]),
        ("certeza", ("", "pendiente", "seguro"), ["Gout", "Scabies"]),
        ("confirmação", ("sim", "não", "sim"), ["Gout", "Scabies"]),
        ("diagnosis_status", ("chronic", "suspected", "new"), ["Gout", "Scabies"]),
        ("Sicherheitshinweis", ("keiner", "Sturz", "pendiente"), ["Gout", "Flu", "Scabies"]),
        ("estado", ("casado", "soltero", "viudo"), ["Gout", "Flu", "Scabies"]),
    ],
)
def test_an_unknown_word_is_never_certain(tmp_path, heading, values, golds):
    names = ("Gout", "Flu", "Scabies")
    rows = [f"{n},Pain,{names[n]},{value}" for n, value in enumerate(values)]
    content = "\n".join([f"id,text,diagnosis,{heading}", *rows, ""])
    (tmp_path / "a.csv").write_text(content)
    outcome = import_cases(tmp_path / "a.csv", None, "mine", tmp_path / "cases")
    records = read_records(tmp_path / "cases").to_pylist()
    assert [name for record in records for name in record["gold_names"]] == golds
    assert len(outcome.rejects) == 3 - len(golds)
