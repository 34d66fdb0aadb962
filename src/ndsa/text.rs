//! The scorecard as a plain text, for auditors and for printing.

use super::requirement::LEVELS;
use super::scorecard::{AreaScore, Score, Scorecard, Standing};

impl Standing {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Standing::Met => "met",
            Standing::Unmet => "not met",
            Standing::Stale => "declared too long ago",
        }
    }
}

impl Scorecard {
    /// The text.
    pub fn text(&self) -> String {
        let mut out = format!(
            "NDSA Levels of Digital Preservation (2019)\nAs of {}\n\n\
             A level is reached when everything that it and the levels below ask for is so.\n\n",
            self.at.to_minute()
        );
        for score in &self.areas {
            line(
                &mut out,
                &format!("{:<10} level {} of 4", score.area.title(), score.level_reached),
            );
        }
        self.areas.iter().for_each(|score| area(&mut out, score));
        out
    }
}

fn area(out: &mut String, score: &AreaScore) {
    line(out, &format!("\n{}\n", score.area.title().to_uppercase()));
    for (cell, (level, title)) in score.cells.iter().zip(LEVELS) {
        let verdict = if cell.is_met { "met" } else { "not met" };
        line(out, &format!("Level {level}, {title}: {verdict}"));
        cell.requirements.iter().for_each(|it| requirement(out, it));
        if let Some(next) = &cell.next_step {
            line(out, &format!("  Cheapest next step: {next}"));
        }
    }
}

fn requirement(out: &mut String, score: &Score) {
    line(out, &format!("  [{}] {}", score.standing.words(), score.asks));
    for evidence in &score.evidence {
        line(out, &format!("      {}", evidence.sentence));
    }
    if let Some(said) = &score.declaration {
        let (by, at) = (&said.declared_by, said.declared_at.to_minute());
        line(out, &format!("      {by} declared on {at}: {}", one_line(&said.sentence)));
    }
}

/// A sentence may have been typed over several lines.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn line(out: &mut String, text: &str) {
    out.push_str(text);
    out.push('\n');
}
