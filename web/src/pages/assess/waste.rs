//! The step from homes to what the treatment works lets through.

use maud::{Markup, html};

use super::sums::{LoadLine, WastewaterSum};
use crate::parts::{amount, cell, count, decimals, percent, plain};

/// Renders how the load of the works was worked out.
pub(super) fn wastewater(sum: Option<&WastewaterSum>) -> Markup {
    let Some(sum) = sum else {
        return html! {
            p { "Nothing: the treatment works of this site is not known, so its load is not told." }
        };
    };
    html! {
        p {
            "The wastewater goes to " bdi { (sum.works) }
            @if sum.is_chosen { ", which the applicant chose" }
            @if !sum.catchment.is_empty() { ", and from there to " bdi { (sum.catchment) } }
            "."
        }
        (litres(sum))
        p {
            "Litres a day, times " (plain(sum.days_per_year)) " days, times what the permit of the \
             works allows in a litre, times " (percent(sum.operating_rate))
            ", because works run at that part of their permit. A milligram is a millionth of a \
             kilogram."
        }
        table {
            thead { tr {
                th scope="col" { "Nutrient" }
                th scope="col" { "Period" }
                th.num scope="col" { "Permit, mg/l" }
                th.num scope="col" { "Load, kg/yr" }
                th scope="col" { "In the total" }
            } }
            tbody { @for line in &sum.loads { (load(line)) } }
        }
    }
}

fn litres(sum: &WastewaterSum) -> Markup {
    let (Some(litres), Some(per_person)) = (sum.litres_per_day, sum.litres_per_person) else {
        return html! {
            p.notice.warn {
                "How many people live in a dwelling and how much water they use is not known here, \
                 so the load counts as nothing."
            }
        };
    };
    html! {
        p.formula {
            @match (sum.people, sum.occupancy) {
                (Some(people), _) => { (count(people)) " people" },
                (None, Some(occupancy)) => {
                    (count(sum.dwellings)) " dwellings \u{d7} " (plain(occupancy)) " people"
                },
                (None, None) => { (count(sum.dwellings)) " dwellings" },
            }
            " \u{d7} " (plain(per_person)) " litres = " strong { (decimals(litres).trim_end_matches(".00")) " litres a day" }
        }
        @if !sum.rates_from.is_empty() {
            p.quiet { "People and litres are those of " bdi { (sum.rates_from) } "." }
        }
    }
}

fn load(line: &LoadLine) -> Markup {
    html! {
        tr {
            th scope="row" { (line.nutrient) }
            (cell("Period", &line.period))
            td.num data-label="Permit, mg/l" {
                @match line.limit {
                    Some(limit) => (plain(limit)),
                    None => span.quiet { "none" },
                }
            }
            td.num data-label="Load, kg/yr" { (amount(&line.load)) }
            td data-label="In the total" {
                @if line.counts { "yes" } @else { span.quiet { "no, it ends" } }
            }
        }
    }
}
