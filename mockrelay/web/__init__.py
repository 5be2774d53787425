"""The relay on a socket: aiohttp stands here and nowhere else."""

from mockrelay.web.app import create_app
from mockrelay.web.serving import Serving, serve

__all__ = ["Serving", "create_app", "serve"]
