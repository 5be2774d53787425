"""The facts of the spec as data: endpoints, codes, word lists, transitions, and the choices where it leaves a question open."""
