"""The JSON Schema of scenario files, for editors."""

from mockrelay.scenario.editor.document import editor_schema, editor_schema_text

__all__ = ["editor_schema", "editor_schema_text"]
