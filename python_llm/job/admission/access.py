"""What a model lacks before it can be called: a price, an address, a key and the like."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date
from typing import Any, NamedTuple

import pyarrow as pa

from python_llm import seeds
from python_llm.experiments import registries
from python_llm.providers import PROVIDERS
from python_llm.providers.hosts import fault_of, has_login, listed, may_be_asked, site_of
from python_llm.registries.names import MODELS, PRICES

STATE_SCHEMA = pa.schema([("model_alias", pa.string()), ("access_state", pa.string())])


class Lack(NamedTuple):
    """state: two words for a table, such as `no key`. sentence: what is missing and what to do."""

    state: str
    sentence: str


def lacking(
    model: Mapping[str, Any], environment: Mapping[str, str], *, is_priced: bool
) -> Lack | None:
    """The first thing a model of the registry lacks to be called now; None when nothing is.

    `model`: model_alias, provider, base_url_env, api_key_env and, if it has one, base_url. Nothing
    of what the environment says is told, only whether it says anything.
    """
    alias = model["model_alias"]
    entry = PROVIDERS.get(model["provider"])

    def is_set(*names: str | None) -> bool:
        return any(environment.get(name, "").strip() for name in names if name)

    if entry is None:
        return Lack(
            "no provider",
            f"Model '{alias}' names the provider {model['provider']!r} in {MODELS}: use one of "
            f"{', '.join(PROVIDERS)}.",
        )
    if not is_priced:
        return Lack(
            "no price",
            f"Model '{alias}' has no price that is valid today: add a row for {model['provider']}, "
            f"{model['api_model']} to {PRICES} (0 where it is free), or leave '{alias}' out.",
        )
    if entry.needs_address and not model.get("base_url") and not is_set(model["base_url_env"]):
        address = model["base_url_env"]
        return Lack(
            "no address",
            f"Model '{alias}' needs the address of its server: set {address}, as in "
            f"{address}=http://localhost:8000/v1.",
        )
    if lack := _lack_of_address(model, environment):
        return lack
    for state, names, setting in (
        ("no region", entry.region, "region"),
        ("no project", entry.project, "project"),
    ):
        if names and not is_set(*names):
            return Lack(state, f"Model '{alias}' needs its {setting}: set {' or '.join(names)}.")
    if entry.needs_key and not is_set(model["api_key_env"]):
        key = model["api_key_env"]
        return Lack(
            "no key",
            f"Model '{alias}' needs its key in the environment: set {key}, or leave '{alias}' out.",
        )
    if extra := entry.missing_extra():
        return Lack(
            "no SDK",
            f"Model '{alias}' needs an SDK that is not installed: run "
            f"`pip install 'kernel29[{extra}]'`.",
        )
    return None


def _lack_of_address(model: Mapping[str, Any], environment: Mapping[str, str]) -> Lack | None:
    """What is wrong with the address that is set; nothing of it but its host is told."""
    alias, variable = model["model_alias"], model["base_url_env"]
    address = model.get("base_url") or environment.get(variable or "", "").strip()
    if not address:
        return None
    where = "in its file" if model.get("base_url") else f"in {variable}"
    if fault := fault_of(address):
        state = "login in address" if has_login(address) else "unusable address"
        return Lack(state, f"The address of model '{alias}' {where} {fault}")
    site, hosts = site_of(address), listed(model.get("hosts"))
    own = PROVIDERS[model["provider"]].hosts
    if model.get("base_url") or site is None or may_be_asked(site, (*own, *hosts)):
        return None
    return Lack(
        "unlisted host",
        f"Model '{alias}' may not be asked at {site.host}, the host {where}: correct the address, "
        f"or add the host to its `hosts` in {MODELS}.",
    )


def priced_today(today: date | None = None) -> Callable[[Mapping[str, str]], bool]:
    """Whether a row of the models' registry has a price today, by the prices seed; `*` stands for
    the models of a provider without a row of their own. Raises FileError for a damaged seed."""
    day = (today or date.today()).isoformat()
    columns = ("provider", "api_model", "valid_from", "valid_to")
    rows = registries.prices(seeds.read(PRICES, columns))
    named = {(row["provider"], row["api_model"]) for row in rows}
    valid = {
        (row["provider"], row["api_model"])
        for row in rows
        if row["valid_from"] <= day and (not row["valid_to"] or day <= row["valid_to"])
    }

    def is_priced(model: Mapping[str, str]) -> bool:
        own = (model["provider"], model["api_model"])
        return (own if own in named else (model["provider"], "*")) in valid

    return is_priced


def states(
    models: Iterable[Mapping[str, Any]], environment: Mapping[str, str] = os.environ
) -> Iterator[dict[str, str | None]]:
    """model_alias and access_state of every model that could be called: `callable`, or the first
    thing it lacks. `models`: rows of int_calls__current_models that are asked over a network.
    """
    for model in models:
        is_priced = None not in (model["input_usd_per_mtok"], model["output_usd_per_mtok"])
        lack = lacking(model, environment, is_priced=is_priced)
        yield {
            "model_alias": model["model_alias"],
            "access_state": lack.state if lack else "callable",
        }
