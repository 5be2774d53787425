"""The facts: endpoints, codes, words, transitions and silences of the spec, as data without branches."""
