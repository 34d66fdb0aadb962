//! Figures as they are and as they are told.

use serde::{Deserialize, Serialize};

/// Rounds to two digits, half to even of the hundredfold: other ways differ in the last digit.
pub fn r2(value: f64) -> f64 {
    plain((value * 100.0).round_ties_even() / 100.0)
}

/// Adds figures of two digits as whole hundredths: their sum has no tail of digits and depends on no
/// order. Whole numbers below 2^53 add up exactly.
pub(super) fn sum_of_hundredths(values: impl Iterator<Item = f64>) -> f64 {
    let hundredths = values.map(|value| (value * 100.0).round_ties_even());
    plain(hundredths.sum::<f64>() / 100.0)
}

/// Nothing is nothing: a sum of no figures, or a tiny one that is rounded, is not below it.
fn plain(value: f64) -> f64 {
    if value == 0.0 { 0.0 } else { value }
}

/// A figure with all of its digits, and rounded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Amount {
    pub exact: f64,
    pub rounded: f64,
}

impl Amount {
    pub fn new(exact: f64) -> Amount {
        Amount { exact: plain(exact), rounded: r2(exact) }
    }

    /// A figure that is told as it is: sums in strict parity are not rounded again.
    pub fn unrounded(exact: f64) -> Amount {
        Amount { exact: plain(exact), rounded: plain(exact) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_go_to_the_even_neighbour() {
        for (value, rounded) in [
            (0.125, 0.12),
            (0.375, 0.38),
            (0.995, 1.0),
            (11.925, 11.92),
            (2.295, 2.3),
            (-0.125, -0.12),
        ] {
            assert_eq!(r2(value), rounded, "{value}");
        }
    }

    #[test]
    fn figures_of_two_digits_add_up_without_a_tail_in_any_order() {
        let mut figures = [0.1, 0.2, 2.47, -0.07, 1.13, 0.29, -181.26, 94.52];
        let sum = |figures: &[f64]| sum_of_hundredths(figures.iter().copied());
        assert_eq!(sum(&figures[..2]), 0.3, "as numbers with a point they add up to more");
        let first = sum(&figures);
        assert_eq!(first, -82.62);
        figures.reverse();
        assert_eq!(sum(&figures), first);
        assert_eq!(sum(&[0.29; 1_000_000]), 290_000.0);
        assert_eq!(format!("{:?}", sum(&[])), "0.0");
    }

    #[test]
    fn nothing_has_no_sign() {
        let none = std::iter::empty::<f64>().sum::<f64>();
        for amount in [Amount::new(none), Amount::unrounded(none), Amount::new(-0.004)] {
            assert_eq!(format!("{:?}", amount.rounded), "0.0");
        }
        assert_eq!(format!("{:?}", Amount::new(none).exact), "0.0");
    }
}
