//! From the ground to the paper.
