//! Months are written down by the sweep, stay when something is deleted, and are seen by whom they
//! belong to.

use storage::registry::{Month, Role};
use strongroom::app::App;
use strongroom::desk::ReportKind;
use strongroom::flows::FLOWS;
use strongroom::reports::{Question, StatisticsDue};
use strongroom::work::Sweep;

use super::{DAY, caller, preserve, user};
use crate::harness::{Rig, secs};
use crate::ingest::rig;

fn swept(rig: &Rig<App>) -> String {
    StatisticsDue.sweep(rig.app(), 100).unwrap().note
}

fn asked(kind: ReportKind, pairs: &[(&str, &str)]) -> Question {
    let pairs: Vec<_> =
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    kind.question(&pairs).unwrap()
}

fn csv(rig: &Rig<App>, kind: ReportKind, pairs: &[(&str, &str)]) -> String {
    let mut out = Vec::new();
    rig.app().desk().report_csv(kind, &asked(kind, pairs), &mut out).unwrap();
    String::from_utf8(out).unwrap().replace("\r\n", "\n")
}

/// Lets days pass until the month after this one has begun.
fn next_month(rig: &Rig<App>) -> Month {
    let now = rig.app().shop.clock.now();
    let next = Month::of(now).next().unwrap();
    rig.clock.advance(next.begins().since(now) + secs(60));
    next
}

#[test]
fn a_month_is_written_down_in_time_or_worked_out() {
    let rig = rig(FLOWS);
    assert_eq!(swept(&rig), "no month has begun");
    preserve(&rig, "letters", "Institution", &[("a.txt", b"alpha\n")]);
    let first = next_month(&rig);
    assert_eq!(swept(&rig), format!("wrote down what was held when {first} began"));
    assert_eq!(swept(&rig), "no month has begun");
    // The box is off over the beginning of two months.
    next_month(&rig);
    let third = next_month(&rig);
    rig.clock.advance(secs(3 * DAY));
    assert_eq!(swept(&rig), format!("wrote down what was held when 2 months began, up to {third}"));
    let report = rig.app().desk().growth_report(&Question::default()).unwrap();
    let derived: Vec<bool> = report.points.iter().map(|point| point.is_derived).collect();
    assert_eq!(derived, [false, true, true, false], "the last is of now");
    assert!(report.points.iter().all(|point| point.figures.object_count == 1));
    assert_eq!(report.points[1].added_size, Some(0));
}

#[test]
fn tables_for_spreadsheets_are_as_they_were() {
    let rig = rig(FLOWS);
    preserve(&rig, "letters", "Institution", &[("a.txt", b"alpha\n")]);
    let month = next_month(&rig);
    swept(&rig);
    let at = month.begins();
    let name = rig.app().registry.institution(1).unwrap().unwrap().name;
    let sums = rig.app().registry.held_sums().unwrap();
    let (files, bytes) = (sums.file_count, sums.size);
    assert_eq!(
        csv(&rig, ReportKind::Deposits, &[("date", &month.to_string())]),
        format!(
            "at,derived,institution,name,storage_option,objects,files,bytes\n\
             {at},no,archive.local,{name},Standard,1,{files},{bytes}\n"
        )
    );
    let now = rig.app().shop.clock.now();
    assert_eq!(
        csv(&rig, ReportKind::Growth, &[]),
        format!(
            "at,derived,institution,storage_option,objects,files,bytes\n\
             {at},no,archive.local,Standard,1,{files},{bytes}\n\
             {now},no,archive.local,Standard,1,{files},{bytes}\n"
        )
    );
    let formats = csv(&rig, ReportKind::Formats, &[]);
    assert!(
        formats.starts_with("puid,name,version,mime,basis,files,bytes\nx-fmt/111,"),
        "{formats}"
    );
    rig.app().vaults.look();
    let storage = csv(&rig, ReportKind::Storage, &[]);
    let row = format!("a,this machine,hot,there,1,{files},{bytes},");
    assert!(storage.lines().nth(1).is_some_and(|line| line.starts_with(&row)), "{storage}");
    let card = csv(&rig, ReportKind::Ndsa, &[]);
    assert_eq!(card.lines().count(), 39, "{card}");
    let row = "Storage,1,storage-two-copies,Two complete copies in separate places,not met,";
    assert!(card.contains(row), "{card}");
    assert_eq!(
        csv(&rig, ReportKind::Deposits, &[("storage_option", "Glacier-VA")]).lines().count(),
        1
    );
}

#[test]
fn reports_show_everybody_their_own() {
    let rig = rig(FLOWS);
    preserve(&rig, "open", "Institution", &[("a.txt", b"alpha\n")]);
    preserve(&rig, "hidden", "Restricted", &[("b.txt", b"beta\n")]);
    let app = rig.app();
    app.desk()
        .add_institution(&strongroom::desk::InstitutionWish {
            name: "Town library".into(),
            identifier: "library.example".into(),
            member: None,
        })
        .unwrap();
    let admin = caller(user(&rig, "ann@archive.example", Role::Admin));
    let keeper = caller(user(&rig, "bea@archive.example", Role::InstitutionalAdmin));
    let reader = caller(user(&rig, "cid@archive.example", Role::InstitutionalUser));
    let mut stranger = user(&rig, "dot@archive.example", Role::InstitutionalAdmin);
    stranger.institution_id = 2;
    let stranger = caller(stranger);
    for (caller, objects) in [(&admin, 2), (&keeper, 2), (&reader, 1), (&stranger, 0)] {
        let desk = app.desk_for(caller);
        let asked = Question::default();
        let deposits = desk.deposit_report(&asked).unwrap();
        assert_eq!(deposits.total.object_count, objects, "{}", caller.name());
        let growth = desk.growth_report(&asked).unwrap();
        assert_eq!(growth.points.last().unwrap().figures.object_count, objects);
        assert_eq!(desk.storage_report().unwrap().held.object_count, objects);
        assert_eq!(desk.format_report().unwrap().file_count > 0, objects > 0);
        let told = desk.scorecard().unwrap().text();
        let listed = format!("of objects: {objects}.");
        assert_eq!(told.contains(&listed), objects > 0, "{told}");
        // Another's institution is not there.
        let other = Question { institution: Some("archive.local".into()), ..Question::default() };
        let found = desk.deposit_report(&other).is_ok();
        assert_eq!(found, objects > 0, "{}", caller.name());
    }
}
