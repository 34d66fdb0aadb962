//! Pins the pages, and holds every page to the rules of the house.

use maud::Markup;
use sample::{alerts, assess, checked, held, keeping, people, reports, research, restored};
use web::*;

mod listed;
mod sample;

/// 30 KB, the budget of a page.
const BUDGET_BYTES: usize = 30_000;
/// 50 KB, the budget of a page with a drawing or two of everything.
const WIDE_BUDGET_BYTES: usize = 50_000;
/// The pages that have it, by the beginning of their name.
const WIDE: [&str; 3] = ["assessment", "episode", "clip"];

fn every_page() -> Vec<(&'static str, String)> {
    let at = sample::shell;
    let pages = [
        ("overview", overview_page(&at("Overview", Here::Overview), &sample::overview())),
        ("overview-empty", overview_page(&at("Overview", Here::Overview), &Default::default())),
        ("overview-own", overview_page(&at("Overview", Here::Overview), &own_overview())),
        ("queues", queues_page(&at("Queues", Here::Queues), &sample::queues())),
        ("items", items_page(&at("Items", Here::Items), &sample::items(50))),
        ("items-empty", items_page(&at("Items", Here::Items), &ItemsPage::default())),
        ("item", item_page(&at("parish-registers-1790.tar", Here::Items), &sample::item())),
        ("item-empty", item_page(&at("Item", Here::Items), &ItemPage::default())),
        ("deposits", deposits_page(&at("Deposits", Here::Deposits), &sample::deposits())),
        (
            "deposits-bucket",
            deposits_page(&at("Deposits", Here::Deposits), &sample::deposits_in_bucket()),
        ),
        (
            "deposits-empty",
            deposits_page(&at("Deposits", Here::Deposits), &DepositsPage::default()),
        ),
        ("objects", objects_page(&at("Objects", Here::Objects), &held::objects(25))),
        ("objects-empty", objects_page(&at("Objects", Here::Objects), &Default::default())),
        ("objects-found", objects_page(&at("Objects", Here::Objects), &held::found())),
        ("search", search_page(&at("Search", Here::Search), &held::search())),
        ("search-empty", search_page(&at("Search", Here::Search), &Default::default())),
        (
            "search-nothing",
            search_page(
                &at("Search", Here::Search),
                &SearchPage { text: "z".into(), words: vec!["z".into()], ..Default::default() },
            ),
        ),
        ("object", object_page(&at("Parish registers", Here::Objects), &held::object())),
        ("object-deleted", object_page(&at("Object", Here::Objects), &held::deleted())),
        ("file", file_page(&at("folio-112.tif", Here::Objects), &held::file())),
        ("file-lost", file_page(&at("folio-112.tif", Here::Objects), &held::lost_file())),
        ("fixity", fixity_page(&at("Fixity", Here::Fixity), &checked::sound())),
        ("fixity-lost", fixity_page(&at("Fixity", Here::Fixity), &checked::lost(20))),
        ("fixity-empty", fixity_page(&at("Fixity", Here::Fixity), &Default::default())),
        (
            "restorations",
            restorations_page(&at("Restorations", Here::Restorations), &restored::restorations()),
        ),
        (
            "restorations-empty",
            restorations_page(&at("Restorations", Here::Restorations), &Default::default()),
        ),
        ("files", files_page(&at("Files", Here::Files), &held::files(25))),
        ("files-empty", files_page(&at("Files", Here::Files), &Default::default())),
        ("events", events_page(&at("Events", Here::Events), &held::events(25))),
        ("events-empty", events_page(&at("Events", Here::Events), &Default::default())),
        ("event", event_page(&at("Fixity check", Here::Events), &held::event())),
        (
            "deletion-ask",
            ask_deletion_page(&at("Ask for deletion", Here::Deletions), &people::asking()),
        ),
        ("deletions", deletions_page(&at("Deletions", Here::Deletions), &people::deletions())),
        ("deletions-empty", deletions_page(&at("Deletions", Here::Deletions), &Default::default())),
        ("deletion", deletion_page(&at("Request 3", Here::Deletions), &people::deletion())),
        ("deletion-entered", deletion_page(&at("Request 3", Here::Deletions), &people::entered())),
        ("deletion-done", deletion_page(&at("Request 3", Here::Deletions), &people::deleted())),
        ("alerts", alerts_page(&at("Alerts", Here::Alerts), &alerts::alerts(25))),
        ("alerts-empty", alerts_page(&at("Alerts", Here::Alerts), &AlertsPage::default())),
        ("alert", alert_page(&at("Replica b is away", Here::Alerts), &alerts::alert())),
        ("confirm", confirm_page(&at("Empty Validate", Here::Queues), &sample::confirm())),
        ("problem", problem_page(&at("No such item", Here::None), &sample::problem())),
    ];
    let rooms = [listed::assess::pages(), listed::research::pages()].into_iter().flatten();
    let others = report_pages().into_iter().chain(people_pages()).chain(keeping_pages());
    let pages = pages.into_iter().chain(others).chain(rooms);
    pages.map(|(name, page)| (name, page.into_string())).collect()
}

