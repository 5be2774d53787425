"""The WebSockets of a relayer as sessions: messages, subscriptions and pushes, without a socket."""

from mockrelay.relay.sessions.session import Out, Session, SocketEvent
from mockrelay.relay.sessions.sessions import Sessions

__all__ = ["Out", "Session", "Sessions", "SocketEvent"]
