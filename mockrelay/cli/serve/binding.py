"""Where `serve` listens: the socket, TLS, and the origins of `--cors`."""

from __future__ import annotations

import errno
import re
from pathlib import Path
from typing import TYPE_CHECKING

from mockrelay.cli.options import EXIT_CANNOT_BIND, CliError

if TYPE_CHECKING:
    from socket import socket
    from ssl import SSLContext

_NUMBERS = re.compile(r"[0-9.]+")


def origins_of(text: str) -> tuple[str, ...]:
    """The origins of `--cors`: `any`, `none`, or origins separated by commas. Raises CliError."""
    from mockrelay.web.cors import ANY, Cors

    if text in ("any", "none"):
        return ANY if text == "any" else ()
    origins = tuple(origin.strip() for origin in text.split(","))
    try:
        Cors(origins)
    except ValueError as error:
        raise CliError(f"--cors {text}: {error}; or any, or none") from error
    return origins


def tls_context(cert: Path | None, key: Path | None) -> SSLContext | None:
    """The context of a server with TLS; None without the options. Raises CliError."""
    if cert is None and key is None:
        return None
    if cert is None or key is None:
        raise CliError(f"--tls-{'key' if cert is None else 'cert'} alone: --tls-cert and --tls-key belong together")
    import ssl

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        # With a password here OpenSSL asks for none on the terminal.
        context.load_cert_chain(cert, key, password="")
    except ssl.SSLError as error:
        found = "not both files are PEM, or the key has a password"
        if error.reason == "KEY_VALUES_MISMATCH":
            found = "the key belongs to another certificate"
        meant = "a certificate and its private key without a password"
        raise CliError(f"--tls-cert {cert} --tls-key {key}: {found}; meant: {meant}") from error
    return context


def bound(host: str, port: int, token: str | None) -> socket:
    """A socket that is bound to the port. Raises CliError."""
    import socket

    from mockrelay.web.server import bind

    if _NUMBERS.fullmatch(host) and not _is_address(host):
        raise CliError(f"--host {host}: is not an address; meant: four numbers from 0 to 255, such as 127.0.0.1")
    try:
        return bind(host, port, token)
    except ValueError as error:
        raise CliError(f"--host {host}: {error}") from error
    except socket.gaierror as error:
        raise CliError(f"--host {host}: no address is known of it ({error.strerror}); meant: 127.0.0.1") from error
    except OSError as error:
        hint = "; -p 0 takes a free port" if error.errno == errno.EADDRINUSE else ""
        text = f"cannot listen on {host}:{port}: {error.strerror or error}{hint}"
        raise CliError(text, EXIT_CANNOT_BIND) from error


def _is_address(host: str) -> bool:
    import ipaddress

    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
