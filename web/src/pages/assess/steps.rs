//! The sums explained, step by step.
