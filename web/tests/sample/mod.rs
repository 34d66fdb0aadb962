//! Sample values for the gallery and the tests: what a small archive looks like on a busy morning.

use web::*;

pub(crate) mod alerts;
pub(crate) mod assess;
pub(crate) mod checked;
pub(crate) mod held;
pub(crate) mod keeping;
pub(crate) mod people;
pub(crate) mod reports;
pub(crate) mod research;
pub(crate) mod restored;

pub(crate) const LONG: &str = "virginia.edu.uva-lib_2278801-the-complete-correspondence-and-papers-of-the-\
    county-board-of-supervisors-1871-1944-including-minutes-maps-and-photographs-part-0001-of-0148.tar";
pub(crate) const RTL: &str = "أرشيف الصور الفوتوغرافية – مجموعة القاهرة ١٩٢٠.tar";
pub(crate) const MARKUP: &str =
    r#"<script>alert("1")</script> & <b style="color:red">bold</b>.tar"#;

const STAGES: [&str; 9] = [
    "Survey",
    "Validate",
    "Reconcile",
    "Unpack",
    "Identify",
    "Preserve",
    "Verify",
    "Record",
    "Cleanup",
];

pub(crate) fn shell(title: &str, here: Here) -> Shell {
    Shell {
        title: title.into(),
        here,
        version: "0.1.0".into(),
        now: "2026-11-16T07:20:41.123Z".into(),
        entries: Here::entries().collect(),
        visitor: Visitor::Person("Ann Archer".into()),
        ..Shell::default()
    }
}

pub(crate) fn badge(label: &str, tone: Tone) -> Badge {
    Badge::new(label, tone)
}

pub(crate) fn overview() -> OverviewPage {
    let running = |item, name: &str, label: &str, progress, expected_seconds| Running {
        item,
        name: name.into(),
        topic: format!("ingest/{}", label.to_lowercase()),
        label: label.into(),
        progress,
        started: "2026-11-16T07:14:02.000Z".into(),
        expected_seconds,
    };
    let progress = |done, total, unit: &str| Some(Progress { done, total, unit: unit.into() });
    let flow = |flow: &str, label: &str, ready, delayed| FlowWaiting {
        flow: flow.into(),
        label: label.into(),
        ready,
        delayed,
    };
    OverviewPage {
        own: OwnOverview { items: None, ..keeping::own() },
        keeps_house: true,
        running: vec![
            running(
                4211,
                "parish-registers-1790.tar",
                "Preserve",
                progress(41_250_000_000, 96_400_000_000, "bytes"),
                Some(412.0),
            ),
            running(
                4213,
                "glass-negatives-07.tar",
                "Identify",
                progress(1_204, 3_118, "files"),
                Some(38.0),
            ),
            running(4217, "oral-history-tapes.tar", "Survey", progress(0, 0, "files"), None),
        ],
        running_unshown_count: 0,
        waiting: vec![
            flow("ingest", "Ingest", 128, 6),
            flow("restore", "Restore", 2, 1),
            flow("delete", "Delete", 0, 0),
            flow("fixity", "Fixity", 10_482, 0),
        ],
        needs: needs(),
        replicas: replicas(),
        house: house(),
        finished: (0..10).map(finished).collect(),
    }
}

fn needs() -> Vec<ParkedGroup> {
    vec![
        ParkedGroup {
            reason: "bag-invalid".into(),
            sentence: "The bag does not match its own manifest.".into(),
            next: "Ask the depositor to send the bag again; the findings name the files.".into(),
            count: 12,
        },
        ParkedGroup {
            reason: "replica-unreachable".into(),
            sentence: "The second replica did not answer for a day.".into(),
            next: "Check that the disk \"north-building\" is attached, then requeue.".into(),
            count: 1,
        },
    ]
}

