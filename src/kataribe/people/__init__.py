"""Human judgement: collecting it, and what it says about metrics."""
