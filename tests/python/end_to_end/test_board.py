"""The light example for BI: the notebook runs on what a build has served."""

import json
import os

import project

from python_llm import paths

NOTEBOOK = paths.project_root() / "bi" / "board.ipynb"


def run_cells(arguments: list[str]) -> int:
    """The cells, in a process of its own and in the folder that gets the page."""
    folder, *cells = arguments
    os.chdir(folder)
    names: dict[str, object] = {}
    for cell in cells:
        exec(cell, names)
    board, figures, calls = (names[name] for name in ("board", "figures", "calls"))
    assert len(board) > 0
    assert calls["attempts"].sum() > 0
    assert [len(figure.data) > 0 for figure in figures] == [True] * 4
    return 0


def test_the_board_is_drawn_from_what_is_served(built, tmp_path):
    scratch, _ = built
    content = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    cells = ["".join(cell["source"]) for cell in content["cells"] if cell["cell_type"] == "code"]
    assert not any(cell.get("outputs") for cell in content["cells"])
    done = project.forked(run_cells, [str(tmp_path), *cells], scratch.environment)
    assert done.returncode == 0, done.stdout
    page = (tmp_path / "board.html").read_text(encoding="utf-8")
    assert page.count("plotly-graph-div") == 4
    assert 'src="http' not in page  # it opens without a network
