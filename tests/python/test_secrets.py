"""A key that a server repeats, or an error holds, is found in whatever form it is written."""

from __future__ import annotations

import base64
import html
import json
import subprocess
import sys
from urllib.parse import quote

import pytest
from asking import many
from click.testing import CliRunner
from dbt_common.events import functions as dbt_events
from dbt_common.exceptions import DbtRuntimeError
from loopback import Loopback

from python_llm import paths
from python_llm.audit import secrets
from python_llm.console import cli
from python_llm.engine import Settings, answer, attempts
from python_llm.errors import UserError
from python_llm.job import dbt_plugin
from python_llm.job.admission.registry_checks import check_keys

PEM = "-----BEGIN PRIVATE KEY-----\n" + "\n".join(
    base64.b64encode(bytes((i * 37 + row) % 256 for i in range(48))).decode() for row in range(3)
)
KEYS = {
    "openai": "sk-proj-Ab3dEf6hIj9lMn2pQr5tUv8xYz1",
    "azure": "0a1b2c3d4e5f60718293a4b5c6d7e8f9",
    "jwt": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P",
    "aws": "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEQ7Z",
    "password": 'p@ss/w0rd+with="signs"&<more>7',
    "word": "hospital-gateway-token-without-digits",
    "pem": PEM + "\n-----END PRIVATE KEY-----",
}


def each(key: str, form: str) -> str:
    """A key with every character written in one way."""
    return "".join(form.format(code=ord(sign)) for sign in key)


FORMS = {
    "whole": lambda key: key,
    "base64": lambda key: base64.b64encode(key.encode()).decode(),
    "base64 after a user": lambda key: base64.b64encode(f"user:{key}".encode()).decode(),
    "base64 of a header": lambda key: base64.urlsafe_b64encode(f"Bearer {key}!!".encode()).decode(),
    "base64 of UTF-16": lambda key: base64.b64encode(key.encode("utf-16-le")).decode(),
    "base64 twice": lambda key: base64.b64encode(base64.b64encode(key.encode())).decode(),
    "base64 backwards": lambda key: base64.b64encode(key.encode()).decode()[::-1],
    "base85": lambda key: base64.b85encode(key.encode()).decode(),
    "base85 after a user": lambda key: base64.b85encode(f"user1:{key}!".encode()).decode(),
    "base85 of Adobe": lambda key: base64.a85encode(f"({key})".encode(), adobe=True).decode(),
    "base32": lambda key: base64.b32encode(key.encode()).decode(),
    "URL": lambda key: quote(key, safe=""),
    "URL twice": lambda key: quote(quote(key, safe=""), safe=""),
    "URL throughout": lambda key: each(key, "%{code:02x}"),
    "JSON": lambda key: json.dumps({"said": key}),
    "JSON in JSON": lambda key: json.dumps(json.dumps([f"é\n{key}"])),
    "JSON throughout": lambda key: each(key, "\\u{code:04x}"),
    "JSON twice, throughout": lambda key: json.dumps(each(key, "\\u{code:04X}")),
    "JSON of .NET": lambda key: json.dumps(key).replace("+", "\\u002B").replace("/", "\\/"),
    "Python": lambda key: repr(key.encode()),
    "hex": lambda key: key.encode().hex(),
    "hex in capitals": lambda key: key.encode().hex().upper(),
    "hex with colons": lambda key: key.encode().hex(":"),
    "hex escapes": lambda key: each(key, "\\x{code:02X}"),
    "octal escapes": lambda key: each(key, "\\{code:03o}"),
    "HTML": html.escape,
    "HTML throughout": lambda key: each(key, "&#x{code:x};"),
    "numbers": lambda key: ", ".join(map(str, key.encode())),
    "capitals": str.upper,
    "hyphenated": lambda key: f"{key[:10]}-\n{key[10:]}",
    "wrapped": lambda key: "\n".join(key[at : at + 7] for at in range(0, len(key), 7)),
    "wrapped by a log": lambda key: f"{key[:9]}\\n    {key[9:]}",
    "coloured": lambda key: f"{key[:9]}\x1b[31m{key[9:]}",
    "coloured in a log": lambda key: f"{key[:9]}\\u001b[0m{key[9:]}",
    "cut off": lambda key: f"{key[: len(key) * 3 // 4]}…",
    "in an address": lambda key: f"https://user:{quote(key, safe='')}@host.example/v1?a=b",
    "headers": lambda key: f"{{'authorization': 'Bearer {key}', 'x-api-key': b'{key}'}}",
}
# what is promised from 20 letters and digits on, or only where a key's letters tell it
OF_LONG_KEYS = {
    *("base85", "base85 after a user", "base85 of Adobe"),
    *("cut off", "hyphenated", "wrapped", "wrapped by a log", "coloured", "coloured in a log"),
    *("URL", "URL twice", "in an address", "HTML", "JSON of .NET", "HTML throughout"),
    *("JSON throughout", "JSON twice, throughout", "octal escapes", "headers", "JSON", "Python"),
}
SENTENCE = "Before it is this, {} and after it is that, as 1. Marfan syndrome\n2. Gout says."


