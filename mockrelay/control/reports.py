"""The views of a whole report: of one relayer since it was made, or of all relayers of a server (`worlds=all`)."""

from __future__ import annotations

from typing import Any

from mockrelay.control.fields import Fields
from mockrelay.report import Report
from mockrelay.report.coverage_text import FORMS as COVERAGE_FORMS
from mockrelay.report.coverage_text import format_coverage
from mockrelay.report.coverage_views import coverage_view
from mockrelay.report.forms import FORMS, REPORT_FILES, format_report
from mockrelay.wire.http import Response

WORLDS = "worlds"
"""The field that asks for all relayers of a server."""
ALL = "all"
MEDIA = {
    "text": "text/plain; charset=utf-8",
    "json": "application/json; charset=utf-8",
    "junit": "application/xml; charset=utf-8",
    "sarif": "application/sarif+json; charset=utf-8",
    "markdown": "text/markdown; charset=utf-8",
    "github": "text/plain; charset=utf-8",
}
"""The media types of the report's formats."""
_ZIP = ("Content-Type", "application/zip")
_NAMED = ("Content-Disposition", 'attachment; filename="mockrelay-report.zip"')


def findings_report(report: Report, fields: Fields) -> Response:
    """Findings and problems in the format asked for, JSON without one."""
    form = fields.one_of("format", FORMS) if "format" in fields else "json"
    return _text(form, format_report(report.findings, report.problems, form))


def coverage_report(report: Report, fields: Fields) -> Any:
    """The coverage in the format asked for; without one its JSON value."""
    if "format" not in fields:
        return coverage_view(report.coverage)
    form = fields.one_of("format", COVERAGE_FORMS)
    return _text(form.partition("-")[0], format_coverage(report.coverage, form))


def problems_report(report: Report, fields: Fields) -> Any:
    """All problems, each with its world."""
    return [problem.view() for problem in report.problems]


def zipped(report: Report) -> Response:
    """All files of the report as a zip. The same report gives the same bytes."""
    import io  # noqa: PLC0415 - few servers are asked for it
    import zipfile  # noqa: PLC0415 - as above

    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, write in REPORT_FILES.items():
            entry = zipfile.ZipInfo(name)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, write(report))
    return Response(200, (_ZIP, _NAMED), buffer.getvalue())


def _text(form: str, text: str) -> Response:
    return Response(200, (("Content-Type", MEDIA[form]),), text.encode())
