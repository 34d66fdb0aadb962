//! `strongroom assess`: the sites of a file against reference data, without an appliance.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use byteio::durable;
use clap::{Args, ValueEnum};
use nutrients::{
    AssessError, Assessment, Library, Limits, Method, Missing, Options, Outcome as Found,
    Reference, ReferenceError, Site, SourceDrop, Strictness, Table, assess_batch, csv, map_geojson,
    read_sites, record,
};
use serde_json::{Value, json};

use super::meter::Meter;
use super::print::{error, json as print_json, out, plain};
use super::{Failure, Outcome, Place};

/// Pieces kept of each site when a map is asked for.
const PIECES_MAX: usize = 2000;

/// Assess the sites of a file against reference data; needs no appliance.
#[derive(Args)]
#[command(
    after_help = "Exit: 0 all were assessed, 1 something is wrong with the sites, 2 it could \
    not run.\n\nExamples:\n  strongroom assess sites.zip --reference layers --output impact.csv\n  \
    strongroom assess sites.gpkg --method B --json"
)]
pub(super) struct Assess {
    /// Sites: .geojson, .kml, .gpkg, .shp, a .zip with a shapefile, or its folder
    #[arg(value_name = "SITES")]
    sites: PathBuf,
    /// Reference data: a folder of layers, or one that an appliance keeps [default: the appliance's]
    #[arg(long, value_name = "DIR")]
    reference: Option<PathBuf>,
    /// The method
    #[arg(long, value_enum, default_value_t = Vintage::C, ignore_case = true)]
    method: Vintage,
    /// Where the results go: .csv, .json or .geojson, by its ending [default: CSV to the terminal]
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Repeat the older service to the last digit, with what is wrong with it
    #[arg(long)]
    strict_parity: bool,
    /// Go on without a layer of coefficients, or with an empty one: areas, works and wastewater are
    /// told; land use and totals are left empty, or are zeros with --strict-parity
    #[arg(long)]
    without_coefficients: bool,
    /// Print the results as JSON
    #[arg(long, conflicts_with = "output")]
    json: bool,
}

/// The methods there are.
#[derive(Clone, Copy, ValueEnum)]
enum Vintage {
    /// September 2025
    #[value(name = "A")]
    A,
    /// October 2025
    #[value(name = "B")]
    B,
    /// April 2026 on
    #[value(name = "C")]
    C,
}

/// What the results are written as.
#[derive(Clone, Copy)]
enum Form {
    Csv,
    Json,
    GeoJson,
}

impl Assess {
    pub(super) fn run(self, place: &Place) -> Outcome {
        let form = self.form()?;
        let sites = read_sites(&self.sites, &Limits::batch())
            .map_err(|findings| Failure::Refused(format!("{}: {findings}", shown(&self.sites))))?;
        let reference = self.open_reference(place)?;
        let mut assessed = self.assess(&reference, &sites, form)?;
        let summary = summary(&reference, &assessed, self.strict_parity);
        if self.strict_parity {
            // The older service leaves sites out of its table that there is nothing to say about.
            assessed.retain(|it| it.outcome != Found::OutOfScope);
        }
        let text = written(form, &assessed, &reference)?;
        match &self.output {
            Some(path) => durable::write(path, text.as_bytes(), false).map_err(|why| {
                Failure::Unable(format!("{} cannot be written: {why}", shown(path)))
            })?,
            None if self.json => print_json(&records(&assessed))?,
            None => out(&text),
        }
        error(&summary);
        Ok(ExitCode::SUCCESS)
    }

    fn form(&self) -> Result<Form, Failure> {
        let Some(path) = &self.output else {
            return Ok(if self.json { Form::Json } else { Form::Csv });
        };
        match path.extension().and_then(|end| end.to_str()) {
            Some("csv") => Ok(Form::Csv),
            Some("json") => Ok(Form::Json),
            Some("geojson") => Ok(Form::GeoJson),
            Some(_) | None => Err(Failure::Unable(format!(
                "{} ends with none of .csv, .json and .geojson: nothing was assessed",
                shown(path)
            ))),
        }
    }

    fn method(&self) -> Method {
        match self.method {
            Vintage::A => Method::a(),
            Vintage::B => Method::b(),
            Vintage::C => Method::c(),
        }
    }

