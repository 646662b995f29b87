"""Plans for resampling: frozen, fingerprinted, the same splits everywhere for one seed."""
