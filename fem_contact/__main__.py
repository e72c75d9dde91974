"""``python -m fem_contact``: the command line."""

from fem_contact.cli import main

main()
