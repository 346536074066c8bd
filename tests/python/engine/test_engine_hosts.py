"""Which hosts a model is asked at, and at which of them it may see patients' data."""

from __future__ import annotations

import json

import pytest
from asking import OPENAI_KEY, request, table

from python_llm.engine import EngineError, answer
from python_llm.job.admission.access import lacking
from python_llm.providers import PROVIDERS, Endpoint
from python_llm.providers.base import redirected
from python_llm.providers.hosts import has_login, may_be_asked, may_see_patients, site_of

AZURE = "https://a-resource.openai.azure.com"
ELSEWHERE = "https://llm.elsewhere.example/v1"


@pytest.mark.parametrize(
    ("address", "hosts", "is_asked", "sees_patients"),
    [
        ("https://api.openai.com/v1", ("api.openai.com",), True, True),
        ("https://API.OpenAI.com/v1", ("api.openai.com",), True, True),
        ("http://api.openai.com/v1", ("api.openai.com",), True, False),
        ("https://api.openai.com.evil.example", ("api.openai.com",), False, False),
        ("https://evil.example/api.openai.com", ("api.openai.com",), False, False),
        ("https://eu.api.openai.com/v1", ("*.api.openai.com",), True, False),
        ("https://a.b.api.openai.com/v1", ("*.api.openai.com",), False, False),
        ("https://us-aiplatform.googleapis.com", ("*-aiplatform.googleapis.com",), True, False),
        ("http://127.0.0.1:8080/v1", (), True, True),
        ("http://[::1]:8080/v1", (), True, True),
        ("http://localhost:8080/v1", (), True, True),
        ("http://localhost.example:8080/v1", (), False, False),
        ("http://127.0.0.1.example:8080/v1", (), False, False),
    ],
)
def test_a_host_is_listed_or_not_asked(address, hosts, is_asked, sees_patients):
    site = site_of(address)
    assert may_be_asked(site, hosts) is is_asked
    assert may_see_patients(site, hosts) is sees_patients


def asked(**columns) -> object:
    return table(request("a case", **{"contains_phi": True, "is_phi_reviewed": True, **columns}))


@pytest.mark.parametrize(
    ("provider", "address", "hosts"),
    [
        ("azure_openai", AZURE, None),  # anybody may have a resource there
        ("azure_openai", AZURE, "*.openai.azure.com"),
        ("azure_openai", AZURE, "another.openai.azure.com"),
        ("openai_compatible", "http://llm.example:8000/v1", "llm.example"),
        ("openai", "http://api.openai.com/v1", None),
        ("openai", "https://eu.api.openai.com/v1", None),
    ],
)
def test_an_approval_is_for_one_address(provider, address, hosts, serve, live, monkeypatch):
    serve()
    monkeypatch.setenv("TEST_OPENAI_URL", address)
    [response] = answer(asked(provider=provider, hosts=hosts), settings=live()).to_pylist()
    assert (response["status"], response["error_kind"]) == ("blocked_by_policy", "address")
    assert response["n_attempts"] == 0
    batch = asked(provider=provider, hosts=hosts, accepts_batch=True)
    [response] = answer(batch, settings=live(execution="batch")).to_pylist()
    assert (response["status"], response["error_kind"]) == ("blocked_by_policy", "address")