def letters(text: str) -> str:
    return "".join(sign for sign in text.lower() if sign.isalnum())


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", KEYS)
def test_a_key_is_found_in_every_form(kind, form):
    key = KEYS[kind]
    written = FORMS[form](key)
    clean = secrets.Redactor([key]).redacted(SENTENCE.format(written))
    assert secrets.MARK in clean
    before, after = SENTENCE.split("{}")
    assert clean.startswith(before)
    assert clean.endswith(after)
    kept = letters(clean)
    for secret in [line for line in key.splitlines() if not line.startswith("-----")]:
        core = letters(FORMS[form](secret))
        whole = len(core) - 12 if form == "cut off" else len(core)
        # not even a piece of it; what is around it in what was written may be
        middle = core[whole // 4 : whole * 3 // 4]
        assert all(middle[at : at + 10] not in kept for at in range(len(middle) - 9))


@pytest.mark.parametrize("form", [*sorted(FORMS.keys() - OF_LONG_KEYS), "backwards", "hex with 0x"])
@pytest.mark.parametrize(
    "key", ["P@ssw0rd!#$%^&*()", "a-b_c.d+e/f=", "correct horse ba", "abcdefghijklmnopqr"]
)
def test_a_short_or_wordy_key_is_found_in_the_promised_forms(key, form):
    more = {
        "backwards": lambda key: key[::-1],
        "hex with 0x": lambda key: each(key, "0x{code:02x} "),
    }
    written = (FORMS | more)[form](key)
    clean = secrets.Redactor([key]).redacted(SENTENCE.format(written))
    assert secrets.MARK in clean
    assert letters(written)[2:14] not in letters(clean)


def test_a_wordy_key_takes_no_sentence_with_it():
    redactor = secrets.Redactor(["correct horse ba", "abcdefghijklmnopqr", "Iron.Lady-2024"])
    text = "Correct: horse bacteria; a, b, c, d; iron in a lady of 2024, 50 40 73 73 77 30."
    assert redactor.redacted(text) == text


def test_a_line_of_a_private_key_is_a_secret_too():
    line = KEYS["pem"].splitlines()[2]
    assert secrets.Redactor([KEYS["pem"]]).redacted(f"bad line: {line}") == "bad line: [key]"


@pytest.mark.parametrize(
    "text",
    [
        "Authorization: Bearer ya29.a0AfH6SMBx-0123456789abcdef",
        f"token {KEYS['jwt']} has expired",
        "credential AKIAIOSFODNN7EXAMPLE is unknown",
        "a key with digits near its end, sk-proj-abcdefghijklmnop77qrstuvwx",
        "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nIBAAKC\n-----END RSA PRIVATE KEY-----",
    ],
)
def test_a_key_that_nobody_named_is_known_by_its_shape(text):
    assert secrets.MARK in secrets.Redactor([]).redacted(text)


def test_what_is_no_key_stays():
    redactor = secrets.Redactor(["none", "no-key-needed", *KEYS.values()])
    for text in (
        "none of these; no key needed. 1. Marfan syndrome (OMIM:154700)\n2. Ehlers–Danlos",
        json.dumps({"choices": [{"message": {"content": '1. "Gout" é\n2. Sepsis\\n 100%'}}]}),
        "<br>&amp;&lt; %41 \\x41 \\u0041 \\101 \x1b[0m sk-learn, Bearer of the gene",
    ):
        assert redactor.redacted(text) == text


def test_the_environment_says_what_is_secret(monkeypatch, tmp_path):
    file = tmp_path / "a-file-with-credentials"
    file.touch()
    for name, value in {
        "WARD_LLM_TOKEN": "ward-token-12345",
        "KERNEL29_LEDGER_URL": "postgresql://run:ledger-pass-77@host/db",
        "GOOGLE_APPLICATION_CREDENTIALS": str(file),
        "HOSPITAL_DOOR": "door-code-98765",
    }.items():
        monkeypatch.setenv(name, value)
    text = f"ward-token-12345, ledger-pass-77, {file}, door-code-98765"
    assert secrets.redacted(text) == f"[key], [key], {file}, door-code-98765"
    monkeypatch.setattr(secrets, "_further_names", set())
    secrets.look_in(["HOSPITAL_DOOR", None, ""])  # as the registry of models names it
    assert secrets.redacted(text) == f"[key], [key], {file}, [key]"


@pytest.mark.parametrize(
    ("name", "value", "secret"),
    [
        ("PGPASSWORD", "sesame-of-libpq-1", "sesame-of-libpq-1"),
        ("LEDGER", "postgresql://u@h/d?sslmode=require&password=sesame-of-url-2", None),
        ("LEDGER", "postgresql://u@h/d?sslpassword=sesame-of-url-3", None),
        ("LLM_URL", "https://llm.example/v1?api-key=sesame%2Fof-url-4", "sesame/of-url-4"),
        ("LLM_URL", "https://llm.example/v1?v=1&sig=sesame%2Bof-url-5", "sesame+of-url-5"),
        ("ALERT_WEBHOOK", "https://hooks.example/services/T0/B0/sesame6", None),
    ],
)
def test_a_secret_in_an_address_is_one(name, value, secret, monkeypatch):
    monkeypatch.setenv(name, value)
    text = secrets.redacted(f"could not reach {value}: {secret}")
    assert "sesame" not in text
    assert secrets.redacted("sslmode=require at llm.example") == "sslmode=require at llm.example"


@pytest.mark.parametrize("as_error", [False, True])
def test_no_form_of_a_key_reaches_the_ledger(as_error, tmp_path, monkeypatch):
    key, other = KEYS["openai"], KEYS["aws"]
    forms = [write(key) for write in FORMS.values()] + [write(other) for write in FORMS.values()]
    said = "\n".join(f"{number}. {form}" for number, form in enumerate(forms))
    monkeypatch.setenv("TEST_OPENAI_KEY", key)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", other)  # of another model of this machine
    settings = Settings(mode="live", ledger_dir=tmp_path / "ledger", run_id="r", progress=False)
    with Loopback(answer=lambda *_: said) as server:
        monkeypatch.setenv("TEST_OPENAI_URL", server.openai_url)
        if as_error:
            from loopback import _Connection

            def fail(connection, seen, _):
                connection.reply(418, {"error": {"message": said, "code": key, "param": other}})

            monkeypatch.setattr(_Connection, "finish", fail)
        answer(many(2), settings=settings)
    stored = str(attempts(tmp_path / "ledger").to_pylist())
    stored += "".join(
        file.read_bytes().decode("latin-1") for file in tmp_path.rglob("*") if file.is_file()
    )
    assert secrets.MARK in stored
    for form in forms:
        assert form not in stored
        assert letters(form) not in letters(stored)


def test_no_traceback_shows_a_key(tmp_path):
    """Neither its message nor its lines, which Python prints when the command has ended."""
    code = (
        "import os, sys\n"
        "from python_llm.console import cli\n"
        "def fail(*_, **__):\n"
        "    raise RuntimeError('b\\'Bearer ' + os.environ['WARD_API_KEY'] + '\\\\n\\' \\x1b[2J')\n"
        "cli.main.commands['leaderboard'].callback = fail\n"
        "sys.argv = ['kernel29', 'leaderboard']\n"
        "cli.main()\n"
    )
    environment = {"WARD_API_KEY": KEYS["azure"], "PATH": "", "PYTHONPATH": str(paths.PACKAGES)}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=tmp_path)
    assert done.returncode == 1
    assert "RuntimeError: b'Bearer [key]" in done.stderr
    assert KEYS["azure"] not in done.stderr
    assert "\x1b" not in done.stderr


