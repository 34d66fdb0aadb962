//! A repair that is under way while others tidy up.

use std::fs;
use std::sync::Arc;

use storage::registry::CopyState;
use strongroom::app::App;
use strongroom::fixity::FixityDue;
use strongroom::flows::FLOWS;
use strongroom::ingest::LeftOvers;
use strongroom::work::{Step, Sweep};

use super::{DAY, pass, states};
use crate::harness::Rig;
use crate::house::until;
use crate::ingest::site::{MIXED, rig_at};
use crate::ingest::{bag, deposit, tree_of_server, write_tar};
use crate::s3::Door;

/// A rig with one object of which a file of three parts is missing in the bucket, and its check in line.
fn damaged(door: &Arc<Door>) -> Rig<App> {
    let mut large = vec![7; 20 << 20];
    for (at, byte) in large.iter_mut().enumerate() {
        *byte = u8::try_from(at >> 20).unwrap();
    }
    let rig = rig_at(FLOWS, MIXED, door);
    let files = bag(&[("large.bin", &large)]);
    deposit(&rig, "letters.tar", |path| write_tar(path, "letters", &files)).unwrap();
    rig.drain_all();
    let server = rig.dir().join("s3");
    let found = tree_of_server(&server).into_iter().find(|it| it.contains("data/large.bin"));
    fs::remove_file(server.join(found.unwrap().split(' ').next().unwrap())).unwrap();
    pass(&rig, 91 * DAY);
    FixityDue.sweep(rig.app(), 10).unwrap();
    rig
}

fn of_large(requests: &[String], begin: &str, part: &str) -> usize {
    let is_one =
        |it: &&String| it.starts_with(begin) && it.contains("large.bin") && it.contains(part);
    requests.iter().filter(is_one).count()
}

#[test]
fn the_sweep_of_left_overs_does_not_abort_an_upload_of_a_repair() {
    let door = Arc::new(Door::default());
    let rig = damaged(&door);
    let content = |it: &&String| it.starts_with("PUT ") && it.contains("/content/");
    let count = || door.requests().iter().filter(content).count();
    let before = door.requests().len();
    let sent = count();
    // The first part of the repair goes through, those that follow wait.
    door.close_gate(sent + 1);
    std::thread::scope(|scope| {
        let foreman = rig.foreman();
        let repair = scope.spawn(move || while foreman.step() != Step::Idle {});
        until("the repair sends its parts", || count() > sent + 1);
        let swept = LeftOvers.sweep(rig.app(), 100);
        door.open_gate();
        repair.join().unwrap();
        let note = swept.unwrap().note;
        assert!(note.starts_with("removed 0 drafts"), "{note}");
    });
    let requests = door.requests().split_off(before);
    assert_eq!(of_large(&requests, "POST ", "?uploads"), 1, "{requests:#?}");
    assert_eq!(of_large(&requests, "DELETE ", "uploadId"), 0, "{requests:#?}");
    assert_eq!(of_large(&requests, "PUT ", "partNumber"), 3, "{requests:#?}");
    assert_eq!(states(&rig, "letters/data/large.bin"), [CopyState::Sound; 2]);
    // What the repair leaves in the bucket is nothing that the next one removes.
    let note = LeftOvers.sweep(rig.app(), 100).unwrap().note;
    assert!(note.starts_with("removed 0 drafts"), "{note}");
}

#[test]
fn an_upload_of_a_repair_that_was_given_up_is_removed_by_the_sweep() {
    let door = Arc::new(Door::default());
    let rig = damaged(&door);
    // A note that was cut off when the program ended.
    let notes = rig.dir().join("s3/bucket-b/extensions/strongroom-replica/uploads");
    let found = tree_of_server(&rig.dir().join("s3"));
    let object = found.iter().find_map(|it| it.split('/').find(|part| part.len() == 64)).unwrap();
    let note = notes.join(object).join("begun");
    super::write(&note, b"{");
    let swept = LeftOvers.sweep(rig.app(), 100).unwrap().note;
    assert!(swept.starts_with("removed 1 drafts"), "{swept}");
    assert!(!note.try_exists().unwrap());
}
