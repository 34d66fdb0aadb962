//! What an assessment comes to: by catchment, and in pounds.

use maud::{Markup, html};

use super::sums::{CatchmentSum, LevySum, Sums};
use crate::parts::{Amount, amount, count, percent, time};

/// Renders what reaches each catchment; nothing when there is none.
pub(super) fn catchments(sums: &Sums) -> Markup {
    let rows = &sums.catchments;
    let land = match rows.iter().all(|row| row.is_after_drainage) {
        true => "From the land, after drainage",
        false => "From the land, before drainage",
    };
    html! {
        @if !rows.is_empty() {
            table.catchments {
                caption { "By nutrient catchment, kilograms a year" }
                thead { tr {
                    th scope="col" { "Catchment" }
                    th scope="col" { "Nutrient" }
                    th.num scope="col" { (land) }
                    th.num scope="col" { "From the works" }
                    th.num scope="col" { "In all" }
                } }
                tbody { @for row in rows { (catchment(row, land)) } }
            }
            @if sums.is_strict {
                p.quiet {
                    "An older service was repeated to the last digit: each catchment repeats the \
                     totals of the site."
                }
            } @else {
                p.quiet {
                    "In all is the land and the works, with what is added for caution. Drainage and \
                     caution follow the sign of each catchment's own figures, so that one catchment's \
                     gain makes no other's load smaller. The rows of a nutrient need not add up to its \
                     total for the site."
                }
                @if sums.drains_nowhere {
                    p.quiet {
                        "The works drains to no nutrient catchment that is known: its load is in \
                         the total of the site and in no row."
                    }
                }
            }
        }
    }
}

fn catchment(row: &CatchmentSum, land: &str) -> Markup {
    html! {
        tr {
            th scope="row" {
                bdi { (row.name) }
                div.quiet { (amount(&row.area_ha)) " ha, " (percent(row.share)) " of the site" }
            }
            td data-label="Nutrient" { "Nitrogen" }
            (figure(land, &row.land.nitrogen))
            (figure("From the works", &row.wastewater.nitrogen))
            (figure("In all", &row.total.nitrogen))
        }
        tr {
            // The name once more, because a row that stands alone on a narrow screen needs it.
            th scope="row" { bdi { (row.name) } }
            td data-label="Nutrient" { "Phosphorus" }
            (figure(land, &row.land.phosphorus))
            (figure("From the works", &row.wastewater.phosphorus))
            (figure("In all", &row.total.phosphorus))
        }
    }
}

fn figure(label: &str, figure: &Amount) -> Markup {
    html! { td.num data-label=(label) { (amount(figure)) } }
}

/// Renders the levy; nothing when none was worked out.
pub(super) fn levy(levy: Option<&LevySum>) -> Markup {
    html! {
        @if let Some(levy) = levy {
            section aria-labelledby="levy-heading" {
                h2 #levy-heading { "Levy" }
                p {
                    "What the developer pays so that the effect is undone elsewhere, under the \
                     plan " bdi { (levy.plan) } "."
                }
                p.formula {
                    "\u{a3}" (levy.base_gbp) " \u{d7} " (count(levy.units)) " units = \u{a3}"
                    (levy.provisional_gbp)
                }
                @match &levy.index {
                    Some((now, then)) => p.formula {
                        "\u{a3}" (levy.provisional_gbp) " \u{d7} " (now) " \u{f7} " (then)
                        " (building costs of the two years) = " strong { "\u{a3}" (levy.total_gbp) }
                    },
                    None => p {
                        "The plan began in the year of calculation, so prices are as they were: "
                        strong { "\u{a3}" (levy.total_gbp) } "."
                    },
                }
                p.quiet {
                    "Worked out " (time(&levy.calculated))
                    @if let Some(sent) = &levy.sent { ", sent " (time(sent)) }
                    ". Rounded once, at the end, half a penny up."
                }
            }
        }
    }
}
