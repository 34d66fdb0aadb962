//! The scorecard as its page shows it.

use web::{Badge, NdsaArea, NdsaCell, NdsaNote, NdsaPage, NdsaRequirement, Tone};

use crate::http::Visit;
use crate::http::refusal::Refusal;
use crate::ndsa::{AreaScore, Cell, LEVELS, Score, Standing};
use crate::rights::Right;

pub(super) fn page(visit: &Visit) -> Result<NdsaPage, Refusal> {
    let card = visit.desk().scorecard()?;
    Ok(NdsaPage {
        at: card.at.to_string(),
        levels: LEVELS.map(|(_, title)| title.to_owned()).into(),
        areas: card.areas.into_iter().map(area).collect(),
        may_declare: visit.may(Right::KeepHouse) && visit.user().is_some(),
    })
}

fn area(score: AreaScore) -> NdsaArea {
    NdsaArea {
        name: score.area.title().to_lowercase(),
        title: score.area.title().to_owned(),
        level_reached: score.level_reached,
        cells: score.cells.into_iter().map(cell).collect(),
    }
}

fn cell(cell: Cell) -> NdsaCell {
    let met = cell.requirements.iter().filter(|it| it.standing == Standing::Met);
    NdsaCell {
        level: cell.level,
        is_met: cell.is_met,
        met_count: met.count(),
        next_step: cell.next_step,
        requirements: cell.requirements.into_iter().map(asked).collect(),
    }
}

fn asked(score: Score) -> NdsaRequirement {
    let (word, tone) = match score.standing {
        Standing::Met => ("Met", Tone::Good),
        Standing::Unmet => ("Not met", Tone::Bad),
        Standing::Stale => ("Declared too long ago", Tone::Warn),
    };
    NdsaRequirement {
        name: score.name,
        asks: score.asks,
        state: Badge::new(word, tone),
        evidence: score.evidence.into_iter().map(|it| (it.sentence, it.page)).collect(),
        declared: score.declaration.map(|it| NdsaNote {
            by: it.declared_by,
            at: it.declared_at.to_string(),
            sentence: it.sentence,
        }),
        takes_word: !score.declare.is_empty(),
    }
}
