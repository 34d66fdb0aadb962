//! Reports, and the scorecard at its longest.

use web::*;

fn filter() -> ReportFilter {
    ReportFilter { metric: "files".into(), ..ReportFilter::default() }
}

fn choices() -> ReportChoices {
    let month = |at: usize| format!("20{:02}-{:02}", 20 + at / 12, at % 12 + 1);
    ReportChoices {
        institutions: vec![
            Choice::new("archive.example", "County archive"),
            Choice::new("library.example", super::MARKUP),
        ],
        storage_options: vec![Choice::new("Standard", "Standard")],
        months: (0..36).rev().map(|at| Choice::new(month(at), month(at))).collect(),
    }
}

pub(crate) fn deposits(rows: usize) -> DepositsReportPage {
    let row = DepositsReportRow {
        institution: "County archive".into(),
        storage_option: "Standard".into(),
        object_count: 1204,
        file_count: 88_120,
        size: 7_100_000_000,
        share: 512,
    };
    DepositsReportPage {
        filter: filter(),
        choices: choices(),
        at: "2026-11-01T00:00:00.000Z".into(),
        is_month: true,
        is_derived: true,
        rows: vec![row.clone(); rows],
        unshown_count: 3,
        total: row,
    }
}

pub(crate) fn growth(months: usize) -> GrowthReportPage {
    let column = |at: usize| PlotColumn {
        label: choices().months[months - 1 - at].label.clone(),
        value: 1000 * at as u64,
        words: format!("{at} kB"),
        is_derived: at < 2,
    };
    let row = |at: usize| GrowthReportRow {
        when: choices().months[at].label.clone(),
        is_derived: at > months - 3,
        object_count: 12,
        file_count: 300,
        size: 7_100_000,
        added: Some(if at.is_multiple_of(3) { -1500 } else { 1500 }),
    };
    GrowthReportPage {
        filter: filter(),
        choices: choices(),
        title: "What is held, in files".into(),
        columns: (0..months).map(column).collect(),
        rows: (0..months).map(row).collect(),
    }
}

pub(crate) fn formats(rows: usize) -> FormatsReportPage {
    let row = FormatBar {
        name: "Portable Document Format 1.4".into(),
        puid: "fmt/18".into(),
        file_count: 1204,
        size: 7_100_000,
    };
    FormatsReportPage {
        file_count: 2000,
        size: 14_000_000,
        unidentified_count: 3,
        unidentified_size: 1000,
        mismatch_count: 10_000,
        mismatch_at_least: true,
        rows: vec![row; rows],
        unshown_count: 7,
    }
}

pub(crate) fn storage() -> StorageReportPage {
    let row = |name: &str, state| StorageReportRow {
        name: name.into(),
        place: "the cellar".into(),
        class: "hot".into(),
        state,
        object_count: 12,
        file_count: 300,
        size: 7_100_000,
        room: (name == "a").then_some((1_000_000_000, 9_000_000_000)),
    };
    StorageReportPage {
        object_count: 12,
        nowhere_count: 1,
        rows: vec![
            row("a", Badge::new("There", Tone::Good)),
            row("b", Badge::new("Away", Tone::Bad)),
        ],
    }
}

/// As many requirements as the matrix has, with as many words.
pub(crate) fn ndsa() -> NdsaPage {
    let counts = [
        ("Storage", [3, 2, 3, 3]),
        ("Integrity", [3, 3, 3, 2]),
        ("Control", [1; 4]),
        ("Metadata", [2, 1, 2, 2]),
        ("Content", [1, 2, 1, 1]),
    ];
    let asked = |name: String, met: bool| NdsaRequirement {
        name,
        asks: "Three complete copies, one of them in another geographic region".into(),
        state: if met { Badge::new("Met", Tone::Good) } else { Badge::new("Not met", Tone::Bad) },
        evidence: vec![(
            "1204 objects are whole and sound in 1 place.".into(),
            Some("/reports/storage".into()),
        )],
        declared: met.then(|| NdsaNote {
            by: "Ann Archer".into(),
            at: "2026-11-16T07:20:41.123Z".into(),
            sentence: "The list lies in the safe, and is looked through every spring.".into(),
        }),
        takes_word: true,
    };
    let area = |(title, counts): (&str, [usize; 4])| NdsaArea {
        name: title.to_lowercase(),
        title: title.into(),
        level_reached: 1,
        cells: (1..=4u8)
            .zip(counts)
            .map(|(level, count)| NdsaCell {
                level,
                is_met: level == 1,
                met_count: if level == 1 { count } else { 0 },
                next_step: (level > 1).then(|| "Configure a replica in another place.".into()),
                requirements: (0..count)
                    .map(|at| asked(format!("{}-{level}-{at}", title.to_lowercase()), level == 1))
                    .collect(),
            })
            .collect(),
    };
    NdsaPage {
        at: "2026-11-16T07:20:41.123Z".into(),
        levels: ["Know your content", "Protect", "Monitor", "Sustain"].map(String::from).into(),
        areas: counts.map(area).into(),
        may_declare: true,
    }
}

pub(crate) fn declare() -> DeclarePage {
    let line = |id, withdrawn| DeclaredLine {
        id,
        by: "Ann Archer".into(),
        at: "2026-11-16T07:20:41.123Z".into(),
        sentence: super::MARKUP.into(),
        withdrawn,
    };
    let at = "2026-11-17T07:20:41.123Z".to_owned();
    DeclarePage {
        requirement: "storage-needs".into(),
        asks: "It is written down what the storage needs in order to work".into(),
        hint: "Say where it is written down.".into(),
        sentence: super::MARKUP.into(),
        problem: Some("The sentence must have 1 to 1000 bytes.".into()),
        declared: vec![line(2, None), line(1, Some(("Bea".into(), at)))],
    }
}
