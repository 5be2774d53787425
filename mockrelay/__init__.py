"""A stateful test double of a layer-2 exchange relayer."""

__version__ = "0.1.0"
