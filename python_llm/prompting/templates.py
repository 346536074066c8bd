"""Load, compose and version prompts.

A prompt is a folder of text files: `user.txt` and, if the prompt has one, `system.txt` are the
templates; every other text is a section. `{name}` in a template stands for the section
`name.txt` of the folder, or of `_sections/` when the folder has none, or for one of the
placeholders the registry declares, which SQL fills once per case. `{{` and `}}` are braces.
`schema.json` is the JSON schema of the answer; the variant of another language (alias_es) takes
that of the alias without its language. Whatever does not add up is a PromptError naming file and
line.
"""

import csv
import difflib
import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from python_llm import paths, seeds
from python_llm.errors import UserError
from python_llm.parsing.differential import PARSERS

REGISTRY = "seeds/calls/prompt_registry.csv"
SHARED = "_sections"
TEMPLATES = ("system", "user")
SCHEMA = "schema.json"
TOKEN = re.compile(r"\{\{|\}\}|\{([^{}\n]*)\}|\{|\}")
NAME = re.compile(r"[a-z][a-z0-9_]*")
ESCAPED_NAME = re.compile(r"\{\{[ \t]*([A-Za-z_][A-Za-z0-9_]*)[ \t]*\}\}")
# What the reading of a judge's answer needs, and the seed and column of the labels it knows.
ANSWER_OF_A_JUDGE = ('"judgements"', '"rank"', '"label"')
LABELS_OF_A_JUDGE = {
    "semantic_judge": ("seeds/experiments/semantic_relations.csv", "semantic_relation"),
    "severity_judge": ("seeds/experiments/severity_levels.csv", "severity"),
}
FENCE = "_sections/data_fence.txt"
# What SQL fills for each task: the models and macros whose names end in asks hold the other end.
FILLED = {
    "generation": {"case_narrative", "similar_cases"},
    "semantic_judge": {"gold_diagnosis", "diagnosis_list"},
    "severity_judge": {"diagnosis_list"},
    "question_type": {"type_list", "question_text"},
    "question_analysis": {"vignette", "question_stem"},
    "phenotype_reasoning": {"packet"},
    "question_choice": {"vignette", "question_stem", "analysis", "options"},
    "phenotype_excluded": {"note"},
    "phenotype_findings": {"note"},
    "phenotype_timing": {"note", "phenotype_list", "period_table"},
    "recommendation": {"patient", "documents"},
    "recommendation_judge": {
        *("patient", "recommendation", "question", "meaning_of_1", "meaning_of_5"),
    },
}

PROMPT_SCHEMA = pa.schema(
    [
        ("prompt_alias", pa.string()),
        ("prompt_version", pa.string()),
        ("system_template", pa.string()),
        ("user_template", pa.string()),
        ("response_schema", pa.string()),
        ("placeholders", pa.list_(pa.string())),
        ("section_files", pa.list_(pa.string())),
    ]
)


class PromptError(UserError):
    """A prompt folder that cannot be composed; the text names file, line and remedy."""


@dataclass(frozen=True)
class Prompt:
    """A composed prompt: static parts filled in, `{placeholder}`s still open.

    `version` is the first 12 hex digits of the sha256 of both templates and the schema: one
    changed word, one new version.
    """

    alias: str
    system_template: str | None
    user_template: str
    placeholders: tuple[str, ...]
    section_files: tuple[str, ...]
    response_schema: str | None = None

    @property
    def version(self) -> str:
        parts = [self.system_template or "", self.user_template]
        if self.response_schema is not None:
            parts.append(self.response_schema)
        return hashlib.sha256("\x1f".join(parts).encode()).hexdigest()[:12]

    def filled(self, values: Mapping[str, str]) -> tuple[str | None, str]:
        """System and user text with the placeholders replaced, all at once, as SQL does it."""

        def fill(template: str) -> str:
            return re.sub(
                "|".join(re.escape("{" + name + "}") for name in self.placeholders) or r"(?!)",
                lambda match: values[match[0][1:-1]],
                template,
            )

        system = None if self.system_template is None else fill(self.system_template)
        return system, fill(self.user_template)


