"""What tools for annotation export: a task with what each annotator said of it (Label Studio), and
places of a text with a tag (doccano, Prodigy), as rows with a column for each question or tag."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

OF_SPANS = ("label", "labels", "spans", "entities")
_STARTS, _ENDS = ("start", "start_offset"), ("end", "end_offset")
_VALUES = ("choices", "text", "rating", "number", "taxonomy", "datetime", "selected")


def rows_of(item: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The rows of an object: of a task one for each annotator, of a text with tagged places one
    with a column for each tag; of any other the object itself.

    Annotators of a task who answer a question differently have `is_agreed` no in their rows, and
    an annotation that was cancelled says so.
    """
    annotations = item.get("annotations") or item.get("completions")
    if (
        isinstance(item.get("data"), dict)
        and isinstance(annotations, list)
        and _are_of_a_task(annotations)
    ):
        yield from _of_task(item, annotations)
        return
    for name in OF_SPANS:
        tagged = _tagged(item.get(name), item.get("text"))
        if tagged and not tagged.keys() & item.keys():
            yield {**{key: value for key, value in item.items() if key != name}, **tagged}
            return
    yield item


def _are_of_a_task(annotations: list[Any]) -> bool:
    return bool(annotations) and all(
        isinstance(annotation, dict) and isinstance(annotation.get("result"), list)
        for annotation in annotations
    )


def _of_task(item: dict[str, Any], annotations: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    data = item["data"]
    answers_of = [_said(annotation["result"], data) for annotation in annotations]
    kept = [
        answers
        for annotation, answers in zip(annotations, answers_of, strict=True)
        if not annotation.get("was_cancelled")
    ]
    questions = {name for answers in kept for name in answers}
    differ = any(len({str(answers.get(name)) for answers in kept}) > 1 for name in questions)
    for annotation, answers in zip(annotations, answers_of, strict=True):
        own = {name: value for name, value in answers.items() if name not in data}
        others = {f"{name} annotated": answers[name] for name in answers if name in data}
        yield {
            **({"id": item["id"]} if "id" in item and "id" not in data else {}),
            **data,
            **own,
            **others,
            "annotator": _who(annotation.get("completed_by")),
            "was_cancelled": "yes" if annotation.get("was_cancelled") else "no",
            **({"is_agreed": "no"} if differ else {}),
        }


def _said(result: list[Any], data: Mapping[str, Any]) -> dict[str, str]:
    """What an annotation says, by the name of its question, and places by their tags."""
    answers_of: dict[str, list[str]] = defaultdict(list)
    for part in result:
        value = part.get("value") if isinstance(part, dict) else None
        if not isinstance(value, dict):
            continue
        if isinstance(value.get("labels"), list) and isinstance(value.get("text"), str):
            for tag in value["labels"]:
                answers_of[str(tag)].append(value["text"])
            continue
        answer = next((value[name] for name in _VALUES if name in value), None)
        if answer is not None:
            answers_of[str(part.get("from_name") or "answer")] += _texts(answer)
    return {name: "; ".join(dict.fromkeys(texts)) for name, texts in answers_of.items()}


def _tagged(spans: Any, text: Any) -> dict[str, str]:
    """The words at the places of a text, by tag; empty if they are none."""
    if not isinstance(spans, list) or not spans or not isinstance(text, str):
        return {}
    words: dict[str, list[str]] = defaultdict(list)
    for span in spans:
        if isinstance(span, dict):
            start, end = (
                next((span[n] for n in names if n in span), None) for names in (_STARTS, _ENDS)
            )
            tag = span.get("label")
        elif isinstance(span, list) and len(span) == 3:
            start, end, tag = span
        else:
            return {}
        if not (isinstance(start, int) and isinstance(end, int) and isinstance(tag, str)):
            return {}
        words[tag].append(text[start:end])
    return {tag: "; ".join(dict.fromkeys(texts)) for tag, texts in words.items()}


def _texts(value: Any) -> list[str]:
    if isinstance(value, list):
        return [text for part in value for text in _texts(part)]
    return [str(value)]


def _who(completed_by: Any) -> str:
    if isinstance(completed_by, dict):
        completed_by = next(
            (completed_by[n] for n in ("email", "username", "id") if n in completed_by), ""
        )
    return "" if completed_by is None else str(completed_by)
