use std::sync::Arc;

use storage::work::Store;
use storage::work::assignment::{Assignments, NewAssignment, Spans};
use storage::work::dossier::Dossier;
use storage::work::export::{ExportError, export, import};
use storage::work::lease::KeyLeases;
use storage::work::queue::{Charge, NewItem, Settlement};

use crate::room::{HOLD, Room, new_item, open_queue, open_store};

/// Something of every kind.
fn furnished() -> Room {
    let room = Room::new();
    for priority in [3, 0, 0, -2] {
        let unique = Some(format!("name {priority}")).filter(|_| priority != 0);
        let expires = Some(room.later(900)).filter(|_| priority == 3);
        room.queue().push(NewItem { priority, unique, expires, ..new_item("a") }).unwrap();
    }
    for how in [
        Settlement::Finish,
        Settlement::Park { because: Default::default() },
        Settlement::Retry { at: room.later(60), charge: Charge::Panic },
    ] {
        let id = room.push("b");
        let dossier = Dossier::of(room.store(), id);
        dossier.put_whole(&id.0).unwrap();
        dossier.put_files([(&b"data/\xff\0"[..], &7_u64)]).unwrap();
        room.settle(room.claim("b"), &how);
    }
    room.queue().pause("b", true).unwrap();
    let leases = KeyLeases::new(Arc::clone(room.store()), Arc::clone(&room.clock) as _);
    leases.create("pages", "one", "ann", vec![b"k\0\xff".to_vec()], HOLD).unwrap();
    let assignments = Assignments::new(Arc::clone(room.store()), Arc::clone(&room.clock) as _);
    let new = NewAssignment {
        id: "work".into(),
        episode: 1,
        clips: vec![4, 2],
        analyst: 1,
        taken_by: None,
    };
    assignments.offer(new, Spans { lease: HOLD, offer: HOLD / 2 }).unwrap();
    assignments.take("work", "bob", HOLD).unwrap();
    room.store().note_run("sweep", room.now(), room.later(60), "fine").unwrap();
    room.store().learn_pace("b", HOLD, 12).unwrap();
    room
}

fn exported(store: &Store) -> String {
    let mut out = Vec::new();
    let lines = export(store, &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    assert_eq!(lines, text.lines().count() as u64);
    text
}

#[test]
fn out_and_in_again_is_the_same_work_state() {
    let mut room = furnished();
    let text = exported(room.store());
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("work");
    let copy = open_store(&dir).store;
    assert_eq!(import(&copy, &mut text.as_bytes()).unwrap(), text.lines().count() as u64);
    assert_eq!(exported(&copy), text);
    drop(copy);

    let copy = open_queue(&dir, &room.clock);
    assert_eq!(storage::testing::disagreements(&copy, room.now()).unwrap(), [""; 0]);
    room.restart();
    assert_eq!(copy.topics().unwrap(), room.queue().topics().unwrap());
    let line = |queue: &storage::work::queue::Queue| {
        let claims = queue.claim("a", 10, HOLD).unwrap();
        claims.into_iter().map(|claim| claim.item.id).collect::<Vec<_>>()
    };
    assert_eq!(line(&copy), line(room.queue()));
    assert!(!copy.push(NewItem { unique: Some("name 3".into()), ..new_item("a") }).unwrap().new);
}

#[test]
fn what_comes_after_an_import_stands_behind_it() {
    let mut room = Room::new();
    for _ in 0..5 {
        room.restart();
    }
    let old: Vec<_> = (0..3).map(|_| room.push("a")).collect();
    let text = exported(room.store());
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("work");
    import(&open_store(&dir).store, &mut text.as_bytes()).unwrap();
    let copy = open_queue(&dir, &room.clock);
    let new = copy.push(new_item("a")).unwrap().id;
    let line = copy.claim("a", 10, HOLD).unwrap();
    assert_eq!(line.iter().map(|it| it.item.id).collect::<Vec<_>>(), [&old[..], &[new]].concat());
}

#[test]
fn what_was_leased_comes_in_waiting_where_it_stood() {
    let room = Room::new();
    let (first, second) = (room.push("a"), room.push("a"));
    let _held = room.claim("a");
    let text = exported(room.store());
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("work");
    import(&open_store(&dir).store, &mut text.as_bytes()).unwrap();
    let copy = open_queue(&dir, &room.clock);
    let line = copy.claim("a", 10, HOLD).unwrap();
    assert_eq!(line.iter().map(|it| it.item.id).collect::<Vec<_>>(), [first, second]);
    assert_eq!(storage::testing::disagreements(&copy, room.now()).unwrap(), [""; 0]);
}

#[test]
fn a_line_that_is_not_ours_is_named_and_refused() {
    let head = r#"{"kind":"work","format":1,"epoch":1,"next_item":1}"#;
    for (text, line) in [
        ("hello\n".to_owned(), 1),
        (r#"{"kind":"pace","topic":"a","pace":{"runs":1,"mean_ms":1,"mean_bytes":1}}"#.into(), 1),
        (head.replace("\"format\":1", "\"format\":2"), 1),
        (format!("{head}\n{head}\n"), 2),
        (format!("{head}\n{{\"kind\":\"secret\"}}\n"), 2),
        (format!("{head}\n{{\"kind\":\"dossier\",\"key\":\"00\",\"value\":\"00\"}}\n"), 2),
        (format!("{head}\n{{\"kind\":\"dossier\",\"key\":\"0g\",\"value\":\"é\"}}\n"), 2),
        (format!("{head}\n\n"), 2),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let store = open_store(&folder.path().join("work")).store;
        match import(&store, &mut text.as_bytes()) {
            Err(ExportError::Line { line: named, why }) => {
                assert_eq!(named, line, "{text}");
                assert!(!why.is_empty());
            }
            other => panic!("{other:?} for {text}"),
        }
    }
}

#[test]
fn a_room_that_is_not_empty_is_left_as_it_is() {
    let room = furnished();
    let before = exported(room.store());
    let refused = import(room.store(), &mut before.as_bytes());
    assert!(matches!(refused, Err(ExportError::NotEmpty)), "{refused:?}");
    assert_eq!(exported(room.store()), before);
}
