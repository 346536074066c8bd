"""Parts of one recommendation that exclude each other are found; a condition contradicts none."""

import pytest

from python_llm.recommendations.checks.contradictions import conflicts


@pytest.mark.parametrize(
    ("first", "second", "is_conflict"),
    [
        ("Start edoxaban 60 mg once a day.", "Avoid edoxaban.", True),
        ("Start edoxaban 60 mg once a day.", "Edoxaban must not be given.", True),
        ("Start rivaroxaban 15 mg twice a day.", "Stop all anticoagulants.", True),
        ("Give tinzaparin 175 units/kg now.", "No dar ningún anticoagulante hoy.", True),
        ("Give dalteparin 200 units/kg now.", "No anticoagulation until the scan is read.", True),
        ("Give ceftriaxone 2 g.", "Do not give any antibiotic.", True),
        ("Give metoprolol 5 mg.", "Avoid beta blockers because of the wheeze.", True),
        ("Start edoxaban 60 mg once a day.", "Stop edoxaban if she bleeds.", False),
        ("Start edoxaban 60 mg once a day.", "Do not give edoxaban with dronedarone.", False),
        ("Start edoxaban 60 mg once a day.", "Stop other anticoagulants.", False),
        ("Start edoxaban 60 mg once a day.", "Avoid rivaroxaban.", False),
        ("Start edoxaban once the bleeding has stopped.", "Stop all anticoagulants.", False),
        ("Give aspirin 300 mg now.", "Avoid NSAIDs.", False),
        ("Give vancomycin 1 g.", "Avoid nephrotoxic drugs.", False),
        ("Give furosemide 40 mg intravenously now.", "Stop oral furosemide.", False),
        ("Give heparin 5000 units now.", "Do not give a second bolus of heparin.", False),
        ("Stop warfarin and start heparin 18 units/kg/h.", "Avoid warfarin.", False),
        ("Oxygen to SpO2 88-92 %.", "Oxygen to SpO2 94-98 %.", True),
        ("Oxígeno para saturación de 88 a 92 %.", "Oxygen to 94 to 98 percent.", True),
        ("Oxygen to SpO2 88-92 %.", "Keep saturation at 90 to 92 percent.", False),
        ("Oxygen to SpO2 94-98 %.", "Oxygen to 88-92 % if carbon dioxide rises.", False),
        ("Oxygen to SpO2 94-98 %.", "Avoid oxygen to 88-92 %.", False),
        ("Oxygen to SpO2 88-92 %, not 94-98 %.", "Oxygen to SpO2 88-92 %.", False),
    ],
)
def test_what_is_given_is_not_forbidden(knowledge, first, second, is_conflict):
    for actions in ([first, second], [second, first]):
        assert bool(list(conflicts(knowledge.book, actions))) is is_conflict
