"""Signatures of calls: presence and form, verification, and the diagnosis of wrong ones."""
