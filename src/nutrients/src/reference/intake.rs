//! The rows of one layer, judged one by one as they stream by.

use std::path::Path;

use ::geo::{Area, BooleanOps, MultiPolygon};
use byteio::cancel::Cancel;

use super::error::ReferenceError;
use super::gate::{GateReport, Severity};
use super::lookups::code;
use super::table::Table;
use crate::check::problems;
use crate::input::{Columns, Database, Figure, Geometry, Row, geopackage_geometry};
use crate::layer::Record;
use crate::shape::Shape;
use crate::transform::{moved, to_bng};

/// Vertices of one reference shape: the longest coast has some hundred thousand.
const VERTICES_MAX: usize = 5_000_000;

/// The ranges that coefficients keep, kg/ha/yr: nitrogen now, phosphorus now, then with houses.
const COEFFICIENTS: [(&str, f64); 4] =
    [("LU_CurrNcoeff", 50.0), ("LU_CurrPcoeff", 5.0), ("N_ResiCoeff", 50.0), ("P_ResiCoeff", 5.0)];

/// Names that a coefficient row refers to, and the record itself.
pub(super) struct Taken {
    pub(super) record: Record,
    pub(super) catchment: Option<String>,
    pub(super) subcatchment: Option<String>,
}

/// Calls `take` with every row of a layer, as far as it can be used.
pub(super) fn stream(
    table: Table,
    path: &Path,
    report: &mut GateReport,
    mut take: impl FnMut(Option<Taken>) -> Result<(), ReferenceError>,
) -> Result<(), ReferenceError> {
    let unreadable = |why| ReferenceError::Unreadable { path: path.to_owned(), why };
    let database = Database::open(path, &Cancel::default()).map_err(unreadable)?;
    let layers = database.feature_tables().map_err(unreadable)?;
    let [layer] = layers.as_slice() else {
        return Err(unreadable(format!("it has {} layers where one is expected", layers.len())));
    };
    let names = wanted(table, layer, &database.column_names(&layer.table).map_err(unreadable)?)
        .map_err(unreadable)?;
    let columns: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut number = 0_u64;
    let mut failed = None;
    let read = database.rows(&layer.table, &columns, |row| {
        number += 1;
        let judge = Judge { table, epsg: layer.epsg, number, columns: &columns };
        take(judge.row(&row, report)).map_err(|error| {
            failed = Some(error);
            String::new()
        })
    });
    match (failed, read) {
        (Some(error), _) => Err(error),
        (None, read) => read.map_err(unreadable),
    }
}

/// The geometry first, then id, name and whatever the table has beside them.
fn wanted(table: Table, layer: &Columns, there: &[String]) -> Result<Vec<String>, String> {
    let has = |name: &str| there.iter().any(|it| it == name);
    let mut names = vec![layer.geometry.clone()];
    names.extend(table.id_column().map(str::to_owned));
    names.push(table.name_column().to_owned());
    match table {
        Table::CoefficientLayer => {
            names.extend(COEFFICIENTS.map(|(name, _)| name.to_owned()));
            names.extend(["NN_Catchment".to_owned(), "SubCatchment".to_owned()]);
        }
        Table::NnCatchments => names.extend(has("Label").then(|| "Label".to_owned())),
        Table::EdpBoundaries => names.extend(has("EDP_Id").then(|| "EDP_Id".to_owned())),
        Table::WwtwCatchments | Table::LpaBoundaries | Table::Subcatchments | Table::Lookups => {}
    }
    let missing: Vec<&str> = names.iter().map(String::as_str).filter(|it| !has(it)).collect();
    match missing.is_empty() {
        true => Ok(names),
        false => Err(format!("its layer has no column {}", missing.join(", "))),
    }
}

struct Judge<'c> {
    table: Table,
    epsg: i64,
    number: u64,
    columns: &'c [&'c str],
}

