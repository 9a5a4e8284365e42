"""Can the metric be gamed? One attack after the other, on real submissions."""
