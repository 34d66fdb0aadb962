//! What the reader of a result should know.

use super::measure::Measured;
use super::rates::Rates;
use super::result::{LandUse, Warning, WarningCode};
use super::settle::Case;

pub(super) fn warnings(
    case: &Case<'_>,
    measured: &Measured,
    rates: Option<&Rates>,
    land_use: &LandUse,
) -> Vec<Warning> {
    use WarningCode as Code;
    let in_catchment = !measured.catchments.is_empty();
    let covered = land_use.covered_fraction.unwrap_or(1.0);
    let floor = case.options.coverage_floor;
    let told = [
        (
            in_catchment && case.reference.coefficients.is_none(),
            Code::NoCoefficients,
            "there is no coefficient layer: the land's uplift is not known".to_owned(),
        ),
        (in_catchment && covered < floor, Code::LowCoverage, low_coverage(covered, floor)),
        (
            in_catchment && land_use.unknown_ha > 0.0,
            Code::MissingCoefficients,
            format!(
                "{:.4} ha lie in parcels without a coefficient: what they give off is not known and \
                 counts as nothing",
                land_use.unknown_ha
            ),
        ),
        (
            land_use.catchment_overlap_ha > 0.0,
            Code::CatchmentOverlap,
            format!("{:.4} ha lie in several catchments", land_use.catchment_overlap_ha),
        ),
        (
            land_use.parcel_overlap_ha > 0.0,
            Code::ParcelOverlap,
            format!("{:.4} ha lie in several parcels", land_use.parcel_overlap_ha),
        ),
        (
            rates.is_none(),
            Code::NoRates,
            "no water rates apply to the site: its wastewater counts as nothing".to_owned(),
        ),
        (
            case.site.dwellings == 0 && case.site.people.is_none(),
            Code::NoDwellings,
            "there are no dwellings: the wastewater counts as nothing".to_owned(),
        ),
        (
            measured.works_fell_back,
            Code::FallbackWorks,
            format!(
                "the site lies in no works' catchment: package plant {} is assumed",
                measured.works
            ),
        ),
        (
            measured.works_unknown,
            Code::UnknownWorks,
            "the works that was chosen is not known; the one of the ground was taken".to_owned(),
        ),
        (
            !case.reference.lookups.works.contains_key(&measured.works),
            Code::UnlistedWorks,
            format!(
                "treatment works {} is not in the lookup: its permit limits are not known, and the \
                 site's wastewater counts as nothing",
                measured.works
            ),
        ),
        (
            measured.too_many_pieces,
            Code::TooManyPieces,
            "the site has too many parcels to be drawn one by one".to_owned(),
        ),
    ];
    let told = told.into_iter().filter(|(is_so, _, _)| *is_so);
    told.map(|(_, code, sentence)| Warning { code, sentence }).collect()
}

fn low_coverage(covered: f64, floor: f64) -> String {
    let per_cent = |part: f64| (part * 1000.0).round() / 10.0;
    format!(
        "coefficients cover only {} per cent of the site, less than the {} per cent that are \
         expected: what the rest gives off is not in the figures",
        per_cent(covered),
        per_cent(floor)
    )
}
