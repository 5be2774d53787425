"""The two shapes of an error that no relay has made: the API's and the control API's."""

from __future__ import annotations

import json

from mockrelay.spec.codes import Code
from mockrelay.wire.messages import Response

JSON_TYPE = ("Content-Type", "application/json")


def api_error(status: int, detail: str) -> Response:
    """An answer in the API's own shape for what no endpoint can judge: broken HTTP, or a failure of ours."""
    info = {"code": Code.UNKNOWN_ERROR, "message": f"{Code.UNKNOWN_ERROR.meaning}: {detail}"}
    return Response(status, (JSON_TYPE,), json.dumps({"resultInfo": info}).encode())


def control_error(status: int, error: str, field: str, meant: str, *headers: tuple[str, str]) -> Response:
    """An error in the control API's shape: what is wrong, where, and what was meant."""
    body = json.dumps({"error": error, "field": field, "meant": meant}).encode()
    return Response(status, (JSON_TYPE, *headers), body)
