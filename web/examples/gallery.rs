//! Writes every page with sample and extreme values, for eyes and screenshots.
//!
//! `cargo run -p strongroom-web --example gallery -- /tmp/gallery`

use std::io;
use std::path::Path;

use web::*;

#[path = "../tests/sample/mod.rs"]
mod sample;

fn main() -> io::Result<()> {
    let Some(dir) = std::env::args_os().nth(1) else {
        return Err(io::Error::other("name the folder to write to"));
    };
    let dir = Path::new(&dir);
    std::fs::create_dir_all(dir.join("assets"))?;
    for asset in assets::assets() {
        write(&dir.join("assets").join(asset.name), asset.bytes)?;
    }
    let pages = pages()
        .into_iter()
        .chain(pages_of_people())
        .chain(pages_of_keeping())
        .chain(pages_of_assessments())
        .chain(pages_of_research());
    for (name, page) in pages {
        // Opened from a folder there is no root, so assets are looked up beside the page.
        let html = page.into_string().replace("\"/assets/", "\"assets/");
        write(&dir.join(format!("{name}.html")), html.as_bytes())?;
    }
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "pictures for eyes need not survive a power cut")]
fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    std::fs::write(path, bytes)
}

/// Coming in, one's own account, and those who look after people.
fn pages_of_people() -> Vec<(&'static str, Markup)> {
    let none = sample::shell("People", Here::None);
    vec![
        ("sign-in", sign_in_page(&none, &sample::people::sign_in())),
        ("password", password_page(&none, &sample::people::password())),
        ("welcome", welcome_page(&none, &sample::people::welcome())),
        ("sign-in-code", code_page(&none, &sample::people::code())),
        ("account", own_page(&none, &sample::people::own())),
        ("email", email_page(&none, &sample::people::email())),
        ("factor", factor_page(&none, &sample::people::enrolling())),
        ("factor-half", factor_page(&none, &sample::people::half_enrolled())),
        ("factor-kept", factor_page(&none, &sample::people::enrolled())),
        ("factor-codes", factor_page(&none, &sample::people::codes())),
        ("users", users_page(&none, &sample::people::users())),
        ("user", user_page(&none, &sample::people::user())),
        ("user-new", new_user_page(&none, &sample::people::new_user())),
        ("institutions", institutions_page(&none, &sample::people::institutions())),
        ("institution", institution_page(&none, &sample::people::institution())),
        ("audit", audit_page(&none, &sample::people::audit())),
    ]
}

/// How the house is set up, and what is looked after.
fn pages_of_keeping() -> Vec<(&'static str, Markup)> {
    let settings = sample::shell("Settings", Here::Settings);
    let storage = sample::shell("Storage", Here::Storage);
    let schedules = sample::shell("Schedules", Here::Schedules);
    let items =
        Shell { saved: Some(sample::keeping::saved()), ..sample::shell("Items", Here::Items) };
    vec![
        ("settings", settings_page(&settings, &sample::keeping::settings())),
        ("maintenance", maintenance_page(&settings, &sample::keeping::open())),
        ("maintenance-on", maintenance_page(&settings, &sample::keeping::closed())),
        ("storage", storage_page(&storage, &sample::keeping::storage())),
        ("storage-others", storage_page(&storage, &sample::keeping::standings())),
        ("schedules", schedules_page(&schedules, &sample::keeping::schedules())),
        ("items-saved", items_page(&items, &sample::items(50))),
    ]
}