def compose(
    alias: str, placeholders: Iterable[str], root: Path | None = None, language: str = ""
) -> Prompt:
    """Compose the prompt of folder `alias`; `placeholders` are the names filled per case.

    root: where the folder is; None for the prompts of the project.
    """
    root = root or paths.prompts_folder()
    folder = root / alias
    if not folder.is_dir():
        raise PromptError(
            f"{_registered(alias)}prompt '{alias}' is registered but {root.name}/{alias}/ does not "
            "exist: make the folder or remove the row."
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
            f"{_registered(alias)}{alias}/user.txt does not use the placeholder {{{unused[0]}}} "
            "that prompt_registry.csv declares: use it or take it out of the registry."
        )
    schema_file = next(
        (
            file
            for file in (
                folder / SCHEMA,
                root / alias.removesuffix(f"_{language}") / SCHEMA,
            )
            if file.is_file()
        ),
        None,
    )
    schema = _schema(schema_file, root) if schema_file else None
    if schema_file:
        files.append(schema_file)
    idle = sorted(p.name for p in folder.iterdir() if p not in files and p.name[0] != ".")
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
        schema,
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
    text = _read(path, root).strip("\n")
    if not text.strip():
        raise PromptError(f"{where}, line 1: the file is empty: write the section or delete it.")
    files.append(path)

    def line_of(match: re.Match[str]) -> int:
        return text.count("\n", 0, match.start()) + 1

    if leak := ESCAPED_NAME.search(text):
        raise PromptError(
            f"{where}, line {line_of(leak)}: '{leak[0]}' would leave '{{{leak[1]}}}' in the "
            f"finished prompt: write {{{leak[1]}}} for a section or placeholder."
        )

    def replace(match: re.Match[str]) -> str:
        token, name = match.group(0), match.group(1)
        line = line_of(match)
        if token in ("{{", "}}"):
            return token[0]
        if name is None or not NAME.fullmatch(name):
            raise PromptError(
                f"{where}, line {line}: '{token}' is not a placeholder; double a literal brace."
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


def _read(path: Path, root: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        line = path.read_bytes()[: error.start].count(b"\n") + 1
        raise PromptError(
            f"{path.relative_to(root)}, line {line}: not UTF-8: save the file as UTF-8."
        ) from error


def _schema(path: Path, root: Path) -> str:
    """The schema of the answer in one line with its keys in the order of the file."""
    where = path.relative_to(root)
    try:
        schema = json.loads(_read(path, root))
    except json.JSONDecodeError as error:
        raise PromptError(f"{where}, line {error.lineno}: not JSON: {error.msg}.") from error
    if not isinstance(schema, dict) or schema.get("type") != "object":
        raise PromptError(f'{where}, line 1: no schema of an object: give it "type": "object".')
    return json.dumps(schema, ensure_ascii=False, separators=(",", ":"))


def _registered(alias: str) -> str:
    """'prompt_registry.csv, line 3: ' for the row of an alias, '' if it has none."""
    for line, row in read_registry():
        if row["prompt_alias"] == alias:
            return f"prompt_registry.csv, line {line}: "
    return ""


def read_registry() -> list[tuple[int, dict[str, str]]]:
    """The rows of the registry with their lines; none if the file is not there."""
    file = paths.project_root() / REGISTRY
    if not file.is_file():
        return []
    with file.open(encoding="utf-8", newline="") as handle:
        reader = csv.DictReader(handle)
        return [(reader.line_num, row) for row in reader]


def compose_row(row: Mapping[str, str], root: Path | None = None) -> Prompt:
    """Compose the prompt of one registry row; one of format 'table' has no text."""
    alias = row["prompt_alias"]
    if row["output_format"] == "table":
        return Prompt(alias, None, "", (), ())
    if row.get("task") == "generation" and row["output_format"] not in PARSERS:
        raise PromptError(
            f"{_registered(alias)}prompt '{alias}' has the output_format "
            f"'{row['output_format']}', in which no answer can be read: use one of "
            f"{', '.join(PARSERS)}."
        )
    names = [name for name in (row["placeholders"] or "").split(";") if name]
    if row.get("user_text"):  # of an experiment's file, where it was looked at
        return Prompt(alias, row["system_text"] or None, row["user_text"], tuple(names), ())
    known = FILLED.get(row.get("task", ""), set(names))
    unknown = [name for name in names if name not in known]
    if unknown:
        raise PromptError(
            f"{_registered(alias)}prompt '{alias}' declares {{{unknown[0]}}}, which nothing fills: "
            f"a prompt for {row['task']} may use {', '.join(sorted(known))}."
        )
    return compose(alias, names, root, row.get("language") or "")


def check_all(root: Path | None = None) -> list[str]:
    """Every mistake in registered prompts and every folder nobody registered, a sentence each."""
    root = root or paths.prompts_folder()
    mistakes = []
    rows = read_registry()
    for _, row in rows:
        try:
            mistakes += _lacks(row, compose_row(row, root))
        except PromptError as error:
            mistakes.append(str(error))
    registered = {row["prompt_alias"] for _, row in rows}
    for folder in sorted(root.iterdir()):
        if folder.is_dir() and folder.name[0] not in "._" and folder.name not in registered:
            mistakes.append(
                f"{root.name}/{folder.name}/ is not in prompt_registry.csv: add one or delete "
                "the folder."
            )
    return mistakes


def _lacks(row: Mapping[str, str], prompt: Prompt) -> list[str]:
    """What the prompt of a judge lacks of that without which no answer to it is read, or of the
    fence around the material it works on."""
    if row.get("task") not in LABELS_OF_A_JUDGE:
        return []
    file, column = LABELS_OF_A_JUDGE[row["task"]]
    labels = [label[column] for label in seeds.read(file) if label["is_label"] == "true"]
    text = f"{prompt.system_template or ''} {prompt.user_template}"
    lacking = [part for part in (*ANSWER_OF_A_JUDGE, *labels) if part not in text]
    lacking += [] if FENCE in prompt.section_files else ["{data_fence}"]
    return [
        f"{_registered(prompt.alias)}prompt '{prompt.alias}' does not say {part}: answers to it "
        f"would not be read, or would follow the material. Compare judge_{column.split('_')[0]}."
        for part in lacking
    ]


def compose_all(registry: Iterable[Mapping[str, str]], root: Path | None = None) -> pa.Table:
    """Compose every registered prompt that has a text; one row per prompt (PROMPT_SCHEMA).

    `registry` rows need prompt_alias, task, language, output_format and placeholders (separated
    by ';'). A prompt whose format is 'table' has no text and one fixed version.
    """
    rows = []
    for row in registry:
        prompt = compose_row(row, root)
        rows.append(
            {
                "prompt_alias": prompt.alias,
                "prompt_version": prompt.version,
                "system_template": prompt.system_template,
                "user_template": prompt.user_template,
                "response_schema": prompt.response_schema,
                "placeholders": list(prompt.placeholders),
                "section_files": list(prompt.section_files),
            }
        )
    return pa.Table.from_pylist(rows, schema=PROMPT_SCHEMA)


def changes(before: Mapping[str, str | None], after: Mapping[str, str | None]) -> str:
    """What changed between two versions, as a unified diff of system text, user text and schema."""
    lines: list[str] = []
    for part in ("system_template", "user_template", "response_schema"):
        old, new = (version[part] or "" for version in (before, after))
        name = part.removesuffix("_template")
        lines += difflib.unified_diff(
            old.splitlines(), new.splitlines(), f"{name} before", f"{name} after", lineterm="", n=1
        )
    return "\n".join(lines)
