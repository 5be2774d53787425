"""OpenAPI 3.1 documents of the relayer API and of the control API, derived from the tables, the schemas and a relay.

Nothing in them is written twice: paths, codes and limits come from `spec`, shapes from `schemas/`, summaries from what
carries an endpoint or a verb out, and examples from a relay that is played a script whenever a document is made.
"""

from mockrelay.openapi.control import control_document
from mockrelay.openapi.relayer import relayer_document

__all__ = ["control_document", "relayer_document"]
