"""The relayer without a socket: one world, its clock, journal and record behind one lock."""

from mockrelay.relay.relay import REQUEST_ID_HEADER, Relay
from mockrelay.relay.verifier import SignedRequest, Verifier

__all__ = ["REQUEST_ID_HEADER", "Relay", "SignedRequest", "Verifier"]
