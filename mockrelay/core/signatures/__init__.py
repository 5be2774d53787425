"""Signatures of calls: whether one is present and well-formed, whether it is right, and why it is wrong."""
