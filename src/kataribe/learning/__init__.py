"""What every trained model shares: examples and splits, one training loop, model folders, seeds and their intervals."""
