"""`python -m trueerror` is the command line."""

try:
    from trueerror.cli import main
except KeyboardInterrupt:
    raise SystemExit(130) from None

if __name__ == "__main__":
    main()
