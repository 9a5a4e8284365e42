"""Stage two of grounding: where in a window of a film a moment starts and ends (2D-TAN, IA-Net, RNL)."""
