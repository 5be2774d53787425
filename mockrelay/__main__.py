"""`python -m mockrelay`: the command line."""

from mockrelay.cli import main

main()