/// Sites, their boundaries, and what they are compared with.
fn pages_of_assessments() -> Vec<(&'static str, Markup)> {
    use sample::assess;
    let at = |title| sample::shell(title, Here::Assessments);
    let data = sample::shell("Reference data", Here::ReferenceData);
    vec![
        ("assessments", assessments_page(&at("Assessments"), &assess::list(25))),
        ("assessments-empty", assessments_page(&at("Assessments"), &Default::default())),
        ("assessment-new", new_assessment_page(&at("New assessment"), &assess::asking())),
        ("assessment-wrong", new_assessment_page(&at("New assessment"), &assess::asked_wrong())),
        ("boundary", boundary_page(&at("Boundary"), &assess::bad_boundary())),
        ("boundary-good", boundary_page(&at("Boundary"), &assess::good_boundary())),
        ("boundary-unread", boundary_page(&at("Boundary"), &assess::unread_boundary())),
        ("assessment", assessment_page(&at("NRF-000123"), &assess::done(14.0))),
        ("assessment-full", assessment_page(&at("NRF-000123"), &assess::done(4.0))),
        ("assessment-running", assessment_page(&at("NRF-000124"), &assess::running())),
        ("assessment-outside", assessment_page(&at("NRF-000123"), &assess::outside())),
        ("assessment-stopped", assessment_page(&at("NRF-000125"), &assess::stopped())),
        ("assessment-extreme", assessment_page(&at("NRF-000123"), &extreme_assessment())),
        ("boundary-extreme", boundary_page(&at("Boundary"), &extreme_boundary())),
        ("reference-data", reference_page(&data, &assess::reference())),
        ("reference-data-loading", reference_page(&data, &assess::loading())),
        ("reference-data-empty", reference_page(&data, &Default::default())),
    ]
}

/// Episodes, clips, and who looks for them.
fn pages_of_research() -> Vec<(&'static str, Markup)> {
    use sample::research;
    let at = sample::shell;
    let (episodes, clips) = (at("Episodes", Here::Episodes), at("Clips", Here::Clips));
    let (of_episodes, of_clips) = (RecordingKind::Episode, RecordingKind::Clip);
    vec![
        ("research", research_page(&at("Research", Here::Research), &research::overview())),
        ("research-empty", research_page(&at("Research", Here::Research), &Default::default())),
        ("episodes", recordings_page(&episodes, &research::recordings(of_episodes, 25))),
        ("clips", recordings_page(&clips, &research::recordings(of_clips, 25))),
        ("clips-refused", recordings_page(&clips, &research::refused())),
        ("episode", episode_page(&episodes, &research::one_episode(12))),
        ("episode-full", episode_page(&episodes, &research::one_episode(50))),
        ("episode-new", episode_page(&episodes, &research::new_episode())),
        ("clip", clip_page(&clips, &research::one_clip(12))),
        ("episode-extreme", episode_page(&episodes, &extreme_episode())),
        ("leases-extreme", leases_page(&at("Leases", Here::Leases), &extreme_leases())),
        ("feeds", feeds_page(&at("Feeds", Here::Feeds), &research::feeds())),
        ("leases", leases_page(&at("Leases", Here::Leases), &research::leases(12))),
        ("leases-empty", leases_page(&at("Leases", Here::Leases), &Default::default())),
        (
            "researchers",
            researchers_page(&at("Researchers", Here::Researchers), &research::researchers()),
        ),
        (
            "researchers-empty",
            researchers_page(&at("Researchers", Here::Researchers), &Default::default()),
        ),
    ]
}

