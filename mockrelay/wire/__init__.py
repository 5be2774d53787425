"""Calls from HTTP requests, HTTP responses from replies, and the schemas that both are checked against."""
