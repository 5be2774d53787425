"""OpenAPI 3.1 documents of the relayer API and of the control API, derived from the tables, the schemas and a relay.

Nothing in them is written twice: paths, codes and limits come from `spec`, shapes from `schemas/`, summaries from the
docstrings of actions and views, and examples from a script that a relay runs whenever a document is built.
"""

from mockrelay.openapi.control import control_document
from mockrelay.openapi.relayer import relayer_document

__all__ = ["control_document", "relayer_document"]
