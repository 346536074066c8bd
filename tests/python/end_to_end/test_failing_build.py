"""What a build says first when a rule of ours does not hold."""

import duckdb
from scratch import Scratch

SECRET = "Sixty years old, lives in Arles"


def test_a_failing_build_names_the_case_in_its_first_lines(groundwork, tmp_path):
    groundwork.copy_to(tmp_path)
    scratch = Scratch.make(tmp_path)
    with duckdb.connect(str(scratch.warehouse)) as connection:
        connection.execute(
            f"update dim_case set sex = '{SECRET}' where case_id = 'simulated_rare_200/0007'"
        )
    code, output = scratch.build(dbt=("--select", "dim_case,resource_type:test"))
    assert code == 1
    lines = output.splitlines()
    (summary,) = [number for number, line in enumerate(lines) if line.startswith("dbt: ")]
    assert lines[summary + 1].startswith("FAIL accepted_values_dim_case_sex")
    assert any("case_id=simulated_rare_200/0007" in line for line in lines[summary + 1 :][:4])
    assert SECRET not in output
    assert "Traceback" not in output
    log = (tmp_path / "logs" / "dbt.log").read_text()
    assert "accepted_values_dim_case_sex" in log
    assert SECRET not in log
