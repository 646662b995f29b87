"""`python -m trueerror` is the command line."""

from trueerror.cli import main

if __name__ == "__main__":
    main()
