"""One place for every rule about input: arrays, labels, scores, weights, options."""
