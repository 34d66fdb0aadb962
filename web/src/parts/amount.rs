//! Figures that are told rounded and kept exact.

use maud::{Markup, html};
use serde::Serialize;

/// A figure as it is told, and with all of its digits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Amount {
    /// As it is told.
    pub rounded: f64,
    /// As it was worked out.
    pub exact: f64,
}

impl Amount {
    /// Pairs a rounded figure with the exact one.
    pub fn new(rounded: f64, exact: f64) -> Amount {
        Amount { rounded, exact }
    }
}

/// Nitrogen and phosphorus side by side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct NutrientAmounts {
    /// Nitrogen.
    pub nitrogen: Amount,
    /// Phosphorus.
    pub phosphorus: Amount,
}

/// Shows a rounded figure; the exact one appears on hover and on keyboard focus where it differs.
pub fn amount(amount: &Amount) -> Markup {
    let told = decimals(amount.rounded);
    let exact = signed(&amount.exact.to_string());
    html! {
        @if amount.exact.is_nan() || told == exact || amount.rounded.to_string() == exact { (told) }
        @else {
            data.size value=(amount.exact) tabindex="0" {
                (told) span.exact { "exactly " (exact) }
            }
        }
    }
}

/// Writes a figure with two decimals, its thousands apart and a true minus: `−1,234.50`.
pub fn decimals(figure: f64) -> String {
    if !figure.is_finite() {
        return "\u{2013}".to_owned();
    }
    let plain = format!("{:.2}", figure.abs());
    let (whole, part) = plain.split_once('.').unwrap_or((&plain, "00"));
    let mut out = String::new();
    // What rounds to nothing has no sign.
    if figure < 0.0 && plain != "0.00" {
        out.push('\u{2212}');
    }
    for (place, digit) in whole.chars().enumerate() {
        if place > 0 && (whole.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    format!("{out}.{part}")
}

/// Writes a rate as it is: `0.25`, `365.25`, `25`.
pub fn plain(figure: f64) -> String {
    if figure.is_finite() { signed(&figure.to_string()) } else { "\u{2013}".to_owned() }
}

/// Writes a part of one as a part of a hundred, with at most two decimals: `20 %`, `97.35 %`.
pub fn percent(part: f64) -> String {
    if !part.is_finite() {
        return "\u{2013}".to_owned();
    }
    let text = format!("{:.2}", part * 100.0);
    format!("{} %", signed(text.trim_end_matches('0').trim_end_matches('.')))
}

fn signed(text: &str) -> String {
    text.replace('-', "\u{2212}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_read_as_people_write_them() {
        let told = [0.0, -0.001, 1325.42, -1252.0, 1e6, f64::NAN].map(decimals);
        assert_eq!(told, ["0.00", "0.00", "1,325.42", "−1,252.00", "1,000,000.00", "–"]);
        assert_eq!([0.2, 0.9735, 1.0, 0.0].map(percent), ["20 %", "97.35 %", "100 %", "0 %"]);
        assert_eq!([0.25, 27.0, -1.5].map(plain), ["0.25", "27", "−1.5"]);
    }

    #[test]
    fn the_exact_figure_is_there_where_it_differs() {
        assert_eq!(amount(&Amount::new(2.47, 2.47)).into_string(), "2.47");
        assert_eq!(amount(&Amount::new(3.0, 3.0)).into_string(), "3.00");
        let shown = amount(&Amount::new(2.47, 2.4699999999999998)).into_string();
        assert!(shown.contains("exactly 2.4699999999999998"), "{shown}");
    }
}
