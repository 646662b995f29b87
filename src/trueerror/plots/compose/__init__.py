"""Results to pictures: what is to be seen, as plain values."""
