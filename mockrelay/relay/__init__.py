"""The relayer without a socket: what joins the rooms."""

from mockrelay.relay.relay import REQUEST_ID_HEADER, Relay
from mockrelay.relay.verifier import SignedRequest, Verifier

__all__ = ["REQUEST_ID_HEADER", "Relay", "SignedRequest", "Verifier"]
