"""The calls that the profile `live` adds: views of the same world in the forms of published clients."""