fn replicas() -> Vec<ReplicaRow> {
    vec![
        ReplicaRow {
            name: "a".into(),
            place: "main building".into(),
            class: "hot".into(),
            state: badge("There", Tone::Good),
            room: Some((1_840_000_000_000, 3_999_000_000_000)),
            ..ReplicaRow::default()
        },
        ReplicaRow {
            name: "north".into(),
            place: "north building".into(),
            class: "cold".into(),
            state: badge("Away", Tone::Bad),
            since: Some("2026-11-16T06:50:00.000Z".into()),
            sentence: "replica `north` is away: its marker is missing; is the disk mounted?".into(),
            room: None,
            waiting: 3,
        },
    ]
}

fn house() -> House {
    let sweep = |label: &str, last: Option<&str>, outcome| SweepRow {
        label: label.into(),
        last_run: last.map(str::to_owned),
        next_run: Some("2026-11-16T07:25:00.000Z".into()),
        outcome,
    };
    House {
        health: badge("Healthy", Tone::Good),
        wrong: vec![],
        held_objects: 1_204,
        held_files: 903_118,
        held_bytes: 12_340_000_000_000,
        disk_free_bytes: 1_840_000_000_000,
        disk_total_bytes: 3_999_000_000_000,
        stages_healthy: 18,
        stages_total: 18,
        sweeps: vec![
            sweep(
                "Receive",
                Some("2026-11-16T07:20:00.000Z"),
                Some(badge("3 items made", Tone::Good)),
            ),
            sweep("Fixity due", Some("2026-11-16T06:00:00.000Z"), Some(badge("Failed", Tone::Bad))),
            sweep("Expire", None, None),
        ],
    }
}

fn finished(n: u64) -> FinishedRow {
    FinishedRow {
        item: 4200 - n,
        name: format!("minutes-of-council-{}.tar", 1890 + n),
        flow: if n == 3 { "Restore" } else { "Ingest" }.into(),
        outcome: if n == 4 { badge("Cancelled", Tone::Calm) } else { badge("Done", Tone::Good) },
        finished: "2026-11-16T07:02:11.000Z".into(),
        took_seconds: 41.5 * (n + 1) as f64 * (n + 1) as f64,
    }
}

pub(crate) fn queues() -> QueuesPage {
    let row = |flow: &str, (n, label): (usize, &&str)| {
        let n = n as u64;
        TopicRow {
            topic: format!("{flow}/{}", label.to_lowercase()),
            label: (*label).into(),
            workers: 1 + n % 3,
            buffer: 4 * (1 + n % 3),
            max_attempts: 3 + n % 2 * 7,
            ready: [10_482, 0, 3, 128][(n % 4) as usize],
            delayed: n % 3,
            in_flight: n % 2,
            parked: if n == 1 { 12 } else { 0 },
            oldest_seconds: (n % 4 != 1).then_some(38.0 * (n + 1) as f64 * (n + 1) as f64),
            done: 40_213 - n * 11,
            health: if n == 5 { badge("Late", Tone::Warn) } else { badge("Healthy", Tone::Good) },
            paused: n == 2,
        }
    };
    let table = |flow: &str, label: &str, stages: &[&str]| FlowTable {
        flow: flow.into(),
        label: label.into(),
        rows: stages.iter().enumerate().map(|each| row(flow, each)).collect(),
    };
    QueuesPage {
        flows: vec![
            table("ingest", "Ingest", &STAGES),
            table("restore", "Restore", &["Thaw", "File", "Object"]),
            table("fixity", "Fixity", &["Check", "Repair"]),
        ],
    }
}

