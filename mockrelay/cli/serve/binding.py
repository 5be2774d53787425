"""Where `serve` listens: the socket, TLS, and the origins of `--cors`."""

from __future__ import annotations

import errno
import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from mockrelay.cli.options import EXIT_CANNOT_BIND, CliError

if TYPE_CHECKING:
    from socket import socket
    from ssl import SSLContext

    from mockrelay.cli.serve.options import ServeOptions
    from mockrelay.web.access import Address, Outside

_ANY = ("0.0.0.0", "::")  # noqa: S104 - compared with, never bound to
_NUMBERS = re.compile(r"[0-9.]+")


def control_origins_of(text: str) -> tuple[str, ...]:
    """The origins of `--control-cors`: `none`, or origins separated by commas. Raises CliError."""
    from mockrelay.web.cors import control_cors

    if text == "none":
        return ()
    origins = tuple(origin.strip() for origin in text.split(","))
    try:
        control_cors(["*"] if text == "any" else origins)
    except ValueError as error:
        raise CliError(f"--control-cors {text}: {error}; or none") from error
    return origins


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


class Tls(NamedTuple):
    """What a server with TLS needs."""

    context: SSLContext
    ca_pem: bytes | None
    """The certificate of the authority that was made for it; None: clients have theirs."""


def tls_of(given: ServeOptions) -> Tls | None:
    """TLS by the options; None without them. Raises CliError."""
    if given.tls is not None:
        if given.tls_cert is not None or given.tls_key is not None:
            raise CliError("--tls self-signed beside --tls-cert or --tls-key; meant: one or the other")
        if given.ready_file is None:
            meant = "its authority's certificate is written beside the ready file, for clients to trust; meant: --ready-file too"
            raise CliError(f"--tls self-signed: {meant}")
        hosts = [given.host, *([address_of(given.public_url).host] if given.public_url else [])]
        return _self_signed(hosts)
    context = _context_of_files(given.tls_cert, given.tls_key)
    return None if context is None else Tls(context, None)


def _self_signed(hosts: Iterable[str]) -> Tls:
    """A certificate for this machine and for these hosts."""
    import ssl

    try:
        import trustme
    except ImportError:
        raise CliError("--tls self-signed: needs trustme; meant: pip install 'mockrelay[tls]'") from None
    names = ["localhost", "127.0.0.1", "::1"]
    for host in hosts:
        name = re.sub(r":\d+$", "", host).strip("[]") if host.count(":") < 2 or host.startswith("[") else host
        if name not in names and name not in _ANY:
            names.append(name)
    authority = trustme.CA(organization_name="mockrelay", organization_unit_name="made for one run")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        authority.issue_cert(*names).configure_cert(context)
    except ValueError as error:
        raise CliError(f"--tls self-signed: no certificate for {', '.join(names)}: {error}") from error
    return Tls(context, authority.cert_pem.bytes())


def address_of(url: str) -> Address:
    """The address of `--public-url`. Raises CliError."""
    from mockrelay.web.access import Address

    try:
        return Address.of_url(url)
    except ValueError as error:
        raise CliError(f"--public-url {error}") from None


def outside_of(given: ServeOptions) -> Outside:
    """How the addresses that clients call are known. Raises CliError."""
    from mockrelay.web.access import ITSELF, Outside

    if given.public_url is None and not given.trust_proxy:
        return ITSELF
    return Outside(None if given.public_url is None else address_of(given.public_url), given.trust_proxy)


def _context_of_files(cert: Path | None, key: Path | None) -> SSLContext | None:
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
