"""What people, judges and repeated answers say: one frame of items × units, and the questions that are asked of it."""