fn pages() -> Vec<(&'static str, Markup)> {
    let overview = sample::shell("Overview", Here::Overview);
    let queues = sample::shell("Queues", Here::Queues);
    let items = sample::shell("Items", Here::Items);
    let deposits = sample::shell("Deposits", Here::Deposits);
    let objects = sample::shell("Objects", Here::Objects);
    let fixity = sample::shell("Fixity", Here::Fixity);
    let restorations = sample::shell("Restorations", Here::Restorations);
    let events = sample::shell("Events", Here::Events);
    let deletions = sample::shell("Deletions", Here::Deletions);
    let alerts = Shell { unread: 3, ..sample::shell("Alerts", Here::Alerts) };
    let reports = sample::shell("Reports", Here::Reports);
    let none = sample::shell("Problem", Here::None);
    vec![
        ("overview", overview_page(&overview, &sample::overview())),
        ("overview-empty", overview_page(&overview, &quiet_overview())),
        ("overview-extreme", overview_page(&alarmed(overview), &extreme_overview())),
        ("queues", queues_page(&queues, &sample::queues())),
        ("queues-extreme", queues_page(&queues, &extreme_queues())),
        ("items", items_page(&items, &sample::items(50))),
        ("items-empty", items_page(&items, &ItemsPage::default())),
        ("items-none-match", items_page(&items, &none_match())),
        ("items-extreme", items_page(&items, &extreme_items())),
        ("item", item_page(&items, &sample::item())),
        ("item-new", item_page(&items, &new_item())),
        ("item-running", item_page(&items, &running_item())),
        ("item-extreme", item_page(&items, &extreme_item())),
        ("item-waits", item_page(&items, &waiting_item())),
        ("deletion-ask", ask_deletion_page(&deletions, &sample::people::asking())),
        ("deletions", deletions_page(&deletions, &sample::people::deletions())),
        ("deletion", deletion_page(&deletions, &sample::people::deletion())),
        ("deletion-entered", deletion_page(&deletions, &sample::people::entered())),
        ("deletion-done", deletion_page(&deletions, &sample::people::deleted())),
        ("deposits", deposits_page(&deposits, &sample::deposits())),
        ("deposits-bucket", deposits_page(&deposits, &sample::deposits_in_bucket())),
        ("deposits-one", deposits_page(&deposits, &one_area())),
        ("objects", objects_page(&objects, &sample::held::objects(25))),
        ("objects-empty", objects_page(&objects, &ObjectsPage::default())),
        ("objects-found", objects_page(&objects, &sample::held::found())),
        ("objects-extreme", objects_page(&objects, &extreme_objects())),
        ("object", object_page(&objects, &sample::held::object())),
        ("object-deleted", object_page(&objects, &sample::held::deleted())),
        ("object-extreme", object_page(&objects, &extreme_object())),
        ("file", file_page(&objects, &sample::held::file())),
        ("file-lost", file_page(&objects, &sample::held::lost_file())),
        ("fixity", fixity_page(&fixity, &sample::checked::sound())),
        ("fixity-empty", fixity_page(&fixity, &FixityPage::default())),
        ("fixity-lost", fixity_page(&alarmed(fixity), &extreme_checks())),
        ("restorations", restorations_page(&restorations, &sample::restored::restorations())),
        ("restorations-empty", restorations_page(&restorations, &RestorationsPage::default())),
        ("files", files_page(&objects, &sample::held::files(25))),
        ("events", events_page(&events, &sample::held::events(25))),
        ("event", event_page(&events, &sample::held::event())),
        ("alerts", alerts_page(&alerts, &sample::alerts::alerts(25))),
        ("alerts-empty", alerts_page(&alerts, &AlertsPage::default())),
        ("alert", alert_page(&alerts, &sample::alerts::alert())),
        ("search", search_page(&objects, &sample::held::search())),
        ("reports", reports_page(&reports, &ReportsPage::default())),
        ("report-deposits", deposits_report_page(&reports, &sample::reports::deposits(40))),
        ("report-growth", growth_report_page(&reports, &sample::reports::growth(36))),
        ("report-formats", formats_report_page(&reports, &sample::reports::formats(40))),
        ("report-storage", storage_report_page(&reports, &sample::reports::storage())),
        ("ndsa", ndsa_page(&reports, &sample::reports::ndsa())),
        ("ndsa-declare", declare_page(&reports, &sample::reports::declare())),
        ("confirm", confirm_page(&queues, &sample::confirm())),
        ("problem", problem_page(&none, &sample::problem())),
    ]
}

fn alarmed(shell: Shell) -> Shell {
    let text = "The disk is almost full: no new work is taken until there is room.";
    Shell {
        notices: vec![Notice::new(Tone::Bad, text)],
        flash: Some(Notice::new(Tone::Good, "12 items were requeued.")),
        ..shell
    }
}

fn quiet_overview() -> OverviewPage {
    let mut page = sample::overview();
    page.waiting.iter_mut().for_each(|flow| (flow.ready, flow.delayed) = (0, 0));
    OverviewPage { running: vec![], needs: vec![], finished: vec![], ..page }
}

