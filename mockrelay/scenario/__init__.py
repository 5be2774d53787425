"""Situations: strict YAML files, what they extend, and the worlds that start from them."""

from mockrelay.scenario.errors import ScenarioError
from mockrelay.scenario.loader import load, load_text, shipped
from mockrelay.scenario.scenario import Scenario

__all__ = ["Scenario", "ScenarioError", "load", "load_text", "shipped"]
