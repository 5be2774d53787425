"""How what was found is told: as text, as JSON, as JUnit for CI and as SARIF 2.1.0 for tools that collect findings."""

from mockrelay.report.telling.junit import junit
from mockrelay.report.telling.plain import json_of, text_of
from mockrelay.report.telling.remarks import LEVELS, Case, Remark, Rule
from mockrelay.report.telling.sarif import sarif

__all__ = ["LEVELS", "Case", "Remark", "Rule", "json_of", "junit", "sarif", "text_of"]