fn extreme_overview() -> OverviewPage {
    let mut page = sample::overview();
    page.running_unshown_count = 9_997;
    for (row, name) in page.running.iter_mut().zip([sample::LONG, sample::RTL, sample::MARKUP]) {
        row.name = name.into();
        row.item = u64::MAX;
    }
    for (row, name) in page.finished.iter_mut().zip([sample::LONG, sample::RTL, sample::MARKUP]) {
        row.name = name.into();
        row.took_seconds = 1e9;
    }
    page.needs[0].sentence = sample::MARKUP.into();
    page.needs[0].reason = format!("reason-{}", "very-".repeat(20));
    page.needs[0].count = u64::MAX / 2;
    page.waiting[0].ready = 12_345_678_901;
    page.house.health = sample::badge("Not healthy", Tone::Bad);
    page.house.wrong = vec![
        "The stage Preserve has not been heard of for 12 min.".into(),
        "The replica \"north-building\" does not answer.".into(),
    ];
    page.house.disk_free_bytes = 12_000_000;
    page
}

fn extreme_checks() -> FixityPage {
    let mut page = sample::checked::lost(20);
    for (line, name) in page.unsound.iter_mut().zip([sample::LONG, sample::RTL, sample::MARKUP]) {
        line.file.label = name.into();
    }
    page.unsound_count = u64::MAX / 2;
    page.replicas[1].copy_count = u64::MAX / 2;
    page
}

fn extreme_queues() -> QueuesPage {
    let mut page = sample::queues();
    page.flows[0].rows[0].topic = sample::LONG.into();
    page.flows[0].rows[0].label = sample::MARKUP.into();
    for row in &mut page.flows[0].rows {
        row.ready = 1_234_567_890;
        row.done = 12_345_678_901;
    }
    page
}

fn extreme_items() -> ItemsPage {
    let mut page = sample::items(50);
    let names = [sample::LONG, sample::RTL, sample::MARKUP];
    for (row, name) in page.rows.iter_mut().zip(names.iter().cycle()) {
        row.name = (*name).into();
        row.note = format!("{} {}", name, "A very long note that goes on. ".repeat(8));
        row.id += 9_999_990_000;
        row.attempts = 10_000;
    }
    page.filter.reason = "no-such-reason".into();
    page.filter.name_contains = sample::MARKUP.into();
    page.filter.needs_admin_review = true;
    page
}

fn none_match() -> ItemsPage {
    let filter = ItemFilter { name_contains: sample::RTL.into(), ..ItemFilter::default() };
    ItemsPage { rows: vec![], filter, pager: Pager::default(), ..sample::items(0) }
}

fn new_item() -> ItemPage {
    ItemPage {
        trouble: None,
        steps: sample::steps(0, StepState::InLine),
        attempts: vec![],
        findings: vec![],
        raw: vec![],
        status: sample::badge("Waiting", Tone::Calm),
        name: sample::RTL.into(),
        ..sample::item()
    }
}

fn running_item() -> ItemPage {
    let mut page = ItemPage { trouble: None, requeue: vec![], findings: vec![], ..sample::item() };
    page.status = sample::badge("Running", Tone::Busy);
    page.steps = sample::steps(5, StepState::Running);
    page.steps[5].progress = Some(Progress { done: 61, total: 100, unit: "files".into() });
    page.steps[5].expected_seconds = Some(190.0);
    page.attempts[0].took_seconds = None;
    page.attempts[0].outcome = sample::badge("Running", Tone::Busy);
    page
}

fn waiting_item() -> ItemPage {
    let why = "replica `north` is away: its marker is missing; is the disk mounted?; Mount the \
        disk or restore the connection; the item goes on by itself.";
    ItemPage {
        trouble: None,
        findings: vec![],
        report: None,
        steps: sample::steps(5, StepState::Waits),
        waits: Some(Waits {
            why: why.into(),
            since: Some("2026-11-15T19:02:11.000Z".into()),
            until: Some("2026-11-16T07:21:41.123Z".into()),
        }),
        status: sample::badge("Pending", Tone::Calm),
        ..sample::item()
    }
}

fn one_area() -> DepositsPage {
    let mut page = sample::deposits();
    page.choices.truncate(1);
    page.areas.remove(0);
    page
}

fn extreme_item() -> ItemPage {
    let mut page = sample::item();
    page.name = format!("{}{}", sample::LONG, sample::MARKUP);
    page.findings[0].unshown_count = 10_000;
    page.findings[0].findings[0].place = format!("data/{}", "folder/".repeat(40));
    page.attempts[0].note = sample::LONG.repeat(3);
    page.raw.push(Fact::text("note", sample::LONG.repeat(2)));
    page
}

