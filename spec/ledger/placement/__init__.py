"""Whether an ensemble is one that a placement policy allows: BookKeeper, client/EnsemblePlacementPolicy.java."""
