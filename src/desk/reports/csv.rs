//! Reports for spreadsheets and for auditors.

use std::io::Write;

use storage::registry::Figures;

use super::ReportKind;
use crate::desk::csv::csv_row;
use crate::desk::{Desk, DeskError};
use crate::ndsa::Score;
use crate::reports::{self, Question};

impl Desk<'_> {
    /// Writes a report as a table.
    pub fn report_csv(
        &self,
        kind: ReportKind,
        asked: &Question,
        out: &mut dyn Write,
    ) -> Result<(), DeskError> {
        match kind {
            ReportKind::Deposits => self.deposits_csv(asked, out),
            ReportKind::Growth => self.growth_csv(asked, out),
            ReportKind::Formats => self.formats_csv(out),
            ReportKind::Storage => self.storage_csv(out),
            ReportKind::Ndsa => self.scorecard_csv(out),
        }
    }

    fn deposits_csv(&self, asked: &Question, out: &mut dyn Write) -> Result<(), DeskError> {
        let report = self.deposit_report(asked)?;
        csv_row(
            out,
            &[
                "at",
                "derived",
                "institution",
                "name",
                "storage_option",
                "objects",
                "files",
                "bytes",
            ],
        )?;
        for row in &report.rows {
            let [objects, files, bytes] = numbers(row.figures);
            csv_row(
                out,
                &[
                    &report.at.to_string(),
                    yes_or_no(report.is_derived),
                    &row.institution,
                    &row.institution_name,
                    &row.storage_option,
                    &objects,
                    &files,
                    &bytes,
                ],
            )?;
        }
        Ok(())
    }

    fn growth_csv(&self, asked: &Question, out: &mut dyn Write) -> Result<(), DeskError> {
        let now = self.app.shop.clock.now();
        let lines = reports::growth_lines(&self.app.registry, self.sight(), asked, now)?;
        csv_row(
            out,
            &["at", "derived", "institution", "storage_option", "objects", "files", "bytes"],
        )?;
        for row in &lines {
            let [objects, files, bytes] = numbers(row.figures);
            csv_row(
                out,
                &[
                    &row.at.to_string(),
                    yes_or_no(row.is_derived),
                    &row.institution,
                    &row.storage_option,
                    &objects,
                    &files,
                    &bytes,
                ],
            )?;
        }
        Ok(())
    }

    fn formats_csv(&self, out: &mut dyn Write) -> Result<(), DeskError> {
        csv_row(out, &["puid", "name", "version", "mime", "basis", "files", "bytes"])?;
        for row in self.format_report()?.rows {
            let (files, bytes) = (row.file_count.to_string(), row.size.to_string());
            csv_row(
                out,
                &[&row.puid, &row.name, &row.version, &row.mime, &row.basis, &files, &bytes],
            )?;
        }
        Ok(())
    }

    fn storage_csv(&self, out: &mut dyn Write) -> Result<(), DeskError> {
        csv_row(
            out,
            &[
                "replica",
                "place",
                "class",
                "standing",
                "objects",
                "files",
                "bytes",
                "free_bytes",
                "total_bytes",
            ],
        )?;
        for row in self.storage_report()?.replicas {
            let [objects, files, bytes] = numbers(row.whole);
            let maybe = |number: Option<u64>| number.map(|it| it.to_string()).unwrap_or_default();
            csv_row(
                out,
                &[
                    &row.replica,
                    &row.place,
                    &row.class,
                    &row.standing,
                    &objects,
                    &files,
                    &bytes,
                    &maybe(row.free_bytes),
                    &maybe(row.total_bytes),
                ],
            )?;
        }
        Ok(())
    }

    fn scorecard_csv(&self, out: &mut dyn Write) -> Result<(), DeskError> {
        let card = self.scorecard()?;
        csv_row(
            out,
            &[
                "area",
                "level",
                "requirement",
                "asks",
                "standing",
                "evidence",
                "declared_by",
                "declared_at",
                "declaration",
                "next_step",
            ],
        )?;
        for area in &card.areas {
            for cell in &area.cells {
                for score in &cell.requirements {
                    score_row(out, (area.area.title(), cell.level), score)?;
                }
            }
        }
        Ok(())
    }
}

fn score_row(out: &mut dyn Write, (area, level): (&str, u8), score: &Score) -> std::io::Result<()> {
    let evidence: Vec<&str> = score.evidence.iter().map(|it| it.sentence.as_str()).collect();
    let said = score.declaration.as_ref();
    csv_row(
        out,
        &[
            area,
            &level.to_string(),
            &score.name,
            &score.asks,
            score.standing.words(),
            &evidence.join(" "),
            said.map_or("", |it| it.declared_by.as_str()),
            &said.map(|it| it.declared_at.to_string()).unwrap_or_default(),
            said.map_or("", |it| it.sentence.as_str()),
            score.next_step.as_deref().unwrap_or_default(),
        ],
    )
}

fn numbers(figures: Figures) -> [String; 3] {
    [figures.object_count, figures.file_count, figures.size].map(|number| number.to_string())
}

fn yes_or_no(holds: bool) -> &'static str {
    if holds { "yes" } else { "no" }
}
