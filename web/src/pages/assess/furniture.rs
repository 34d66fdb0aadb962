//! What every drawing of the ground bears: which way is north, and how long a length is.

use maud::{Markup, html};

use super::view::View;
use crate::parts::count;

/// Renders the arrow and the scale bar over a drawing.
pub(super) fn furniture(view: &View) -> Markup {
    let bottom = view.height - 22.0;
    html! {
        g.north {
            path d="M960 20l14 44-14-10-14 10z" {}
            text x="960" y="92" text-anchor="middle" { "N" }
        }
        @if let Some((metres, long)) = view.scale_bar() {
            g.scale {
                path d={ "M24 " (bottom - 10.0) "v10h" (long.round()) "v-10" } {}
                text x="34" y=(bottom - 14.0) { (length(metres)) }
            }
        }
    }
}

/// Writes a round length: `50 m`, `2 km`, `20 cm`.
fn length(metres: f64) -> String {
    match metres {
        // The bar is a round number of one digit, so that nothing is lost here.
        1000.0.. => format!("{} km", whole(metres / 1000.0)),
        1.0..1000.0 => format!("{} m", whole(metres)),
        _ => format!("{} cm", whole(metres * 100.0)),
    }
}

#[expect(clippy::cast_possible_truncation, reason = "a conversion of floats saturates")]
#[expect(clippy::cast_sign_loss, reason = "a length is not below zero")]
fn whole(figure: f64) -> String {
    count(figure.round() as u64)
}

#[cfg(test)]
mod tests {
    use super::length;

    #[test]
    fn lengths_are_round() {
        let told = [0.2, 1.0, 50.0, 1000.0, 20_000.0].map(length);
        assert_eq!(told, ["20 cm", "1 m", "50 m", "1 km", "20 km"]);
    }
}