fn extreme_objects() -> ObjectsPage {
    let mut page = sample::held::objects(25);
    let names = [sample::LONG, sample::RTL, sample::MARKUP];
    for (row, name) in page.rows.iter_mut().zip(names.iter().cycle()) {
        row.title = (*name).into();
        row.identifier = format!("county.example.edu/{name}");
        row.file_count = 12_345_678_901;
        row.size = u64::MAX / 3;
    }
    page.filter.find = sample::MARKUP.into();
    page
}

fn extreme_object() -> ObjectPage {
    let mut page = sample::held::object();
    page.title = format!("{}{}", sample::LONG, sample::MARKUP);
    page.identifier = sample::LONG.into();
    page.state = Some(sample::badge("Deleted", Tone::Calm));
    page.safety.verdict = sample::badge("One verified copy", Tone::Bad);
    page.copies[1].state = sample::badge("12,345 not sound", Tone::Bad);
    page.folder.crumbs = vec![Link::new("/", sample::LONG); 6];
    for (line, name) in page.folder.lines.iter_mut().zip([sample::LONG, sample::RTL]) {
        line.name = name.into();
    }
    page.formats[0].name = sample::LONG.into();
    page.tags[0].tags[0].name = sample::LONG.into();
    page.tags[0].tags[0].value = sample::LONG.repeat(3);
    page.events[0].about = sample::LONG.into();
    page.events[0].words = sample::LONG.repeat(2);
    page
}

fn extreme_assessment() -> AssessmentPage {
    let mut page = sample::assess::done(2.0);
    page.reference = format!("{}{}", sample::LONG, sample::MARKUP);
    page.warnings = vec![sample::LONG.repeat(2), sample::RTL.into()];
    if let Some(map) = &mut page.map {
        map.pieces_unshown_count = 12_345_678_901;
        for (area, name) in map.catchments.iter_mut().zip([sample::LONG, sample::RTL]) {
            area.name = name.into();
        }
    }
    if let Some(sums) = &mut page.sums {
        sums.total.nitrogen = Amount::new(-123_456_789_012.35, -123_456_789_012.345_67);
        sums.catchments[0].name = sample::LONG.into();
        sums.wastewater = None;
        sums.land_use = None;
    }
    page.deliveries[0].target = sample::LONG.into();
    page.deliveries[0].attempts[0].trouble = Some(sample::LONG.repeat(2));
    page
}

/// A speck of a shape, far from where it is wrong.
fn extreme_boundary() -> BoundaryPage {
    let mut page = sample::assess::bad_boundary();
    page.file_name = sample::LONG.into();
    page.units = MapUnits::Degrees;
    page.outline = Outline(vec![vec![vec![[1.2, 52.6], [1.21, 52.6], [1.21, 52.7]]]]);
    for (at, finding) in page.findings.iter_mut().enumerate() {
        finding.places = (0..40).map(|it| [1.2 + f64::from(it) / 5.0, 52.0 + at as f64]).collect();
        finding.sentence = sample::LONG.repeat(2);
    }
    page.findings_unshown_count = u64::MAX / 2;
    page
}

fn extreme_episode() -> EpisodePage {
    let mut page = sample::research::one_episode(50);
    page.title = format!("{}{}", sample::LONG, sample::MARKUP);
    page.description = sample::LONG.repeat(4);
    let names = [sample::LONG, sample::RTL, sample::MARKUP];
    for (row, name) in page.rows.iter_mut().zip(names.iter().cycle()) {
        row.clip.label = (*name).into();
        row.researcher = (*name).into();
        row.offset_ns = i64::MAX;
        row.heard_ns = i64::MAX;
    }
    page.not_found_count = u64::MAX;
    page
}

fn extreme_leases() -> LeasesPage {
    let mut page = sample::research::leases(3);
    for (row, name) in page.live.iter_mut().zip([sample::LONG, sample::RTL, sample::MARKUP]) {
        row.episode.label = name.into();
        row.holder = Some(name.into());
        row.renewals = 10_000;
        row.clip_count = 12_345_678;
    }
    page.ended[0].holder = sample::LONG.into();
    page
}