fn keeping_pages() -> Vec<(&'static str, Markup)> {
    let at = sample::shell;
    vec![
        ("settings", settings_page(&at("Settings", Here::Settings), &keeping::settings())),
        ("storage", storage_page(&at("Storage", Here::Storage), &keeping::storage())),
        ("storage-others", storage_page(&at("Storage", Here::Storage), &keeping::standings())),
        ("schedules", schedules_page(&at("Schedules", Here::Schedules), &keeping::schedules())),
        ("maintenance", maintenance_page(&at("Maintenance", Here::Settings), &keeping::open())),
        (
            "maintenance-on",
            maintenance_page(&at("Maintenance", Here::Settings), &keeping::closed()),
        ),
        ("closed", closed_page(&Shell::default(), &closed())),
        ("help", help_page(&at("Help", Here::Help))),
        ("accessibility", accessibility_page(&at("Accessibility", Here::Help))),
        ("items-saved", items_page(&saving(), &ItemsPage::default())),
    ]
}

fn people_pages() -> Vec<(&'static str, Markup)> {
    let none = sample::shell("People", Here::None);
    vec![
        ("sign-in", sign_in_page(&none, &people::sign_in())),
        ("password", password_page(&none, &people::password())),
        ("welcome", welcome_page(&none, &people::welcome())),
        ("sign-in-code", code_page(&none, &people::code())),
        ("account", own_page(&none, &people::own())),
        ("email", email_page(&none, &people::email())),
        ("factor", factor_page(&none, &people::enrolling())),
        ("factor-half", factor_page(&none, &people::half_enrolled())),
        ("factor-kept", factor_page(&none, &people::enrolled())),
        ("factor-codes", factor_page(&none, &people::codes())),
        ("users", users_page(&none, &people::users())),
        ("user", user_page(&none, &people::user())),
        ("user-new", new_user_page(&none, &people::new_user())),
        ("institutions", institutions_page(&none, &people::institutions())),
        ("institution", institution_page(&none, &people::institution())),
        ("audit", audit_page(&none, &people::audit())),
    ]
}

fn report_pages() -> Vec<(&'static str, Markup)> {
    let at = sample::shell;
    vec![
        ("reports", reports_page(&at("Reports", Here::Reports), &ReportsPage::default())),
        (
            "report-deposits",
            deposits_report_page(&at("Deposits", Here::Reports), &reports::deposits(40)),
        ),
        (
            "report-deposits-empty",
            deposits_report_page(&at("Deposits", Here::Reports), &Default::default()),
        ),
        ("report-growth", growth_report_page(&at("Growth", Here::Reports), &reports::growth(36))),
        (
            "report-formats",
            formats_report_page(&at("Formats", Here::Reports), &reports::formats(40)),
        ),
        ("report-storage", storage_report_page(&at("Storage", Here::Reports), &reports::storage())),
        ("ndsa", ndsa_page(&at("NDSA Levels", Here::Reports), &reports::ndsa())),
        ("ndsa-declare", declare_page(&at("Declare", Here::Reports), &reports::declare())),
    ]
}

fn own_overview() -> OverviewPage {
    OverviewPage { own: keeping::own(), ..OverviewPage::default() }
}

fn closed() -> ClosedPage {
    ClosedPage { sentence: "Back at noon.".into(), is_known: false }
}

fn saving() -> Shell {
    Shell { saved: Some(keeping::saved()), ..sample::shell("Items", Here::Items) }
}

