"""What `docs/build.py` makes from the code: reference pages, pictures, and the output shown in the written pages."""
