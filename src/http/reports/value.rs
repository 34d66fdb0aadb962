//! Reports as their pages show them.

use storage::registry::Figures;
use web::parts::{count, human_size};
use web::{
    Badge, Choice, DepositsReportPage, DepositsReportRow, FormatBar, FormatsReportPage,
    GrowthReportPage, GrowthReportRow, PlotColumn, ReportChoices, ReportFilter, ReportsPage,
    StorageReportPage, StorageReportRow, Tone,
};

use crate::desk::ReportKind;
use crate::http::Visit;
use crate::http::asked::find;
use crate::http::refusal::Refusal;
use crate::reports::{DepositLine, GrowthPoint, Metric, Question, ReplicaLine};

/// Rows of a table on a page; the rest are in the table to download.
const ROWS: usize = 40;
/// Months in a plot and its table on a page.
const MONTHS: usize = 36;

pub(super) fn index(visit: &Visit) -> Result<ReportsPage, Refusal> {
    let Figures { object_count, file_count, size } =
        visit.desk().deposit_report(&Question::default())?.total;
    Ok(ReportsPage { object_count, file_count, size })
}

pub(super) fn deposits(
    visit: &Visit,
    pairs: &[(String, String)],
) -> Result<DepositsReportPage, Refusal> {
    let asked = ReportKind::Deposits.question(pairs)?;
    let report = visit.desk().deposit_report(&asked)?;
    let all = measured(asked.metric, report.total);
    let row = |it: DepositLine| {
        let part = u128::from(measured(asked.metric, it.figures)) * 1000 / u128::from(all.max(1));
        DepositsReportRow {
            institution: it.institution_name,
            storage_option: it.storage_option,
            share: u64::try_from(part).unwrap_or(1000),
            ..figures(it.figures)
        }
    };
    Ok(DepositsReportPage {
        choices: choices(report.institutions, report.storage_options, &report.months),
        filter: filter(pairs),
        at: report.at.to_string(),
        is_month: report.month.is_some(),
        is_derived: report.is_derived,
        unshown_count: report.rows.len().saturating_sub(ROWS) as u64,
        rows: report.rows.into_iter().take(ROWS).map(row).collect(),
        total: figures(report.total),
    })
}

pub(super) fn growth(
    visit: &Visit,
    pairs: &[(String, String)],
) -> Result<GrowthReportPage, Refusal> {
    let asked = ReportKind::Growth.question(pairs)?;
    let report = visit.desk().growth_report(&asked)?;
    let from = report.points.len().saturating_sub(MONTHS);
    let points = &report.points[from..];
    Ok(GrowthReportPage {
        filter: filter(pairs),
        title: format!("What is held, in {}", asked.metric.name()),
        columns: points.iter().map(|point| column(point, asked.metric)).collect(),
        rows: points.iter().rev().map(moment).collect(),
        choices: choices(report.institutions, report.storage_options, &report.months),
    })
}

fn column(point: &GrowthPoint, metric: Metric) -> PlotColumn {
    let value = measured(metric, point.figures);
    PlotColumn {
        label: when(point),
        value,
        words: match metric {
            Metric::Bytes => human_size(value),
            Metric::Files | Metric::Objects => format!("{} {}", count(value), metric.name()),
        },
        is_derived: point.is_derived,
    }
}

fn moment(point: &GrowthPoint) -> GrowthReportRow {
    let Figures { object_count, file_count, size } = point.figures;
    GrowthReportRow {
        when: when(point),
        is_derived: point.is_derived,
        object_count,
        file_count,
        size,
        added: point.added_size,
    }
}

fn when(point: &GrowthPoint) -> String {
    point.month.map_or("now".to_owned(), |month| month.to_string())
}

pub(super) fn formats(visit: &Visit) -> Result<FormatsReportPage, Refusal> {
    let report = visit.desk().format_report()?;
    let unshown_count = report.rows.len().saturating_sub(ROWS) as u64;
    let bar = |row: storage::registry::FormatFigures| FormatBar {
        name: match (row.name.is_empty(), row.version.is_empty()) {
            (true, _) if row.mime.is_empty() => "No known format".to_owned(),
            (true, _) => row.mime,
            (false, true) => row.name,
            (false, false) => format!("{} {}", row.name, row.version),
        },
        puid: row.puid,
        file_count: row.file_count,
        size: row.size,
    };
    Ok(FormatsReportPage {
        file_count: report.file_count,
        size: report.size,
        unidentified_count: report.unidentified_count,
        unidentified_size: report.unidentified_size,
        mismatch_count: report.mismatches.file_count,
        mismatch_at_least: report.mismatches.is_at_least,
        rows: report.rows.into_iter().take(ROWS).map(bar).collect(),
        unshown_count,
    })
}

pub(super) fn storage(visit: &Visit) -> Result<StorageReportPage, Refusal> {
    let report = visit.desk().storage_report()?;
    Ok(StorageReportPage {
        object_count: report.held.object_count,
        nowhere_count: report.nowhere_whole.object_count,
        rows: report.replicas.into_iter().take(ROWS).map(replica).collect(),
    })
}

fn replica(line: ReplicaLine) -> StorageReportRow {
    let (word, tone) = match line.standing.as_str() {
        "there" => ("There", Tone::Good),
        "away" => ("Away", Tone::Bad),
        "full" => ("Full", Tone::Bad),
        "unusable" => ("Not usable", Tone::Bad),
        "unused" => ("Not used yet", Tone::Calm),
        "not configured" => ("Not configured", Tone::Warn),
        _ => ("Not asked yet", Tone::Calm),
    };
    StorageReportRow {
        name: line.replica,
        place: line.place,
        class: line.class,
        state: Badge::new(word, tone),
        object_count: line.whole.object_count,
        file_count: line.whole.file_count,
        size: line.whole.size,
        room: line.free_bytes.zip(line.total_bytes),
    }
}

fn measured(metric: Metric, figures: Figures) -> u64 {
    match metric {
        Metric::Bytes => figures.size,
        Metric::Files => figures.file_count,
        Metric::Objects => figures.object_count,
    }
}

fn figures(figures: Figures) -> DepositsReportRow {
    let Figures { object_count, file_count, size } = figures;
    DepositsReportRow { object_count, file_count, size, ..DepositsReportRow::default() }
}

fn filter(pairs: &[(String, String)]) -> ReportFilter {
    let of = |name| find(pairs, name).unwrap_or_default().to_owned();
    ReportFilter {
        institution: of("institution"),
        storage_option: of("storage_option"),
        date: of("date"),
        start: of("start"),
        end: of("end"),
        metric: of("metric"),
    }
}

fn choices(
    institutions: Vec<(String, String)>,
    options: Vec<String>,
    months: &[storage::registry::Month],
) -> ReportChoices {
    ReportChoices {
        institutions: institutions.into_iter().map(|(id, name)| Choice::new(id, name)).collect(),
        storage_options: options.into_iter().map(|it| Choice::new(it.clone(), it)).collect(),
        months: months.iter().map(|it| Choice::new(it.to_string(), it.to_string())).collect(),
    }
}