/// Lists the tags of a page as written, without their brackets.
fn tags(html: &str) -> impl Iterator<Item = &str> {
    html.split('<').skip(1).filter_map(|rest| rest.split('>').next())
}

fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = tag.split_once(&format!(" {name}=\""))?;
    rest.split('"').next()
}

/// Breaks a page into lines at its tags, and hides digests that change with every edit of an asset.
fn legible(html: &str) -> String {
    let mut out = String::new();
    for (n, piece) in html.split("?v=").enumerate() {
        out.push_str(if n == 0 { piece } else { &piece[12..] });
    }
    for tag in ["section", "div", "table", "tr", "li", "form", "header", "main", "footer", "dl"] {
        out = out.replace(&format!("<{tag}"), &format!("\n<{tag}"));
    }
    out
}

#[test]
fn pages_are_as_pinned() {
    for (name, html) in every_page() {
        // Two rows show a list as well as fifty do.
        let html = match name {
            "items" => items_page(&sample::shell("Items", Here::Items), &sample::items(2)),
            "objects" => objects_page(&sample::shell("Objects", Here::Objects), &held::objects(2)),
            "fixity-lost" => fixity_page(&sample::shell("Fixity", Here::Fixity), &checked::lost(2)),
            "report-deposits" => {
                let shell = sample::shell("Deposits", Here::Reports);
                deposits_report_page(&shell, &reports::deposits(2))
            }
            "report-growth" => {
                let shell = sample::shell("Growth", Here::Reports);
                growth_report_page(&shell, &reports::growth(4))
            }
            "report-formats" => {
                let shell = sample::shell("Formats", Here::Reports);
                formats_report_page(&shell, &reports::formats(2))
            }
            "alerts" => alerts_page(&sample::shell("Alerts", Here::Alerts), &alerts::alerts(4)),
            "files" => files_page(&sample::shell("Files", Here::Files), &held::files(2)),
            "events" => events_page(&sample::shell("Events", Here::Events), &held::events(2)),
            "assessments" => {
                let shell = sample::shell("Assessments", Here::Assessments);
                assessments_page(&shell, &assess::list(3))
            }
            "assessment" => {
                let shell = sample::shell("NRF-000123", Here::Assessments);
                assessment_page(&shell, &assess::done(40.0))
            }
            "episodes" => {
                let shell = sample::shell("Episodes", Here::Episodes);
                recordings_page(&shell, &research::recordings(RecordingKind::Episode, 2))
            }
            "clips" => {
                let shell = sample::shell("Clips", Here::Clips);
                recordings_page(&shell, &research::recordings(RecordingKind::Clip, 2))
            }
            "episode" => {
                let shell = sample::shell("Episode", Here::Episodes);
                let page = EpisodePage { wave: vec![], ..research::one_episode(2) };
                episode_page(&shell, &page)
            }
            "clip" => clip_page(&sample::shell("Clip", Here::Clips), &research::one_clip(3)),
            "leases" => leases_page(&sample::shell("Leases", Here::Leases), &research::leases(2)),
            _ => maud::PreEscaped(html),
        };
        let html = html.into_string();
        insta::assert_snapshot!(name, legible(&html));
    }
}