def test_no_error_of_dbt_and_no_line_of_its_log_has_a_key(monkeypatch):
    monkeypatch.setenv("WARD_API_KEY", KEYS["openai"])
    dbt_plugin._keep_secrets()
    split = FORMS["wrapped by a log"](KEYS["openai"])
    assert "[key]" in str(DbtRuntimeError(f"Python model failed: {split}"))
    assert dbt_events.env_scrubber(f"a line with {KEYS['openai']}") == "a line with [key]"
    assert dbt_events.env_scrubber("a line without") == "a line without"


def test_what_a_command_prints_has_no_key(monkeypatch):
    monkeypatch.setenv("WARD_API_KEY", KEYS["jwt"])

    def fail(*_, **__):
        raise UserError(f"The server says: {FORMS['hex'](KEYS['jwt'])}")

    monkeypatch.setattr(cli.main.commands["leaderboard"], "callback", fail)
    done = CliRunner().invoke(cli.main, ["leaderboard"])
    assert "The server says: [key]" in done.output


@pytest.mark.parametrize("key", [KEYS["openai"], KEYS["azure"], f"a{KEYS['azure']}", KEYS["aws"]])
def test_a_key_in_place_of_its_name_is_not_repeated(key):
    check_keys([(2, {"api_key_env": "OPENAI_API_KEY"}), (3, {"api_key_env": ""})])
    with pytest.raises(UserError, match="line 4: api_key_env is the name") as error:
        check_keys([(4, {"api_key_env": key})])
    assert key not in str(error.value)