pub(crate) fn items(rows: u64) -> ItemsPage {
    let states = [
        ("Done", Tone::Good),
        ("Running", Tone::Busy),
        ("Parked", Tone::Bad),
        ("Waiting", Tone::Calm),
        ("Delayed", Tone::Warn),
    ];
    let row = |n: u64| {
        let (label, tone) = states[(n % 5) as usize];
        ItemRow {
            id: 4217 - n,
            name: format!("minutes-of-council-{}.tar", 1890 + n),
            institution: "county.example.edu".into(),
            flow: "Ingest".into(),
            label: "Preserve".into(),
            status: badge(label, tone),
            attempts: n % 4,
            note: if n.is_multiple_of(2) {
                "Two files differ from the manifest.".into()
            } else {
                String::new()
            },
            updated: "2026-11-16T07:20:41.123Z".into(),
        }
    };
    let choice = |value: &str, label: &str| Choice::new(value, label);
    ItemsPage {
        choices: ItemChoices {
            statuses: states.map(|(label, _)| choice(&label.to_lowercase(), label)).to_vec(),
            flows: vec![choice("ingest", "Ingest"), choice("restore", "Restore")],
            topics: vec![
                choice("ingest/survey", "Ingest: Survey"),
                choice("ingest/validate", "Ingest: Validate"),
            ],
            institutions: vec![
                choice("2", "county.example.edu"),
                choice("3", "museum.example.org"),
            ],
            reasons: vec![],
        },
        filter: ItemFilter { status: "running".into(), ..ItemFilter::default() },
        sort: Sort { column: "date_processed".into(), descending: true },
        pager: Pager {
            page: 2,
            per_page: 50,
            shown: rows,
            total: 10_000,
            at_least: true,
            export: "/api/v1/items?format=csv".into(),
        },
        rows: (0..rows).map(row).collect(),
    }
}

pub(crate) fn item() -> ItemPage {
    let attempt = |number, stage: &str, took, outcome, note: &str| AttemptRow {
        number,
        stage: stage.into(),
        started: "2026-11-16T07:14:02.000Z".into(),
        took_seconds: took,
        outcome,
        note: note.into(),
    };
    let finding = |tone, word: &str, code: &str, place: &str, sentence: &str| FindingRow {
        severity: badge(word, tone),
        code: code.into(),
        place: place.into(),
        sentence: sentence.into(),
    };
    ItemPage {
        id: 4205,
        name: "parish-registers-1790.tar".into(),
        flow: "Ingest".into(),
        label: "Validate".into(),
        status: badge("Parked", Tone::Bad),
        steps: steps(1, StepState::Stopped),
        waits: None,
        trouble: Some(Trouble {
            happened: "Two files in the bag differ from its manifest.".into(),
            kept: "The bag as received, and everything already preserved. Nothing was removed."
                .into(),
            next: "Ask the depositor for a new copy. When it has arrived, requeue at Survey."
                .into(),
        }),
        requeue: vec![
            Choice::new("ingest/validate", "Validate"),
            Choice::new("ingest/survey", "Survey"),
        ],
        cancellable: true,
        removable: true,
        takeable: false,
        facts: facts(),
        attempts: vec![
            attempt(2, "Validate", Some(12.4), badge("Parked", Tone::Bad), "Two findings."),
            attempt(1, "Survey", Some(418.0), badge("Done", Tone::Good), ""),
        ],
        findings: vec![FindingGroup {
            attempt: 2,
            stage: "Validate".into(),
            findings: vec![
                finding(
                    Tone::Bad,
                    "Error",
                    "digest-differs",
                    "data/register-1790/folio-112.tif",
                    "Its SHA-256 is not the one in manifest-sha256.txt.",
                ),
                finding(
                    Tone::Warn,
                    "Warning",
                    "tag-missing",
                    "bag-info.txt",
                    "The tag Bag-Group-Identifier is not there.",
                ),
            ],
            unshown_count: 0,
        }],
        report: Some(Link::new("/items/4205/report.txt", "Report for the depositor (plain text)")),
        raw: vec![
            Fact::new("epoch", FactValue::Count(7)),
            Fact::new("dossier", FactValue::Code("ingest:4205".into())),
        ],
    }
}

/// The steps of an ingest that stands at one of them.
pub(crate) fn steps(here: usize, state: StepState) -> Vec<StepRow> {
    let step = |(at, label): (usize, &&str)| StepRow {
        label: (*label).into(),
        state: match at.cmp(&here) {
            std::cmp::Ordering::Less => StepState::Done,
            std::cmp::Ordering::Equal => state,
            std::cmp::Ordering::Greater => StepState::ToCome,
        },
        note: if at < here { "read 3,118 files once".into() } else { String::new() },
        took_seconds: (at < here).then_some(418.0),
        ..StepRow::default()
    };
    STAGES.iter().enumerate().map(step).collect()
}

