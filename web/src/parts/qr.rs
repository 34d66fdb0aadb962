//! A text as a picture that devices read.

use std::fmt::Write;

use maud::{Markup, html};
use qrcodegen::{QrCode, QrCodeEcc};

/// Empty squares around it, without which devices do not find it.
const QUIET: i32 = 4;

/// Renders a text as a QR code; nothing when it is too long for one. `label` says what it is.
pub fn qr_code(text: &str, label: &str) -> Markup {
    let Ok(code) = QrCode::encode_text(text, QrCodeEcc::Medium) else { return html! {} };
    let size = code.size();
    let mut dark = String::new();
    for y in 0..size {
        for x in (0..size).filter(|x| code.get_module(*x, y)) {
            // Writing into a text does not fail.
            write!(dark, "M{} {}h1v1h-1z", x + QUIET, y + QUIET).ok();
        }
    }
    let side = size + 2 * QUIET;
    html! {
        svg.qr role="img" aria-label=(label) viewBox={ "0 0 " (side) " " (side) }
            shape-rendering="crispEdges" {
            rect width=(side) height=(side) fill="#fff" {}
            path d=(dark) fill="#000" {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_becomes_squares_and_one_that_is_too_long_nothing() {
        let drawn = qr_code("otpauth://totp/x", "Code").into_string();
        // Version 2 has 25 squares a side; its corner is dark.
        assert!(drawn.contains(r#"viewBox="0 0 33 33""#), "{drawn}");
        assert!(drawn.contains("M4 4h1v1h-1z") && drawn.contains(r#"aria-label="Code""#));
        assert_eq!(qr_code(&"x".repeat(5000), "Code").into_string(), "");
    }
}
