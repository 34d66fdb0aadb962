//! The sums explained, step by step: what was taken, what was done with it, what came of it.

use maud::{Markup, html};

use super::sums::{BufferSum, DrainageSum, GreenspaceRule, LandUseSum, Sums};
use super::totals::catchments;
use super::waste::wastewater;
use crate::parts::{NutrientAmounts, amount, count, counted, decimals, percent, plain};

/// Renders the sums as numbered steps.
pub(super) fn steps(sums: &Sums) -> Markup {
    html! {
        section aria-labelledby="sums-heading" {
            h2 #sums-heading { "How it was worked out" }
            p.quiet {
                "Everything is in kilograms a year. "
                span.onscreen {
                    "A figure with dots below it is rounded: point at it, or reach it with the \
                     keyboard, to see all of its digits."
                }
            }
            ol.sums {
                li { h3 { "What changes on the land" } (land_use(sums.land_use.as_ref())) }
                li { h3 { "What drainage holds back" } (drainage(sums.drainage.as_ref())) }
                li { h3 { "What comes from wastewater" } (wastewater(sums.wastewater.as_ref())) }
                li { h3 { "What is added for caution" } (buffer(&sums.buffer)) }
                li {
                    h3 { "What it comes to" }
                    (pair("Total", &sums.total))
                    (catchments(sums))
                }
            }
        }
    }
}

/// Nitrogen and phosphorus, each with its name.
pub(super) fn pair(label: &str, amounts: &NutrientAmounts) -> Markup {
    html! {
        dl.pair {
            div { dt { (label) ", nitrogen" } dd { (amount(&amounts.nitrogen)) " kg/yr" } }
            div { dt { (label) ", phosphorus" } dd { (amount(&amounts.phosphorus)) " kg/yr" } }
        }
    }
}

fn land_use(sum: Option<&LandUseSum>) -> Markup {
    let Some(sum) = sum else {
        return html! {
            p { "Nothing: the site lies in no nutrient catchment, so its land does not count." }
        };
    };
    html! {
        p {
            "Of the site's " (amount(&sum.site_ha)) " ha, " (amount(&sum.in_catchment_ha))
            " ha lie in nutrient catchments, on " (counted(sum.parcel_count, "parcel"))
            " of land. For each parcel it is known what a hectare gives off today, and what it \
             gives off with houses on it. The difference times the hectares is its change; all \
             changes are added up."
        }
        (greenspace(sum.greenspace.as_ref()))
        (pair("Change", &sum.change))
        (coverage(sum))
    }
}

fn greenspace(rule: Option<&GreenspaceRule>) -> Markup {
    let Some(rule) = rule else { return html! { p { "This method assumes no greenspace." } } };
    html! {
        p {
            "Sites of " (plain(rule.threshold_ha)) " ha or more are taken to have "
            (percent(rule.share)) " of greenspace, which gives off " (plain(rule.nitrogen))
            " kg of nitrogen and " (plain(rule.phosphorus)) " kg of phosphorus a hectare and year. "
            @if rule.applies { "This site is one of them." } @else { "This site is smaller." }
        }
    }
}

fn coverage(sum: &LandUseSum) -> Markup {
    let is_low = sum.covered.is_some_and(|part| part < sum.covered_floor);
    html! {
        @if let Some(part) = sum.covered {
            p {
                strong { "Coverage: " } (percent(part))
                " of that land has coefficients. What has none counts as no change."
            }
            @if is_low {
                p.notice.warn {
                    "Less than " (percent(sum.covered_floor)) " is covered: the true change may be \
                     larger or smaller. Ask for newer reference data before you rely on it."
                }
            }
        }
        @if sum.catchment_overlap_ha > 0.0 {
            p.quiet {
                (decimals(sum.catchment_overlap_ha)) " ha lie in several catchments at once."
            }
        }
        @if sum.parcel_overlap_ha > 0.0 {
            p.quiet {
                (decimals(sum.parcel_overlap_ha)) " ha lie in several parcels at once, and count \
                 for each of them."
            }
        }
    }
}

fn drainage(sum: Option<&DrainageSum>) -> Markup {
    let Some(sum) = sum else { return html! { p { "Nothing: no land changes." } } };
    html! {
        p {
            "Sustainable drainage (SuDS: ponds and ditches that clean rain water) is assumed "
            @if sum.threshold_dwellings > 0 {
                "from " (counted(sum.threshold_dwellings, "dwelling")) " on"
            } @else { "on every site" }
            ", and holds back " (percent(sum.removal)) ". This site has "
            (count(sum.dwellings)) ", so "
            @if sum.applies {
                "that part is taken off. Where the land gives off less than today, the gain grows \
                 by the same part."
            } @else { "nothing is taken off." }
        }
        (pair("Left", &sum.left))
    }
}

fn buffer(sum: &BufferSum) -> Markup {
    html! {
        p {
            "What is left of the land and the lasting load of the works are added, and "
            (percent(sum.share)) " of the sum, whatever its sign, on top."
        }
        (pair("Sum", &sum.base))
        (pair("Added", &sum.added))
    }
}