pub(crate) fn deposits() -> DepositsPage {
    let row = |name: &str, size_bytes, (word, tone), sentence: &str, item| DepositRow {
        name: name.into(),
        size_bytes,
        changed: Some("2026-11-16T07:20:41.123Z".into()),
        state: badge(word, tone),
        sentence: sentence.into(),
        item,
        findings: tone == Tone::Bad,
        takeable: tone == Tone::Warn,
    };
    let rows = vec![
        row(
            "maps.tar",
            Some(96_412_884_113),
            ("Arriving", Tone::Busy),
            "still being uploaded",
            None,
        ),
        row("minutes-1891.tar", Some(412), ("Waiting", Tone::Calm), "waits to be taken", None),
        row("letters", None, ("In process", Tone::Busy), "in process at Store", Some(4211)),
        row(RTL, Some(9), ("Rejected", Tone::Bad), "rejected: it is not valid", Some(4205)),
        row(
            "notes.txt",
            Some(12),
            ("No bag", Tone::Warn),
            "no bag: a bag is a folder, or a file \
            ending in .tar, .tar.gz, .tgz or .zip",
            None,
        ),
    ];
    let area = |institution: &str, label: &str, rows, unshown_count| AreaPanel {
        institution: institution.into(),
        label: label.into(),
        folder: format!("/srv/strongroom/receiving/{institution}"),
        used: Some("31.2 GB of 10 TB".into()),
        note: None,
        rows,
        unshown_count,
    };
    DepositsPage {
        elsewhere: None,
        choices: vec![
            Choice::new("county.example.edu", "County Archive"),
            Choice::new("museum.example.org", "Museum of the Valley"),
        ],
        areas: vec![
            area("county.example.edu", "County Archive", rows, 17),
            area("museum.example.org", "Museum of the Valley", vec![], 0),
        ],
        most_bytes: 5_000_000_000_000,
        most: "5.0 TB".into(),
    }
}

/// The same where deposits are received in a bucket, which is away.
pub(crate) fn deposits_in_bucket() -> DepositsPage {
    let mut page = deposits();
    page.elsewhere = Some("s3://receiving-va/in".into());
    for area in &mut page.areas {
        area.folder = format!("s3://receiving-va/in/{}/", area.institution);
        let trouble = "the receiving area s3://receiving-va/in is away: no answer";
        area.note = Some(format!(
            "The bucket could not be looked at since 2026-11-16 07:20 UTC: {trouble}."
        ));
    }
    page
}

fn facts() -> Vec<Fact> {
    vec![
        Fact::text("Institution", "county.example.edu"),
        Fact::new("Size", FactValue::Bytes(96_412_884_113)),
        Fact::new("Files", FactValue::Count(3_118)),
        Fact::new("Received", FactValue::Time("2026-11-16T07:10:00.000Z".into())),
        Fact::new("Stage", FactValue::Code("ingest/validate".into())),
        Fact::new(
            "SHA-256",
            FactValue::Digest(
                "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08".into(),
            ),
        ),
        Fact::new(
            "Object",
            FactValue::Link(Link::new("/objects/88", "county.example.edu/parish-registers-1790")),
        ),
    ]
}

pub(crate) fn confirm() -> ConfirmPage {
    ConfirmPage {
        title: "Empty the queue of Validate?".into(),
        sentence: "12 items that wait before Validate will be cancelled.".into(),
        consequences: vec![
            "Attempts that run now are not touched.".into(),
            "The bags stay in the receiving folder and may be sent again.".into(),
            "This cannot be undone.".into(),
        ],
        action: "/queues/ingest%2Fvalidate/empty".into(),
        hidden: vec![HiddenField { name: "expected".into(), value: "12".into() }],
        button: "Cancel 12 items".into(),
        back: Link::new("/queues", "Keep them"),
    }
}

pub(crate) fn problem() -> ProblemPage {
    ProblemPage {
        status: 404,
        title: "There is no item 99,999".into(),
        sentence: "No item with this number was ever made in this house.".into(),
        kept: "Nothing was changed.".into(),
        next: "Look for it by name among the items.".into(),
        back: Link::new("/items", "To the items"),
    }
}