    fn open_reference(&self, place: &Place) -> Result<Reference, Failure> {
        let folder = match &self.reference {
            Some(folder) => folder.clone(),
            None => place.load(None)?.data.join("reference"),
        };
        let opened = match Library::is_one(&folder) {
            true => Reference::open(&folder),
            false if self.reference.is_none() => Err(ReferenceError::Empty),
            false => self.open_drop(&folder),
        };
        opened.map_err(|error| {
            if let ReferenceError::Empty = error {
                let sentence =
                    "there is no reference data: name a folder of layers with --reference";
                return Failure::Unable(sentence.into());
            }
            if let ReferenceError::EmptyTable(Table::CoefficientLayer)
            | ReferenceError::MissingTable(Table::CoefficientLayer) = error
            {
                let next = "areas and wastewater can be told with --without-coefficients";
                return Failure::Unable(format!("{error}; {next}"));
            }
            error.into()
        })
    }

    fn open_drop(&self, folder: &Path) -> Result<Reference, ReferenceError> {
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        let name = if name.trim().is_empty() { "unnamed".into() } else { name };
        let drop = SourceDrop::in_folder(folder, &name)?;
        // Results without it look like good news, so nobody gets them unasked.
        let missing = match self.without_coefficients {
            true => Missing::CoefficientsAllowed,
            false if !drop.tables.contains_key(&Table::CoefficientLayer) => {
                return Err(ReferenceError::MissingTable(Table::CoefficientLayer));
            }
            false => Missing::Refused,
        };
        if self.without_coefficients {
            error(
                "without coefficients areas, works and wastewater are told; land use and totals are \
                 not known",
            );
        }
        Reference::open_drop(&drop, Strictness::CleanUp, missing)
    }

    fn assess(
        &self,
        reference: &Reference,
        sites: &[Site],
        form: Form,
    ) -> Result<Vec<Assessment>, Failure> {
        let options = Options {
            strict_parity: self.strict_parity,
            pieces_max: match form {
                Form::GeoJson => PIECES_MAX,
                Form::Csv | Form::Json => 0,
            },
            ..Options::default()
        };
        let pool = rayon::ThreadPoolBuilder::new()
            .thread_name(|number| format!("geo-{number}"))
            .build()?;
        let meter = Meter::of_count("Assessing sites");
        let told = assess_batch(reference, sites, &self.method(), &options, &pool, &|progress| {
            meter.show(progress.tiles_done as u64, progress.tiles_in_all as u64);
            ControlFlow::Continue(())
        });
        drop(meter);
        told.map_err(|error| match error {
            AssessError::Cancelled => Failure::Unable("the assessment was cancelled".into()),
            AssessError::Reference(error) => error.into(),
        })
    }
}

fn records(assessed: &[Assessment]) -> Vec<Value> {
    assessed.iter().map(record).collect()
}

fn written(form: Form, assessed: &[Assessment], reference: &Reference) -> Result<String, Failure> {
    Ok(match form {
        Form::Csv => csv(assessed),
        Form::Json => serde_json::to_string_pretty(&records(assessed))? + "\n",
        Form::GeoJson => {
            let features = assessed.iter().flat_map(|it| match map_geojson(it, Some(reference)) {
                Value::Object(mut map) => match map.remove("features") {
                    Some(Value::Array(features)) => features,
                    Some(_) | None => Vec::new(),
                },
                Value::Null
                | Value::Bool(_)
                | Value::Number(_)
                | Value::String(_)
                | Value::Array(_) => Vec::new(),
            });
            let features: Vec<Value> = features.collect();
            json!({ "type": "FeatureCollection", "features": features }).to_string() + "\n"
        }
    })
}

/// How it went, told beside the results, which may be piped. Counts every site that was read, those that
/// are left out of the results too.
fn summary(reference: &Reference, assessed: &[Assessment], strict_parity: bool) -> String {
    let count = |found: Found| assessed.iter().filter(|it| it.outcome == found).count();
    let left_out = if strict_parity { " and left out" } else { "" };
    format!(
        "{} with reference data {}: {} in a catchment, {} with wastewater only, {} out of \
         scope{left_out}",
        web::counted(assessed.len() as u64, "site"),
        plain(reference.version()),
        count(Found::Assessed),
        count(Found::WastewaterOnly),
        count(Found::OutOfScope),
    )
}

fn shown(path: &Path) -> String {
    plain(&path.display().to_string())
}