impl Judge<'_> {
    fn at(&self, name: &str) -> usize {
        self.columns.iter().position(|it| *it == name).unwrap_or(usize::MAX)
    }

    fn row(&self, row: &Row<'_>, report: &mut GateReport) -> Option<Taken> {
        let table = self.table;
        let id = self.id(row, report)?;
        let name = row.text(self.at(table.name_column()));
        if name.is_none() && table.needs_name() {
            report.note(table, "the name is missing", Severity::Refusal, id.clone());
        }
        let shape = self.shape(row, &id, report)?;
        let (mut catchment, mut subcatchment) = (None, None);
        let mut numbers = [None; 4];
        if table == Table::CoefficientLayer {
            numbers = self.coefficients(row, &id, report);
            catchment = row.text(self.at("NN_Catchment"));
            subcatchment = row.text(self.at("SubCatchment"));
            if catchment.is_none() || subcatchment.is_none() {
                let rule = "the catchment or subcatchment is missing";
                report.note(table, rule, Severity::Refusal, id.clone());
            }
        }
        let label = row.text(self.at("Label")).unwrap_or_default();
        let name = name.unwrap_or_default();
        let record = Record { id, name, label, numbers, shape };
        Some(Taken { record, catchment, subcatchment })
    }

    fn id(&self, row: &Row<'_>, report: &mut GateReport) -> Option<String> {
        let number = || format!("row {}", self.number);
        match self.table {
            Table::CoefficientLayer => {
                let id = row.text(self.at("cromeid"));
                if id.is_none() {
                    report.note(self.table, "the key is missing", Severity::Refusal, number());
                }
                id
            }
            Table::WwtwCatchments | Table::NnCatchments => {
                let id = self.table.id_column().and_then(|name| code(row.number(self.at(name))));
                if id.is_none() {
                    let rule = "the key is missing or no number";
                    report.note(self.table, rule, Severity::Refusal, number());
                }
                id.map(|id| id.to_string())
            }
            Table::EdpBoundaries => {
                let id = code(row.number(self.at("EDP_Id")));
                Some(id.map_or_else(|| self.number.to_string(), |id| id.to_string()))
            }
            Table::LpaBoundaries | Table::Subcatchments | Table::Lookups => {
                Some(self.number.to_string())
            }
        }
    }

    fn shape(&self, row: &Row<'_>, id: &str, report: &mut GateReport) -> Option<Shape> {
        let mut refuse = |rule| report.note(self.table, rule, Severity::Refusal, id.to_owned());
        let Some(blob) = row.blob(0) else {
            refuse("there is no geometry");
            return None;
        };
        let shape = match geopackage_geometry(blob, VERTICES_MAX) {
            Some(Geometry::Polygon(shape) | Geometry::MultiPolygon(shape)) => shape,
            Some(Geometry::Null) => {
                refuse("there is no geometry");
                return None;
            }
            Some(Geometry::Other(_)) | None => {
                refuse("the geometry is no polygon, or not in form");
                return None;
            }
        };
        let shape = match self.epsg {
            0 | 27700 => shape,
            4326 => match moved(&shape, to_bng) {
                Ok(shape) => shape,
                Err(_) => {
                    refuse("it lies outside of the National Grid");
                    return None;
                }
            },
            _ => {
                refuse("its coordinate system is neither EPSG:27700 nor EPSG:4326");
                return None;
            }
        };
        if problems(&shape).is_empty() {
            return Some(shape);
        }
        let mended = mended(&shape);
        if mended.is_none() {
            refuse("the geometry is not valid and cannot be mended");
        } else {
            let rule = "the geometry was not valid and was mended";
            report.note(self.table, rule, Severity::CleanedUp, id.to_owned());
        }
        mended
    }

    fn coefficients(&self, row: &Row<'_>, id: &str, report: &mut GateReport) -> [Option<f64>; 4] {
        COEFFICIENTS.map(|(name, most)| {
            let value = match row.figure(self.at(name)) {
                Figure::Absent => return None,
                Figure::Number(value) => value,
                Figure::Words(words) => {
                    let rule = format!("{name} is no number and was left out");
                    let example = format!("{id}: \"{words}\"");
                    report.note(self.table, &rule, Severity::CleanedUp, example);
                    return None;
                }
            };
            // What is no finite number lies in no range.
            if !(0.0..=most).contains(&value) {
                let rule = format!("{name} is not between 0 and {most}");
                report.note(self.table, &rule, Severity::Refusal, format!("{id}: {value}"));
            }
            Some(value)
        })
    }
}

/// A valid shape of the same ground: what the outline encloses an odd number of times.
fn mended(shape: &Shape) -> Option<Shape> {
    if !shape.is_finite() {
        return None;
    }
    let nothing = MultiPolygon::new(Vec::new());
    let mended = Shape(shape.0.union(&nothing));
    let sound = mended.0.unsigned_area() > 0.0 && problems(&mended).is_empty();
    sound.then_some(mended)
}
