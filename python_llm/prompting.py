"""Load, compose and version prompts.

A prompt is a folder of text files: `user.txt` and, if the prompt has one, `system.txt` are the
templates; every other file is a section. `{name}` in a template stands for the section
`name.txt` of the folder, or of `_sections/` when the folder has none, or for one of the
placeholders the registry declares, which SQL fills once per case. `{{` and `}}` are braces.
Whatever does not add up is a PromptError naming file and line.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

PROMPTS = Path(__file__).parent / "prompts"
SHARED = "_sections"
TEMPLATES = ("system", "user")
TOKEN = re.compile(r"\{\{|\}\}|\{([^{}\n]*)\}|\{|\}")

PROMPT_SCHEMA = pa.schema(
    [
        ("prompt_alias", pa.string()),
        ("prompt_version", pa.string()),
        ("system_template", pa.string()),
        ("user_template", pa.string()),
        ("placeholders", pa.list_(pa.string())),
        ("section_files", pa.list_(pa.string())),
    ]
)


class PromptError(ValueError):
    """A prompt folder that cannot be composed; the text names file, line and remedy."""


@dataclass(frozen=True)
class Prompt:
    """A composed prompt: static parts filled in, `{placeholder}`s still open.

    `version` is the first 12 hex digits of the sha256 of both templates: one changed word, one
    new version.
    """

    alias: str
    system_template: str | None
    user_template: str
    placeholders: tuple[str, ...]
    section_files: tuple[str, ...]

    @property
    def version(self) -> str:
        text = "\x1f".join([self.system_template or "", self.user_template])
        return hashlib.sha256(text.encode()).hexdigest()[:12]


def compose(alias: str, placeholders: Iterable[str], root: Path = PROMPTS) -> Prompt:
    """Compose the prompt of folder `alias`; `placeholders` are the names filled per case."""
    folder = root / alias
    if not folder.is_dir():
        raise PromptError(
            f"Prompt '{alias}' is registered but {root.name}/{alias}/ does not exist: "
            "make the folder or remove the row from prompt_registry.csv."
        )
    declared = tuple(placeholders)
    used: set[str] = set()
    files: list[Path] = []
    filled = {
        name: _fill(folder / f"{name}.txt", folder, root, declared, used, files, ())
        for name in TEMPLATES
        if name == "user" or (folder / f"{name}.txt").is_file()
    }
    unused = [name for name in declared if name not in used]
    if unused:
        raise PromptError(
            f"{alias}/user.txt does not use the placeholder {{{unused[0]}}} that "
            "prompt_registry.csv declares: use it or take it out of the registry."
        )
    idle = sorted(p.name for p in folder.glob("*.txt") if p not in files)
    if idle:
        raise PromptError(
            f"{alias}/{idle[0]} is in no template of the prompt: use it or delete it."
        )
    return Prompt(
        alias,
        filled.get("system"),
        filled["user"],
        declared,
        tuple(sorted(str(path.relative_to(root)) for path in files)),
    )


def _fill(
    path: Path,
    folder: Path,
    root: Path,
    declared: tuple[str, ...],
    used: set[str],
    files: list[Path],
    parents: tuple[Path, ...],
) -> str:
    """The text of `path` with its sections in place and its declared placeholders left open."""
    where = path.relative_to(root)
    if not path.is_file():
        raise PromptError(f"{where} is missing: every prompt needs it.")
    if path in parents:
        raise PromptError(f"{where} includes itself through {parents[-1].name}.")
    text = path.read_text(encoding="utf-8").strip("\n")
    files.append(path)

    def replace(match: re.Match[str]) -> str:
        token, name = match.group(0), match.group(1)
        line = text.count("\n", 0, match.start()) + 1
        if token in ("{{", "}}"):
            return token[0]
        if name is None or not re.fullmatch(r"[a-z][a-z0-9_]*", name):
            raise PromptError(
                f"{where}, line {line}: '{token}' is no placeholder; write a literal brace twice."
            )
        if name in declared:
            used.add(name)
            return token
        section = next(
            (p for p in (folder / f"{name}.txt", root / SHARED / f"{name}.txt") if p.is_file()),
            None,
        )
        if section is None:
            raise PromptError(
                f"{where}, line {line}: {{{name}}} is neither a section of the prompt, nor one of "
                f"{SHARED}/, nor declared in prompt_registry.csv."
            )
        return _fill(section, folder, root, declared, used, files, (*parents, path))

    return TOKEN.sub(replace, text)


def compose_all(registry: Iterable[Mapping[str, str]], root: Path = PROMPTS) -> pa.Table:
    """Compose every registered prompt that has a text; one row per prompt (PROMPT_SCHEMA).

    `registry` rows need prompt_alias, output_format and placeholders (separated by ';'). A
    prompt whose format is 'table' has no text and one fixed version.
    """
    rows = []
    for row in registry:
        alias = row["prompt_alias"]
        if row["output_format"] == "table":
            prompt = Prompt(alias, None, "", (), ())
        else:
            names = [name for name in (row["placeholders"] or "").split(";") if name]
            prompt = compose(alias, names, root)
        rows.append(
            {
                "prompt_alias": alias,
                "prompt_version": prompt.version,
                "system_template": prompt.system_template,
                "user_template": prompt.user_template,
                "placeholders": list(prompt.placeholders),
                "section_files": list(prompt.section_files),
            }
        )
    return pa.Table.from_pylist(rows, schema=PROMPT_SCHEMA)
