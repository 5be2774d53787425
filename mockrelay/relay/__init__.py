"""The relayer without a socket: what joins the rooms, its snapshots and its records."""

from mockrelay.relay.records import RecordError, read_record
from mockrelay.relay.relay import REQUEST_ID_HEADER, Relay
from mockrelay.relay.verifying import SignedRequest, Verifier

__all__ = ["REQUEST_ID_HEADER", "RecordError", "Relay", "SignedRequest", "Verifier", "read_record"]