#[test]
fn markup_in_names_is_escaped() {
    let shell = Shell {
        title: sample::MARKUP.into(),
        flash: Some(Notice::new(Tone::Bad, sample::MARKUP)),
        notices: vec![Notice::new(Tone::Bad, sample::MARKUP)],
        ..sample::shell("", Here::Items)
    };
    let mut items = sample::items(1);
    items.rows[0].name = sample::MARKUP.into();
    items.rows[0].note = sample::MARKUP.into();
    items.filter.name_contains = sample::MARKUP.into();
    items.filter.reason = sample::MARKUP.into();
    let mut item = sample::item();
    item.name = sample::MARKUP.into();
    item.facts[0] = Fact::text(sample::MARKUP, sample::MARKUP);
    item.findings[0].findings[0].place = sample::MARKUP.into();
    item.attempts[0].note = sample::MARKUP.into();
    let mut overview = sample::overview();
    overview.running[0].name = sample::MARKUP.into();
    overview.needs[0].reason = sample::MARKUP.into();
    let mut queues = sample::queues();
    queues.flows[0].rows[0].topic = sample::MARKUP.into();
    let mut deposits = sample::deposits();
    deposits.areas[0].rows[0].name = sample::MARKUP.into();
    deposits.areas[0].rows[0].sentence = sample::MARKUP.into();
    deposits.choices[0].value = sample::MARKUP.into();
    let mut deletion = people::deletion();
    deletion.reason = sample::MARKUP.into();
    deletion.parts[0].what.label = sample::MARKUP.into();
    let mut asking = people::asking();
    asking.what = sample::MARKUP.into();
    asking.reason = sample::MARKUP.into();
    let mut sign_in = people::sign_in();
    sign_in.email = sample::MARKUP.into();
    sign_in.to = sample::MARKUP.into();
    let mut deletions = people::deletions();
    deletions.rows[0].reason = sample::MARKUP.into();
    let shell = Shell { visitor: Visitor::Person(sample::MARKUP.into()), ..shell };
    let mut restorations = restored::restorations();
    restorations.under_way[0].what = sample::MARKUP.into();
    restorations.under_way[0].note = sample::MARKUP.into();
    restorations.ready[0].path = sample::MARKUP.into();
    restorations.ready[0].what.label = sample::MARKUP.into();
    restorations.rehearsals[0] = sample::MARKUP.into();
    overview.own = keeping::own();
    overview.own.deletions[0].reason = sample::MARKUP.into();
    let pages = [
        deletion_page(&shell, &deletion),
        ask_deletion_page(&shell, &asking),
        sign_in_page(&shell, &sign_in),
        deletions_page(&shell, &deletions),
        restorations_page(&shell, &restorations),
        deposits_page(&shell, &deposits),
        objects_page(&shell, &marked_objects()),
        object_page(&shell, &marked_object()),
        file_page(&shell, &marked_file()),
        fixity_page(&shell, &marked_checks()),
        events_page(&shell, &marked_events()),
        event_page(&shell, &EventPage { told: marked_facts(), ..held::event() }),
        items_page(&shell, &items),
        item_page(&shell, &item),
        overview_page(&shell, &overview),
        queues_page(&shell, &queues),
    ];
    for page in pages.into_iter().chain(marked_keeping(&shell)).chain(marked_rooms(&shell)) {
        let html = page.into_string();
        assert!(!html.contains("<script>") && !html.contains("<b "), "{html}");
        assert!(html.contains("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;"));
        assert!(tags(&html).all(|tag| attribute(tag, "style").is_none()));
    }
}

fn marked_rooms(shell: &Shell) -> impl Iterator<Item = Markup> {
    listed::assess::marked(shell).into_iter().chain(listed::research::marked(shell))
}

fn marked_keeping(shell: &Shell) -> [Markup; 5] {
    let mut settings = keeping::settings();
    settings.sections[0].rows[0].value = Some(sample::MARKUP.into());
    let mut storage = keeping::storage();
    storage.replicas[1].why = Some(sample::MARKUP.into());
    let mut schedules = keeping::schedules();
    schedules.rows[1].note = sample::MARKUP.into();
    let mut maintenance = keeping::closed();
    maintenance.sentence = sample::MARKUP.into();
    let mut saved = keeping::saved();
    saved.rows[0].link.label = sample::MARKUP.into();
    let saving = Shell { saved: Some(saved), ..shell.clone() };
    [
        settings_page(shell, &settings),
        storage_page(shell, &storage),
        schedules_page(shell, &schedules),
        maintenance_page(shell, &maintenance),
        items_page(&saving, &sample::items(1)),
    ]
}

fn marked_facts() -> Vec<Fact> {
    vec![
        Fact::text(sample::MARKUP, sample::MARKUP),
        Fact::new("Code", FactValue::Code(sample::MARKUP.into())),
        Fact::new("Link", FactValue::Link(Link::new("/", sample::MARKUP))),
    ]
}

fn marked_objects() -> ObjectsPage {
    let mut page = held::found();
    page.rows = held::objects(1).rows;
    page.rows[0].title = sample::MARKUP.into();
    page.rows[0].identifier = sample::MARKUP.into();
    page.filter.find = sample::MARKUP.into();
    page.filter.access = sample::MARKUP.into();
    if let Some(files) = &mut page.files {
        files.rows[0].path = sample::MARKUP.into();
        files.rows[0].object.label = sample::MARKUP.into();
    }
    page
}

