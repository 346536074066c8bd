"""The wheel carries the dbt project too, which `kernel29 init` lays out where it is wanted.

What belongs to it is listed in pyproject.toml under [tool.kernel29].
"""

import shutil
import tomllib
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["kernel29"]


class BuildWithProject(build_py):
    """Copies the project into the package, unless it is installed from where it lies."""

    def run(self) -> None:
        if not self.editable_mode:  # nothing that was built before, and is gone since
            shutil.rmtree(self.build_lib, ignore_errors=True)
        super().run()
        if self.editable_mode:
            return
        target = Path(self.build_lib, "kernel29", "project")
        ignore = shutil.ignore_patterns("__pycache__", ".venv", ".superset", ".lock")
        for name in PROJECT["project"]:
            source = ROOT / name
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                shutil.copytree(source, target / name, ignore=ignore)
            else:
                shutil.copyfile(source, target / name)


setup(cmdclass={"build_py": BuildWithProject})
