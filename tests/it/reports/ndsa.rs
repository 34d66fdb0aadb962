//! The scorecard: nothing is met in an empty house, everything in a good one, and what is lost on
//! the way is said.

use std::collections::BTreeMap;

use storage::registry::{CheckedCopy, CopyState, Role};
use storage::work::item::ItemId;
use strongroom::app::App;
use strongroom::desk::{DeclarationWish, DeskError};
use strongroom::ndsa::{Scorecard, Standing};
use strongroom::restore::RehearsalsDue;
use strongroom::rights::Caller;
use strongroom::work::Sweep;

use super::{DAY, caller, in_three_places, preserve, user};
use crate::harness::{Rig, secs};
use crate::ingest::{LETTERS, deposit_letters, rig};

fn card(rig: &Rig<App>) -> Scorecard {
    rig.app().desk().scorecard().unwrap()
}

/// How every requirement stands, by name.
fn standings(card: &Scorecard) -> BTreeMap<String, Standing> {
    let cells = card.areas.iter().flat_map(|area| &area.cells);
    let scores = cells.flat_map(|cell| &cell.requirements);
    scores.map(|score| (score.name.clone(), score.standing)).collect()
}

fn names(card: &Scorecard, wanted: Standing) -> Vec<String> {
    let all = standings(card).into_iter().filter(|(_, standing)| *standing == wanted);
    all.map(|(name, _)| name).collect()
}

fn levels(card: &Scorecard) -> Vec<u8> {
    card.areas.iter().map(|area| area.level_reached).collect()
}

/// Lets an object be rehearsed.
fn rehearse(rig: &Rig<App>) {
    rig.app().copy().unwrap();
    let before: Vec<ItemId> = rig.items().iter().map(|item| item.id).collect();
    RehearsalsDue.sweep(rig.app(), 100).unwrap();
    assert!(rig.items().iter().any(|item| !before.contains(&item.id)), "a rehearsal is due");
    rig.drain_all();
    rig.app().copy().unwrap();
}

/// Declares everything that can be.
fn declare_all(rig: &Rig<App>, admin: &Caller) {
    let card = card(rig);
    let scores = card.areas.iter().flat_map(|it| &it.cells).flat_map(|it| &it.requirements);
    for score in scores.filter(|score| !score.declare.is_empty()) {
        let wish = DeclarationWish {
            requirement: score.name.clone(),
            sentence: format!("It is so: {}.", score.asks),
        };
        rig.app().desk_for(admin).declare(&wish).unwrap();
    }
}

#[test]
fn nothing_is_met_in_an_empty_house() {
    let rig = rig(strongroom::flows::FLOWS);
    let card = card(&rig);
    assert_eq!(levels(&card), [0; 5]);
    assert_eq!(names(&card, Standing::Met), Vec::<String>::new());
    assert_eq!(standings(&card).len(), 38);
    for cell in card.areas.iter().flat_map(|area| &area.cells) {
        assert!(cell.next_step.as_ref().is_some_and(|step| !step.is_empty()), "{cell:?}");
    }
    assert!(card.text().contains("Storage    level 0 of 4"), "{}", card.text());
}

