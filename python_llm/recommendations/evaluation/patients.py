"""Synthetic patients of the tenants, drawn from the archetypes of the seeds.

Every draw depends only on the tenant's seed and the patient's id, so the patients and the hold-out
are the same on every machine and in every build (docs/specification.md#held-out-patients).
"""

from __future__ import annotations

import hashlib
import json
import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from statistics import NormalDist
from typing import Any

import pyarrow as pa

Row = Mapping[str, str]

# Grain: patient_id.
PATIENT_SCHEMA = pa.schema(
    [
        ("patient_id", pa.string()),
        ("tenant_id", pa.string()),
        ("archetype", pa.string()),
        ("condition", pa.string()),
        ("is_holdout", pa.bool_()),
        ("patient_json", pa.string()),
    ]
)
YOUNGEST, OLDEST = 18, 99
_DECIMALS = {"temperature_c": 1, "potassium": 1, "ph": 2, "lactate": 1, "creatinine": 1}
_OF_LISTS = {"condition": "conditions", "medication": "medications", "allergy": "allergies"}


def synthetic_patients(
    tenants: Sequence[Row],
    archetypes: Sequence[Row],
    features: Sequence[Row],
    lab_tests: Sequence[Row],
) -> pa.Table:
    """All patients of all tenants (PATIENT_SCHEMA). Raises ValueError for a tenant without a column
    in patient_archetypes.csv."""
    by_archetype: dict[str, list[Row]] = defaultdict(list)
    for feature in features:
        by_archetype[feature["archetype"]].append(feature)
    labs = {row["lab"]: row for row in lab_tests}
    rows = []
    for tenant in tenants:
        name = tenant["tenant_id"]
        if name not in archetypes[0]:
            raise ValueError(
                f"The tenant {name!r} of patient_tenants.csv has no column in "
                "patient_archetypes.csv: add one with the weight of each archetype per thousand."
            )
        ids = [f"{name}/{number:05d}" for number in range(1, int(tenant["n_patients"]) + 1)]
        heldout = held_out(ids, float(tenant["holdout_share"]), tenant["seed"])
        weights = [float(row[name]) for row in archetypes]
        for patient_id in ids:
            draw = random.Random(f"{tenant['seed']}/{patient_id}")
            archetype = draw.choices(archetypes, weights)[0]
            patient = _patient(patient_id, tenant, by_archetype[archetype["archetype"]], labs, draw)
            rows.append(
                {
                    "patient_id": patient_id,
                    "tenant_id": name,
                    "archetype": archetype["archetype"],
                    "condition": archetype["condition"],
                    "is_holdout": patient_id in heldout,
                    "patient_json": json.dumps(patient, sort_keys=True),
                }
            )
    return pa.Table.from_pylist(rows, schema=PATIENT_SCHEMA)


def held_out(patient_ids: Sequence[str], share: float, seed: str) -> set[str]:
    """The held-out patients: the given share (0 to 1) of them, those with the smallest hashes."""
    order = sorted(
        patient_ids, key=lambda name: hashlib.sha256(f"{seed}/holdout/{name}".encode()).digest()
    )
    return set(order[: round(share * len(order))])


def _patient(
    patient_id: str,
    tenant: Row,
    features: Sequence[Row],
    labs: Mapping[str, Row],
    draw: random.Random,
) -> dict[str, Any]:
    age = NormalDist(float(tenant["mean_age"]), float(tenant["sd_age"])).inv_cdf(
        min(max(draw.random(), 1e-6), 1 - 1e-6)
    )
    sex = "female" if draw.random() < float(tenant["female_share"]) else "male"
    patient: dict[str, Any] = {
        "patient_id": patient_id,
        "tenant_id": tenant["tenant_id"],
        "age": float(round(min(max(age, YOUNGEST), OLDEST))),
        "sex": sex,
        "conditions": [],
        "medications": [],
        "allergies": [],
        "vitals": {},
        "measurements": {},
        "labs": [],
        "chest_xray": [],
        "notes": [],
    }
    notes = []
    for feature in features:
        # both are always drawn, so that one feature does not change the next
        chance, level = draw.random(), draw.random()
        if chance >= float(feature["probability"]):
            continue
        kind, name = feature["kind"], feature["name"]
        if kind in _OF_LISTS:
            patient[_OF_LISTS[kind]].append(name)
            continue
        if kind == "note":
            notes.append(name)
            continue
        low, high = float(feature["low"]), float(feature["high"])
        value = round(low + level * (high - low), _DECIMALS.get(name, 2 if high <= 1 else 0))
        if kind == "vital":
            patient["vitals"][name] = value
        elif kind == "measurement":
            patient["measurements"][name] = value
        elif kind == "xray":
            patient["chest_xray"].append({"label": name, "probability": value})
        else:
            test = labs[name]
            patient["labs"].append(
                {
                    "name": name,
                    "value": value,
                    "unit": test["unit"] or "",
                    "flag": _flag(test, value),
                }
            )
    if notes:
        patient["notes"] = [" ".join(notes)]
    return patient


def _flag(test: Row, value: float) -> str:
    if test["high"] and value > float(test["high"]):
        return "high"
    if test["low"] and value < float(test["low"]):
        return "low"
    return "normal"
