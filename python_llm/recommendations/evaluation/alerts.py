"""A message to a webhook, and by e-mail, when the gate finds a regression."""

from __future__ import annotations

import json
import os
import smtplib
import ssl
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from email.message import EmailMessage
from typing import Any

import pyarrow as pa

from python_llm.recommendations.evaluation.baselines import Row, gate_line

# The address may hold a secret: it comes from the environment and is never written anywhere.
ADDRESS = "KERNEL29_ALERT_WEBHOOK"
# The second channel: recipients (separated by commas), and the server as host or host:port. The
# password comes from the environment alone, and only goes over an encrypted connection.
EMAIL, SMTP = "KERNEL29_ALERT_EMAIL", "KERNEL29_SMTP_HOST"
USER, PASSWORD = "KERNEL29_SMTP_USER", "KERNEL29_SMTP_PASSWORD"
SENDER, SECURITY = "KERNEL29_SMTP_FROM", "KERNEL29_SMTP_SECURITY"
# Port and kind of encryption of KERNEL29_SMTP_SECURITY; none is for a relay on this machine.
_PORTS = {"starttls": 587, "tls": 465, "none": 25}
TIMEOUT_SECONDS = 10
# Chat services truncate long messages; the gate itself lists every row.
MOST_LINES = 20

# Grain: run_id. status: sent, failed, not_configured or nothing_to_say.
ALERT_SCHEMA = pa.schema(
    [
        ("run_id", pa.string()),
        ("run_type", pa.string()),
        ("status", pa.string()),
        ("reason", pa.string()),
        ("n_regressions", pa.int32()),
    ]
)
FAILING = ("regressed", "below_floor", "cases_changed")
ALERTING = ("nightly", "weekly", "config_gate")


def alert(gate: Sequence[Row], run_id: str, run_type: str) -> pa.Table:
    """Send what got worse to the webhook and the recipients of the environment; returns the outcome
    (ALERT_SCHEMA).

    gate: rows of int_recommendations__gate. Only the jobs nightly, weekly and config_gate alert.
    One channel that takes the message is enough for `sent`; reason names the one that did not. A
    channel that does not answer fails nothing; failing is the gate's task.
    """
    worse = [row for row in gate if row["gates"] and row["status"] in FAILING]
    status, reason = "nothing_to_say", ""
    if worse and run_type in ALERTING:
        content = message(worse, run_id, run_type)
        outcomes = []
        if address := os.environ.get(ADDRESS, ""):
            outcomes.append(_sent(address, content))
        if recipients := os.environ.get(EMAIL, ""):
            outcomes.append(_mailed(recipients, content, os.environ))
        statuses = [outcome for outcome, _ in outcomes] or ["not_configured"]
        status = "sent" if "sent" in statuses else statuses[0]
        reason = "; ".join(why for _, why in outcomes if why)
        reason = reason if outcomes else f"neither {ADDRESS} nor {EMAIL} is set"
    row = {
        "run_id": run_id,
        "run_type": run_type,
        "status": status,
        "reason": reason,
        "n_regressions": len(worse),
    }
    return pa.Table.from_pylist([row], schema=ALERT_SCHEMA)


def message(worse: Sequence[Row], run_id: str, run_type: str) -> dict[str, Any]:
    """The message: `text` for people, as chat webhooks expect, and the rows for programs."""
    lines = [gate_line(row) for row in worse]
    more = len(lines) - MOST_LINES
    if more > 0:
        lines = [*lines[:MOST_LINES], f"and {more} more"]
    head = (
        f"Kernel29 {run_type}: {len(worse)} gating metrics below floor or baseline (run {run_id})"
    )
    columns = (
        *("tenant_id", "recommender", "condition", "tier", "metric_name", "status"),
        *("value_before", "value_after", "metric_value", "floor", "worse_cases"),
    )
    return {
        "text": "\n".join([head, *lines]),
        "run_id": run_id,
        "regressions": [{name: row[name] for name in columns} for row in worse],
    }


def _sent(address: str, content: dict[str, Any]) -> tuple[str, str]:
    if not address.startswith(("https://", "http://")):
        return "failed", f"{ADDRESS} is not an http address"
    try:
        request = urllib.request.Request(
            address,
            data=json.dumps(content).encode(),
            headers={"content-type": "application/json"},
            method="POST",
        )
        with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS):
            return "sent", ""
    except urllib.error.HTTPError as error:
        return "failed", f"the webhook answered {error.code}"
    except (OSError, ValueError) as error:
        # its text may hold the address
        return "failed", f"the webhook could not be reached ({type(error).__name__})"


def _mailed(
    recipients: str, content: Mapping[str, Any], environment: Mapping[str, str]
) -> tuple[str, str]:
    """Send the message by e-mail: the lines as text, the rows as an attachment."""
    server, _, port = environment.get(SMTP, "").partition(":")
    security = environment.get(SECURITY, "starttls").lower()
    user, password = environment.get(USER, ""), environment.get(PASSWORD, "")
    if not server:
        return "failed", f"{EMAIL} is set and {SMTP} is not"
    if security not in _PORTS:
        return "failed", f"{SECURITY} is neither starttls, tls nor none"
    if user and security == "none":
        return "failed", f"{USER} is not sent without encryption: set {SECURITY}"
    try:
        letter = EmailMessage()
        letter["Subject"] = str(content["text"]).splitlines()[0]
        letter["From"] = environment.get(SENDER) or user or "kernel29@localhost"
        letter["To"] = ", ".join(part.strip() for part in recipients.split(",") if part.strip())
        letter.set_content(content["text"])
        letter.add_attachment(
            json.dumps(content["regressions"], indent=1),
            subtype="json",
            filename="regressions.json",
        )
        at = (server, int(port or _PORTS[security]))
        context = ssl.create_default_context()
        with (
            smtplib.SMTP_SSL(*at, timeout=TIMEOUT_SECONDS, context=context)
            if security == "tls"
            else smtplib.SMTP(*at, timeout=TIMEOUT_SECONDS)
        ) as connection:
            if security == "starttls":
                connection.starttls(context=context)
            if user:
                connection.login(user, password)
            connection.send_message(letter)
        return "sent", ""
    except (OSError, smtplib.SMTPException, ValueError) as error:
        # its text may hold an address or a name
        return "failed", f"the e-mail could not be sent ({type(error).__name__})"