fn marked_object() -> ObjectPage {
    let mut page = ObjectPage { facts: marked_facts(), ..held::object() };
    page.title = sample::MARKUP.into();
    page.identifier = sample::MARKUP.into();
    page.description = sample::MARKUP.into();
    page.copies[0].place = sample::MARKUP.into();
    page.folder.crumbs[0].label = sample::MARKUP.into();
    page.folder.lines[0].name = sample::MARKUP.into();
    page.formats[0].name = sample::MARKUP.into();
    page.versions[0].deposit = sample::MARKUP.into();
    page.versions[0].profile = sample::MARKUP.into();
    page.tags[0].file = sample::MARKUP.into();
    page.tags[0].tags[0] = TagRow { name: sample::MARKUP.into(), value: sample::MARKUP.into() };
    page.events[0].words = sample::MARKUP.into();
    page.events[0].about = sample::MARKUP.into();
    page
}

fn marked_file() -> FilePage {
    let mut page = FilePage { facts: marked_facts(), ..held::file() };
    page.name = sample::MARKUP.into();
    page.object.label = sample::MARKUP.into();
    page.warnings = vec![sample::MARKUP.into()];
    page.versions[0].format = sample::MARKUP.into();
    page
}

fn marked_checks() -> FixityPage {
    let mut page = checked::lost(1);
    page.unsound[0].file.label = sample::MARKUP.into();
    page.unsound[0].replica = sample::MARKUP.into();
    page.replicas[0].name = sample::MARKUP.into();
    page.replicas[0].place = sample::MARKUP.into();
    page
}

fn marked_events() -> EventsPage {
    let mut page = held::events(1);
    page.rows[0].words = sample::MARKUP.into();
    page.rows[0].object = Some(Link::new("/", sample::MARKUP));
    page.filter.object = sample::MARKUP.into();
    page
}

#[test]
fn nothing_is_inline() {
    for (name, html) in every_page() {
        for tag in tags(&html) {
            let on = tag.split_whitespace().skip(1).any(|word| word.starts_with("on"));
            assert!(attribute(tag, "style").is_none() && !on, "{name}: {tag}");
            assert!(!tag.starts_with("style"), "{name}: {tag}");
            assert!(!tag.starts_with("script") || attribute(tag, "src").is_some(), "{name}: {tag}");
        }
    }
}

#[test]
fn every_control_has_a_label() {
    for (name, html) in every_page() {
        let controls = tags(&html).filter(|tag| {
            ["input ", "select ", "textarea "].iter().any(|kind| tag.starts_with(kind))
        });
        for tag in controls.filter(|tag| attribute(tag, "type") != Some("hidden")) {
            let id = attribute(tag, "id").unwrap_or_else(|| panic!("{name}: no id on {tag}"));
            assert!(html.contains(&format!("<label for=\"{id}\">")), "{name}: {tag}");
        }
    }
}

#[test]
fn ids_are_used_once_and_headings_are_found() {
    for (name, html) in every_page() {
        let ids: Vec<_> = tags(&html).filter_map(|tag| attribute(tag, "id")).collect();
        let mut once = ids.clone();
        once.sort_unstable();
        once.dedup();
        assert_eq!(once.len(), ids.len(), "{name}: an id is used twice");
        for label in tags(&html).filter_map(|tag| attribute(tag, "aria-labelledby")) {
            assert!(ids.contains(&label), "{name}: nothing is called {label}");
        }
    }
}

#[test]
fn every_page_has_one_first_heading() {
    for (name, html) in every_page() {
        let headings = tags(&html).filter(|tag| tag.split(' ').next() == Some("h1")).count();
        assert_eq!(headings, 1, "{name}");
    }
}

#[test]
fn full_pages_keep_the_budget() {
    let mut deposits = sample::deposits();
    let row = deposits.areas[0].rows[3].clone();
    deposits.areas[0].rows = vec![row; 40];
    let full = deposits_page(&sample::shell("Deposits", Here::Deposits), &deposits).into_string();
    for (name, html) in every_page().into_iter().chain([("deposits of one area", full)]) {
        let is_wide = WIDE.iter().any(|page| name.starts_with(page));
        let budget = if is_wide { WIDE_BUDGET_BYTES } else { BUDGET_BYTES };
        assert!(html.len() < budget, "{name}: {} bytes", html.len());
    }
}