@pytest.mark.parametrize(
    ("provider", "address", "hosts"),
    [
        ("azure_openai", AZURE, ("a-resource.openai.azure.com",)),
        ("openai_compatible", "https://llm.example:8000/v1", ("llm.example",)),
        ("openai", None, ()),
        ("anthropic", None, ()),
    ],
)
def test_an_approval_holds_where_it_was_given(provider, address, hosts, monkeypatch):
    for name in ("OPENAI_BASE_URL", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    entry = PROVIDERS[provider]
    endpoint = Endpoint("a-key", address, 1, hosts, (*entry.hosts, *hosts))
    assert entry.may_see_patients(entry.connect(endpoint), endpoint)


@pytest.mark.parametrize(
    "columns",
    [
        {"base_url": ELSEWHERE, "base_url_env": None},  # an experiment's file names it
        {"base_url": ELSEWHERE, "base_url_env": None, "is_phi_reviewed": False},
        {"hosts": "llm.elsewhere.example", "is_phi_reviewed": False},  # one person approved it
        {"hosts": "llm.elsewhere.example", "is_phi_reviewed": None},
        {"base_url": "https://api.openai.com/v1", "base_url_env": None, "is_phi_reviewed": None},
    ],
)
def test_one_person_approves_nothing_elsewhere(columns, serve, live, monkeypatch):
    serve()
    monkeypatch.setenv("TEST_OPENAI_URL", ELSEWHERE)
    for more in ({}, {"accepts_batch": True}):
        settings = live(execution="batch") if more else live()
        [response] = answer(asked(**columns, **more), settings=settings).to_pylist()
        assert (response["status"], response["error_kind"]) == ("blocked_by_policy", "address")
        assert response["n_attempts"] == 0


def test_patients_data_stay_on_this_machine(serve, live):
    server = serve()
    [response] = answer(asked(), settings=live()).to_pylist()
    assert (response["status"], server.total) == ("ok", 1)


def test_a_host_that_is_not_listed_is_not_asked(serve, live, monkeypatch):
    serve()
    monkeypatch.setenv("TEST_OPENAI_URL", f"{ELSEWHERE}/geheim")
    for settings in (live(), live(execution="batch")):
        with pytest.raises(EngineError, match=r"The host llm\.elsewhere\.example is not") as error:
            answer(asked(contains_phi=False, accepts_batch=True), settings=settings)
        assert "geheim" not in str(error.value)
    with pytest.raises(EngineError, match="no name of a host"):
        answer(asked(hosts="https://llm.elsewhere.example"), settings=live())


@pytest.mark.parametrize(
    "address",
    [
        "https://api.openai.com:geheim-0123456789@llm.elsewhere.example/v1",
        "http://user@127.0.0.1:8000/v1",
        "http://user:geheim-0123456789@127.0.0.1:8000/v1",
        "https://api.openai.com\\@llm.elsewhere.example:geheim-0123456789@x/v1",
    ],
)
def test_an_address_with_a_password_is_refused(address, serve, live, monkeypatch):
    server = serve()
    monkeypatch.setenv("TEST_OPENAI_URL", address)
    in_place = request("a case", base_url=address, base_url_env=None)
    for row in (request("a case"), in_place):
        with pytest.raises(EngineError, match="a user or a password in it") as error:
            answer(table(row), settings=live())
        assert "geheim" not in str(error.value)
    assert has_login(address)
    assert server.total == 0


@pytest.mark.parametrize(
    ("address", "fault"),
    [
        ("http://127.0.0.1:8000/v1?api-key=geheim", "has a query"),
        ("http://127.0.0.1:8000/v1#geheim", "has a query"),
        ("http://127.0.0.1:8000/v1\ngeheim", "is not a URL"),
        ("http://127.0.0.1:geheim/v1", "is not a URL"),
        ("ftp://127.0.0.1:8000/geheim", "is not a URL"),
        ("geheim", "is not a URL"),
    ],
)
def test_an_address_no_request_can_use_is_refused(address, fault, serve, live, monkeypatch):
    serve()
    monkeypatch.setenv("TEST_OPENAI_URL", address)
    with pytest.raises(EngineError, match=fault) as error:
        answer(table(request("a case")), settings=live())
    model = {"model_alias": "m", "provider": "openai", "api_model": "x", "base_url_env": "URL"}
    lack = lacking({**model, "api_key_env": "KEY"}, {"URL": address, "KEY": "k"}, is_priced=True)
    assert fault in lack.sentence
    assert "geheim" not in f"{error.value}{lack}"


def test_a_key_in_the_name_of_a_model_is_refused(serve, live):
    server = serve()
    for columns in (
        {"model_alias": OPENAI_KEY},
        {"api_model": f"gpt/{OPENAI_KEY.encode().hex()}"},
        {"parameters": json.dumps({"max_tokens": 50, "user": OPENAI_KEY})},
    ):
        with pytest.raises(EngineError, match="of a model has a key in it") as error:
            answer(table(request("a case", **columns)), settings=live())
        assert OPENAI_KEY not in str(error.value)
    assert server.total == 0
    assert not any(path.is_file() for path in live().ledger_dir.rglob("*.jsonl"))


def test_a_model_says_what_is_wrong_with_its_address():
    model = {"model_alias": "m", "provider": "openai", "api_model": "x", "base_url_env": "URL"}
    model["api_key_env"] = "KEY"
    for address, state in {
        "https://u:geheim@api.openai.com": "login in address",
        ELSEWHERE: "unlisted host",
        "http://localhost:1": None,
        "https://api.openai.com": None,
    }.items():
        lack = lacking(model, {"URL": address, "KEY": "k"}, is_priced=True)
        assert (lack.state if lack else None) == state
        assert "geheim" not in str(lack)
    listed = {**model, "hosts": "llm.elsewhere.example"}
    assert lacking(listed, {"URL": ELSEWHERE, "KEY": "k"}, is_priced=True) is None


@pytest.mark.parametrize(
    ("location", "goal"),
    [
        ("//other.example/x", "other.example"),
        ("ftp://other.example/x", "other.example"),
        ("/elsewhere?token=a-token", "another path of its own"),
        ("file:///etc/passwd", "an address that is not of the web"),
        ("data:text/plain,a-token", "an address that is not of the web"),
        (None, "a place it does not name"),
    ],
)
def test_a_redirect_says_where_it_leads(location, goal):
    message = redirected(303, location).error_message
    assert message == f"the server redirects to {goal}, which is not followed"
