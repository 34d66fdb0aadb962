//! The price of a job that is told back: worked out before any geometry, or the job waits for a person.

use std::fs::File;
use std::io::Read;

use nutrients::{Day, Levy, LevyError, LevyTables, Reference};

use super::wish::Wish;
use crate::app::App;
use crate::fault::{Classify, Fault, Kind};

/// The largest file of tables that is read.
const TABLES_BYTES: u64 = 4 << 20;

/// Why there is no price. There is never a default one.
#[derive(Debug, thiserror::Error)]
pub enum PriceError {
    #[error("the tables of charges cannot be read: {0}")]
    Tables(String),
    #[error(
        "the receiver of results insists on a price, and assess.levy_tables names no tables of charges"
    )]
    NoTables,
    #[error("the job cannot be priced")]
    Levy(#[from] LevyError),
}

impl Classify for PriceError {
    fn kind(&self) -> Kind {
        match self {
            PriceError::Tables(_) => Kind::Transient { retry_after: None },
            PriceError::NoTables | PriceError::Levy(_) => Kind::Fatal,
        }
    }

    fn code(&self) -> &'static str {
        "no-price"
    }

    fn advice(&self) -> String {
        "set assess.levy_tables, or correct its file or the job, then requeue the item; nothing was \
         sent"
            .into()
    }
}

/// The price of a wish; none where nobody is told back. Without tables of charges it must not be
/// needed.
pub(super) fn price(app: &App, wish: &Wish, reference: &Reference) -> Result<Option<Levy>, Fault> {
    if !wish.calls_back {
        return Ok(None);
    }
    let Some(path) = &app.config.assess.levy_tables else {
        // Whoever is in no plan area or in several is not called anyway, and the result says so.
        let is_called = app.outbox.calls_back() && plans(wish, reference).len() == 1;
        return if is_called { Err(PriceError::NoTables.into()) } else { Ok(None) };
    };
    let path = path.within(&app.config.data);
    let unreadable = |why: String| PriceError::Tables(format!("{}: {why}", path.display()));
    let mut bytes = Vec::new();
    File::open(&path)
        .and_then(|file| file.take(TABLES_BYTES).read_to_end(&mut bytes))
        .map_err(|error| unreadable(error.to_string()))?;
    let tables: LevyTables =
        serde_json::from_slice(&bytes).map_err(|error| unreadable(error.to_string()))?;
    let plans: Vec<String> = plans(wish, reference).into_iter().map(|(_, name)| name).collect();
    let now = app.shop.clock.now().to_string();
    let today = Day::parse(now.get(..10).unwrap_or_default());
    let today = today.ok_or_else(|| unreadable("the date of today is not understood".into()))?;
    let levy = tables.levy(&plans, wish.site.dwellings, today).map_err(PriceError::from)?;
    Ok(Some(levy))
}

/// The plan areas of a site by number and name: those that the asker named, or those that it meets.
pub(super) fn plans(wish: &Wish, reference: &Reference) -> Vec<(i64, String)> {
    let id = |name: &str| reference.plan_number(&wish.site.shape, name).unwrap_or(0);
    let mut names = match wish.plans.is_empty() {
        false => wish.plans.clone(),
        true => {
            let met = reference.intersecting_plans(&wish.site.shape);
            met.into_iter().map(|plan| plan.label).collect()
        }
    };
    names.sort();
    names.dedup();
    names.into_iter().map(|name| (id(&name), name)).collect()
}
