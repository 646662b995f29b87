"""`python -m trueerror` is the command line."""

if __name__ == "__main__":
    try:
        from trueerror.cli import main
    except KeyboardInterrupt:
        raise SystemExit(130) from None
    main()
