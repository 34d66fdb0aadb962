//! The table of 31 columns, numbers written as the older service writes them.

use crate::assess::{Amount, Assessment, Outcome, Wastewater};

/// The columns, in their order.
pub const COLUMNS: [&str; 31] = [
    "RLB_ID",
    "id",
    "Name",
    "Dwel_Cat",
    "Source",
    "Dwellings",
    "Dev_Area_Ha",
    "AreaInNNCatchment",
    "NN_Catchment",
    "Dev_SubCatchment",
    "Majority_LPA",
    "Majority_WwTw_ID",
    "WwTW_name",
    "WwTw_SubCatchment",
    "N_LU_Uplift",
    "P_LU_Uplift",
    "N_LU_postSuDS",
    "P_LU_postSuDS",
    "Occ_Rate",
    "Water_Usage_L_Day",
    "Litres_used",
    "Nitrogen_2025_2030",
    "Nitrogen_2030_onwards",
    "Phosphorus_2025_2030",
    "Phosphorus_2030_onwards",
    "N_WwTW_Temp",
    "P_WwTW_Temp",
    "N_WwTW_Perm",
    "P_WwTW_Perm",
    "N_Total",
    "P_Total",
];

/// The head and a row for each assessment.
pub fn csv<'a>(assessments: impl IntoIterator<Item = &'a Assessment>) -> String {
    let mut text = COLUMNS.join(",") + "\n";
    for assessment in assessments {
        let mut row = csv_row(assessment);
        if !assessment.provenance.strict_parity {
            TEXTS.iter().for_each(|at| disarm(&mut row[*at]));
        }
        text += &row.map(|field| quoted(&field)).join(",");
        text.push('\n');
    }
    text
}

/// The fields of one row; what is not known is empty.
pub fn csv_row(assessment: &Assessment) -> [String; 31] {
    let Assessment { development, spatial, land_use, wastewater, .. } = assessment;
    let strict = assessment.provenance.strict_parity;
    // Nothing is worked out for a site out of scope; the older service tells zeros.
    let is_told = strict || assessment.outcome != Outcome::OutOfScope;
    let water = wastewater.as_ref().filter(|_| is_told);
    let [nitrogen, phosphorus] = assessment.totals();
    let in_use = assessment.water_use.as_ref().filter(|_| is_told);
    let rates = water.and_then(|it| it.rates.as_ref()).or(in_use.map(|it| &it.rates));
    let litres = water.and_then(|it| it.litres_per_day).or(in_use.map(|it| it.litres_per_day));
    let limit = |of: fn(&Wastewater) -> Option<f64>| optional(water.and_then(of));
    let leaves_empty = strict && assessment.provenance.method.leaves_unknown_loads_empty();
    let load = |of: fn(&Wastewater) -> Amount, limit: fn(&Wastewater) -> Option<f64>| {
        let is_known = litres.is_some() && water.is_some_and(|it| limit(it).is_some());
        let load = water.map(|it| of(it).rounded);
        optional(load.or(is_told.then_some(0.0)).filter(|_| is_known || !leaves_empty))
    };
    let text = |it: &Option<String>| it.clone().unwrap_or_default();
    let name = if strict { folded(&development.name) } else { development.name.clone() };
    let amount = |it: Option<Amount>| optional(it.map(|it| it.rounded));
    [
        development.number.to_string(),
        development.id.clone(),
        name,
        development.dwelling_category.clone(),
        development.source.clone(),
        development.dwellings.to_string(),
        number(development.area_ha),
        amount(spatial.area_in_nn_catchment_ha),
        spatial.nn_catchment.clone(),
        text(&spatial.dev_subcatchment),
        spatial.lpa_name.clone(),
        spatial.wwtw_id.to_string(),
        text(&spatial.wwtw_name),
        text(&spatial.wwtw_subcatchment),
        amount(land_use.nitrogen_uplift),
        amount(land_use.phosphorus_uplift),
        amount(land_use.nitrogen_post_suds),
        amount(land_use.phosphorus_post_suds),
        optional(rates.map(|it| it.occupancy)),
        optional(rates.map(|it| it.litres_per_person)),
        optional(litres),
        limit(|it| it.nitrogen_limit_2025_2030),
        limit(|it| it.nitrogen_limit_2030_onwards),
        limit(|it| it.phosphorus_limit_2025_2030),
        limit(|it| it.phosphorus_limit_2030_onwards),
        load(|it| it.nitrogen_temporary, |it| it.nitrogen_limit_2025_2030),
        load(|it| it.phosphorus_temporary, |it| it.phosphorus_limit_2025_2030),
        load(|it| it.nitrogen_permanent, |it| it.nitrogen_limit_2030_onwards),
        load(|it| it.phosphorus_permanent, |it| it.phosphorus_limit_2030_onwards),
        amount(nitrogen),
        amount(phosphorus),
    ]
}

/// A name of several lines as the older table has it: without the blanks before a line's end.
fn folded(name: &str) -> String {
    let mut lines: Vec<&str> = name.split('\n').collect();
    if let Some((_, ended)) = lines.split_last_mut() {
        ended.iter_mut().for_each(|line| *line = line.trim_end_matches(' '));
    }
    lines.join("\n")
}

fn optional(value: Option<f64>) -> String {
    value.map_or(String::new(), number)
}

/// The shortest digits that give the number back, with a point, as Python writes them.
pub(super) fn number(value: f64) -> String {
    // A sum of nothing may be below nothing; nobody reads it so.
    let value = value + 0.0;
    let size = value.abs();
    if value.is_finite() && size >= 1e16 || size > 0.0 && size < 1e-4 {
        let text = format!("{value:e}");
        let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let (sign, exponent) = match exponent.strip_prefix('-') {
            Some(rest) => ('-', rest),
            None => ('+', exponent),
        };
        return format!("{digits}e{sign}{exponent:0>2}");
    }
    if value.is_finite() && value.fract() == 0.0 {
        format!("{value:.1}")
    } else {
        value.to_string()
    }
}

/// Columns of text; the others are numbers, which may begin with a sign.
const TEXTS: [usize; 9] = [1, 2, 3, 4, 8, 9, 10, 12, 13];

/// A text that a spreadsheet would take for a formula is marked as text.
fn disarm(field: &mut String) {
    if field.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        field.insert(0, '\'');
    }
}

fn quoted(field: &str) -> String {
    let special = field.contains([',', '"', '\n', '\r']);
    if special { format!("\"{}\"", field.replace('"', "\"\"")) } else { field.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_no_formulas_and_every_column_of_text_is_known() {
        for (told, meant) in [("=1+1", "'=1+1"), ("-5 High St", "'-5 High St"), ("a-b", "a-b")] {
            let mut field = told.to_owned();
            disarm(&mut field);
            assert_eq!(field, meant);
        }
        let names = TEXTS.map(|at| COLUMNS[at]);
        assert_eq!(names[..4], ["id", "Name", "Dwel_Cat", "Source"]);
        assert_eq!(names[7..], ["WwTW_name", "WwTw_SubCatchment"]);
    }
}
