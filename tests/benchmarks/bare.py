"""`python -m tests.benchmarks.bare SIZE`: aiohttp with nothing behind it, the limit for anything on aiohttp.

Answers each request with the same JSON of SIZE bytes, after parsing the body if there is one. It prints its port; a line
on its standard input makes it print the CPU seconds it has used, the end of the input ends it. It is the low-level
server, because that is faster than an application with a route, and with an answer of aiohttp's own.
"""

from __future__ import annotations

import asyncio
import json
import sys
from time import process_time

from aiohttp import web


async def _main(size: int) -> None:
    body = json.dumps({"data": "x" * max(size - len('{"data": ""}'), 0)}).encode()

    async def handle(request: web.BaseRequest) -> web.StreamResponse:
        if request.method == "POST":
            json.loads(await request.read())
        return web.Response(body=body, content_type="application/json")

    runner = web.ServerRunner(web.Server(handle, access_log=None))
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    print(runner.addresses[0][1], flush=True)
    while await asyncio.to_thread(sys.stdin.readline):
        print(process_time(), flush=True)
    await runner.cleanup()


if __name__ == "__main__":
    asyncio.run(_main(int(sys.argv[1])))