#[test]
fn everything_is_met_in_a_good_house_until_it_is_not() {
    let rig = in_three_places();
    let admin = caller(user(&rig, "ann@archive.example", Role::Admin));
    preserve(&rig, "letters", "Institution", &LETTERS[..3]);
    rig.clock.advance(secs(8 * DAY));
    rehearse(&rig);
    let before = standings(&card(&rig));
    declare_all(&rig, &admin);
    let good = card(&rig);
    assert_eq!(names(&good, Standing::Unmet), Vec::<String>::new(), "{}", good.text());
    assert_eq!(levels(&good), [4; 5]);
    assert!(good.areas.iter().flat_map(|it| &it.cells).all(|cell| cell.next_step.is_none()));
    // What takes a word was not met before it was given; what does not was.
    for score in good.areas.iter().flat_map(|it| &it.cells).flat_map(|it| &it.requirements) {
        let was_met = score.declare.is_empty() || score.name == "content-verified";
        assert_eq!(before[&score.name] == Standing::Met, was_met, "{}", score.name);
    }
    assert!(good.text().contains("ann declared on"), "{}", good.text());

    // One copy is gone: two places are left of three.
    let registry = &rig.app().registry;
    let object = registry.object_by_identifier("archive.local/letters").unwrap().unwrap();
    let file = registry.files_by_path(object.id, &["data/a.txt"]).unwrap().remove(0);
    let look = |replica: &str, state| {
        let replicas = registry.replicas(10).unwrap();
        let replica = replicas.iter().find(|it| it.replica.name == replica).unwrap().id;
        let at = rig.app().shop.clock.now();
        let checked = CheckedCopy { file_id: file.id, version: file.version, replica, state, at };
        registry.record_checks(&[checked]).unwrap();
    };
    look("a", CopyState::Missing);
    let hurt = card(&rig);
    let lost = ["storage-elsewhere", "storage-three-threats"];
    assert_eq!(names(&hurt, Standing::Unmet), lost);
    assert_eq!(levels(&hurt), [1, 4, 4, 4, 4]);
    look("b", CopyState::Damaged);
    let worse = names(&card(&rig), Standing::Unmet);
    for name in ["storage-two-copies", "integrity-apart", "integrity-repair"] {
        assert!(worse.iter().any(|it| it == name), "{name}: {worse:?}");
    }
    look("c", CopyState::Missing);
    assert!(names(&card(&rig), Standing::Unmet).iter().any(|it| it == "storage-stable"));
    ["a", "b", "c"].into_iter().for_each(|replica| look(replica, CopyState::Sound));
    assert_eq!(levels(&card(&rig)), [4; 5]);

    // A year goes by without checks, rehearsals or reviews.
    rig.clock.advance(secs(400 * DAY));
    let late = card(&rig);
    assert_eq!(names(&late, Standing::Unmet), ["integrity-events", "integrity-intervals"]);
    let stale = ["content-watched", "control-reviewed", "storage-age"];
    assert_eq!(names(&late, Standing::Stale), stale);
    rig.clock.advance(secs(400 * DAY));
    let old = names(&card(&rig), Standing::Stale);
    assert!(old.iter().any(|it| it == "storage-media-list"), "{old:?}");
    assert_eq!(levels(&card(&rig))[0], 0, "a word of long ago counts no more");
}

#[test]
fn one_disk_is_one_place_and_gaps_are_found() {
    let rig = rig(strongroom::flows::FLOWS);
    let admin = caller(user(&rig, "ann@archive.example", Role::Admin));
    deposit_letters(&rig);
    rig.drain_all();
    declare_all(&rig, &admin);
    let unmet = names(&card(&rig), Standing::Unmet);
    let expected = [
        "integrity-apart",
        "integrity-events",
        "metadata-gaps",
        "metadata-inventory-apart",
        "storage-elsewhere",
        "storage-no-single-point",
        "storage-other-threat",
        "storage-three-threats",
        "storage-two-copies",
    ];
    assert_eq!(unmet, expected, "{}", card(&rig).text());
    assert!(card(&rig).text().contains("Replicas a, b share a place and count as one."));
    // The doubtful files were looked at, by word; without it they are in the way.
    let declared = rig.app().desk().declarations().unwrap();
    let word = declared.iter().find(|it| it.requirement == "content-verified").unwrap();
    rig.app().desk_for(&admin).withdraw_declaration(word.id).unwrap();
    let unmet = names(&card(&rig), Standing::Unmet);
    assert!(unmet.iter().any(|it| it == "content-verified"), "an empty file has no known format");
}

#[test]
fn declarations_are_made_by_persons_who_look_after_the_house() {
    let rig = rig(strongroom::flows::FLOWS);
    let admin = caller(user(&rig, "ann@archive.example", Role::Admin));
    let other = caller(user(&rig, "bea@archive.example", Role::InstitutionalAdmin));
    let wish = |requirement: &str| DeclarationWish {
        requirement: requirement.into(),
        sentence: "It is so.".into(),
    };
    let app = rig.app();
    for (desk, requirement) in [
        (app.desk(), "storage-needs"),
        (app.desk_for(&other), "storage-needs"),
        (app.desk_for(&Caller::Stranger), "storage-needs"),
        (app.desk_for(&admin), "storage-two-copies"),
        (app.desk_for(&admin), "no-such-thing"),
    ] {
        let refused = desk.declare(&wish(requirement));
        assert!(matches!(refused, Err(DeskError::Declined(_))), "{requirement}: {refused:?}");
    }
    assert_eq!(app.desk().declarations().unwrap(), []);
    let made = app.desk_for(&admin).declare(&wish("storage-needs")).unwrap();
    assert!(app.desk_for(&other).withdraw_declaration(made.id).is_err());
    let met = names(&card(&rig), Standing::Met);
    assert_eq!(met, ["control-applied", "control-decided", "storage-needs"]);
    app.desk_for(&admin).withdraw_declaration(made.id).unwrap();
    assert!(names(&card(&rig), Standing::Met).iter().all(|it| it != "storage-needs"));
}
