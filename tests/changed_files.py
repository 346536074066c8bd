"""What differs from a branch: `make test-fast` leaves out the tests of the rest."""

import subprocess


def changed_files(branch: str) -> set[str]:
    """Files that differ from where this work left the branch, new ones included."""

    def git(*arguments: str) -> list[str]:
        return subprocess.run(
            ("git", *arguments), check=True, capture_output=True, text=True
        ).stdout.splitlines()

    (base,) = git("merge-base", "HEAD", branch)
    return {*git("diff", "--name-only", base), *git("ls-files", "--others", "--exclude-standard")}
