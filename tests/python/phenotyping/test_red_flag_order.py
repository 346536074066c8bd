"""Red flags stand once each, with all their words, in one order."""

from itertools import permutations

from python_llm.phenotyping.one_patient import _red_flags


class Tables:
    """As much of the models as red flags are read from."""

    def __init__(self, flags):
        self._tables = {
            "fct_red_flag": flags,
            "int_phenotyping__mentions": [
                {
                    "hpo_id": "HP:0100806",
                    "finding": "Sepsis",
                    "written": "septic",
                    "status": "present",
                }
            ],
            "abnormal_values": [],
        }

    def rows(self, name):
        return self._tables[name]


def flag(hpo_id, name, severity, written):
    row = {"hpo_id": hpo_id, "flag_name": name, "severity": severity, "written": written}
    return {**row, "reason": f"for {hpo_id}", "source": "a guideline"}


FLAGS = [
    flag("sign:b", "Adrenal crisis", "URGENT", "vomiting, collapse"),
    flag("sign:a", "Adrenal crisis", "URGENT", "adrenal crisis, collapse"),
    flag("sign:c", "Weight loss", "HIGH", "thin"),
    flag("HP:0100806", "Sepsis", "URGENT", None),
]


def test_flags_and_words_stand_in_one_order():
    expected = [
        ("Adrenal crisis", "adrenal crisis, collapse, vomiting", "for sign:a"),
        ("Sepsis", "septic", "for HP:0100806"),
        ("Weight loss", "thin", "for sign:c"),
    ]
    for flags in permutations(FLAGS):
        told = [
            (row["flag_name"], row["words"], row["reason"]) for row in _red_flags(Tables(flags))
        ]
        assert told == expected
