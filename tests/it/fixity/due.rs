//! What is due: the oldest first, so many at a time, never in quiet hours, and nothing for ever.

use storage::work::item::ItemId;
use strongroom::app::App;
use strongroom::fixity::FixityDue;
use strongroom::flows::FLOWS;
use strongroom::work::Sweep;

use super::{DAY, check_after, pass};
use crate::harness::Rig;
use crate::ingest::{bag, deposit, rig_configured, write_tar};

fn deposit_one(rig: &Rig<App>, name: &str) {
    let payload: &[(&str, &[u8])] = &[("a.txt", name.as_bytes())];
    let make = |path: &std::path::Path| write_tar(path, name, &bag(payload));
    deposit(rig, &format!("{name}.tar"), make).unwrap();
    rig.drain_all();
}

fn names(rig: &Rig<App>, items: &[ItemId]) -> Vec<String> {
    items.iter().map(|id| rig.item(*id).subject.name).collect()
}

fn sweep(rig: &Rig<App>) -> usize {
    FixityDue.sweep(rig.app(), 10_000).unwrap().made
}

#[test]
fn the_oldest_come_first_and_nothing_is_forgotten() {
    let toml = "[fixity]\nevery_days = 30\nfiles_per_sweep = 6\n".to_owned();
    let rig = rig_configured(FLOWS, toml);
    for name in ["one", "two", "three", "four"] {
        deposit_one(&rig, name);
        pass(&rig, DAY);
    }
    // Each has three files; far more than any window overdue.
    assert_eq!(names(&rig, &check_after(&rig, 1000)), ["one", "two"]);
    assert_eq!(names(&rig, &check_after(&rig, 0)), ["three", "four"]);
    assert!(check_after(&rig, 0).is_empty());
    assert_eq!(check_after(&rig, 31).len(), 2, "and round again");
}

#[test]
fn an_object_that_waits_to_be_checked_is_not_put_in_line_twice() {
    let rig = rig_configured(FLOWS, String::new());
    deposit_one(&rig, "one");
    pass(&rig, 100 * DAY);
    assert_eq!((sweep(&rig), sweep(&rig)), (1, 0));
    rig.drain_all();
    assert_eq!(sweep(&rig), 0);
}

#[test]
fn a_replica_may_have_days_of_its_own() {
    let toml = "[replica.a]\nurl = \"vault/a\"\nfixity_every_days = 10\n\n\
        [replica.b]\nurl = \"vault/b\"\n\n[option.Standard]\nreplicas = [\"a\", \"b\"]\n";
    let rig = rig_configured(FLOWS, toml.to_owned());
    deposit_one(&rig, "one");
    assert_eq!(check_after(&rig, 11).len(), 1);
    let standing = strongroom::fixity::standing(rig.app()).unwrap();
    let days: Vec<u64> = standing.replicas.iter().map(|it| it.every_days).collect();
    assert_eq!(days, [10, 90]);
    assert!(standing.replicas.iter().all(|it| !it.is_overdue && it.due_copy_count == 0));
    assert!(standing.forecast.contains("every copy is read in time"), "{}", standing.forecast);
}

#[test]
fn nothing_begins_in_quiet_hours() {
    // The clock of the tests begins at some hour: all hours but one are quiet.
    let toml = "[fixity]\nquiet_hours = \"01:00-00:00\"\n".to_owned();
    let rig = rig_configured(FLOWS, toml);
    deposit_one(&rig, "one");
    pass(&rig, 100 * DAY);
    let at = rig.shop().clock.now();
    let into = at.0 / 1000 % DAY;
    let to_quiet = 3600_u64.saturating_sub(into);
    pass(&rig, to_quiet + 60);
    assert_eq!(sweep(&rig), 0, "it is quiet");
    let now = rig.shop().clock.now();
    pass(&rig, DAY - now.0 / 1000 % DAY + 60);
    assert_eq!(sweep(&rig), 1, "the hour after midnight is not");
    pass(&rig, 3600);
    rig.step();
    assert_eq!(rig.items().iter().filter(|it| it.note.contains("quiet")).count(), 1);
    rig.drain_all();
    let checks: Vec<ItemId> =
        rig.items().iter().filter(|it| it.flow == "fixity").map(|it| it.id).collect();
    assert_eq!(checks.iter().map(|id| rig.word(*id)).collect::<Vec<_>>(), ["finished"]);
}
