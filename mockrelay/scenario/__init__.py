"""Scenarios: strict YAML files, the scenarios that they extend, and the worlds that start from them."""

from mockrelay.scenario.dump import scenario_text
from mockrelay.scenario.loader import (
    description,
    flat,
    flat_text,
    is_path,
    load,
    load_document,
    load_text,
    shipped,
    text_of,
)
from mockrelay.scenario.scenario import Scenario
from mockrelay.scenario.with_limits import checked_limits, load_with_limits
from mockrelay.scenario.yaml import ScenarioError

__all__ = [
    "Scenario",
    "ScenarioError",
    "checked_limits",
    "description",
    "flat",
    "flat_text",
    "is_path",
    "load",
    "load_document",
    "load_text",
    "load_with_limits",
    "scenario_text",
    "shipped",
    "text_of",
]
