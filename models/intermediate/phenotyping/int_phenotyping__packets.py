"""The context packet of every case that no red flag stops."""

from python_llm.phenotyping.packets import build_packets


def model(dbt, session):
    numbers = dbt.ref("work_up_parameters")
    difference = numbers.filter("parameter = 'discriminating_difference'").fetchone()[1]
    return build_packets(
        dbt.ref("int_phenotyping__packet_cases").to_arrow_table(),
        dbt.ref("int_phenotyping__packet_phenotypes").to_arrow_table(),
        dbt.ref("int_phenotyping__red_flags").to_arrow_table(),
        dbt.ref("int_phenotyping__candidates").to_arrow_table(),
        dbt.ref("int_phenotyping__features").to_arrow_table(),
        dbt.ref("int_phenotyping__compared_profiles").to_arrow_table(),
        dbt.ref("int_phenotyping__feature_tests").to_arrow_table(),
        dbt.ref("diagnostic_tests").to_arrow_table(),
        dbt.ref("int_phenotyping__reanalysis").to_arrow_table(),
        difference,
    )