#[test]
fn pages_ask_no_other_host() {
    for (name, html) in every_page() {
        assert!(!html.contains("http://") && !html.contains("https://"), "{name}");
        for link in tags(&html).flat_map(|tag| ["href", "src", "action"].map(|a| attribute(tag, a)))
        {
            let link = link.unwrap_or("/");
            let inside = link.starts_with('/') && !link.starts_with("//");
            // A program for second factors takes its own kind of link.
            let own = link.starts_with('#') || link.starts_with("otpauth:");
            assert!(inside || own, "{name}: {link}");
        }
    }
    for asset in assets::assets().iter().filter(|asset| asset.name != "icon.svg") {
        let text = String::from_utf8_lossy(asset.bytes);
        assert!(!text.contains("://") && !text.contains("url("), "{}", asset.name);
    }
}

#[test]
fn live_pages_reload_without_script() {
    for (name, html) in every_page() {
        let watched = ["overview", "queues", "restorations", "assessment-running"]
            .iter()
            .any(|page| name.starts_with(page));
        assert_eq!(html.contains(r#"<noscript><meta http-equiv="refresh""#), watched, "{name}");
    }
}

#[test]
fn what_destroys_is_asked_about_first() {
    let (_, html) = every_page().into_iter().find(|(name, _)| *name == "queues").unwrap();
    assert!(html.contains(r#"href="/queues/ingest%2Fvalidate/empty""#));
    assert!(!html.contains(r#"action="/queues/ingest%2Fvalidate/empty""#));
}

#[test]
fn paging_and_sorting_keep_the_filter() {
    let html = items_fragment(&sample::items(50)).into_string();
    assert!(
        html.contains(r#"href="/items?status=running&amp;sort=date_processed__desc&amp;page=3""#)
    );
    assert!(html.contains(r#"href="/items?status=running&amp;sort=date_processed__asc""#));
    assert!(html.contains("Rows 51–100 of 10,000+"));
}

#[test]
fn objects_and_events_keep_what_was_asked_for() {
    let shell = sample::shell("Objects", Here::Objects);
    let html = objects_page(&shell, &held::objects(2)).into_string();
    let next = "/objects?storage_option=Standard&amp;sort=updated_at__desc&amp;page=3";
    assert!(html.contains(&format!("href=\"{next}\"")), "{html}");
    let turned = "/objects?storage_option=Standard&amp;sort=size__asc";
    assert!(html.contains(&format!("href=\"{turned}\"")), "{html}");
    let html = events_page(&shell, &held::events(2)).into_string();
    assert!(html.contains(
        "href=\"/events?event_type=fixity%20check&amp;sort=date_time__desc&amp;page=2\""
    ));
    assert!(html.contains("href=\"/events?event_type=fixity%20check&amp;sort=date_time__asc\""));
    let html = files_page(&shell, &held::files(2)).into_string();
    assert!(html.contains("href=\"/files?puid=fmt%2F353&amp;sort=size__asc\""), "{html}");
    assert!(html.contains("href=\"/files?puid=fmt%2F353&amp;sort=size__desc&amp;page=2\""));
    let asked = EventFilter { generic_file_id: "7".into(), ..EventFilter::default() };
    let html = events_page(&shell, &EventsPage { filter: asked, ..held::events(1) }).into_string();
    assert!(html.contains("<input type=\"hidden\" name=\"generic_file_id\" value=\"7\">"));
}

#[test]
fn a_bar_says_in_words_what_it_shows() {
    let shell = sample::shell("Object", Here::Objects);
    let html = object_page(&shell, &held::object()).into_string();
    assert!(html.contains("<rect width=\"962\" height=\"10\"></rect></svg>96.2 %"), "{html}");
    assert!(html.contains("aria-hidden=\"true\""));
}

#[test]
fn names_of_any_length_and_direction_stand_apart() {
    let mut page = sample::items(2);
    page.rows[0].name = sample::LONG.into();
    page.rows[1].name = sample::RTL.into();
    let html = items_fragment(&page).into_string();
    for name in [sample::LONG, sample::RTL] {
        assert!(html.contains(&format!("<bdi>{name}</bdi>")));
    }
}
