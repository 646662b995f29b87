"""Do the numbers mean what they say? Coverage of intervals and errors of tests, where the truth is known."""
