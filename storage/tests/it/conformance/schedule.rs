use std::time::Duration;

use crate::room::Room;

#[test]
fn a_schedule_remembers_its_runs_across_restarts() {
    let mut room = Room::new();
    assert_eq!(room.store().schedule("fixity").unwrap(), None);
    room.store().note_run("fixity", room.now(), room.later(60), "checked 7").unwrap();
    room.store().note_run("fixity", room.later(60), room.later(120), "checked 9").unwrap();
    room.store().note_run("audit", room.now(), room.later(5), "fine").unwrap();
    assert!(room.store().note_run("No Name", room.now(), room.now(), "").is_err());
    room.restart();
    let schedule = room.store().schedule("fixity").unwrap().unwrap();
    assert_eq!((schedule.last_run, schedule.next_run), (Some(room.later(60)), room.later(120)));
    assert_eq!((schedule.last_outcome.as_str(), schedule.runs), ("checked 9", 2));
    let names: Vec<_> = room.store().schedules().unwrap().into_iter().map(|it| it.0).collect();
    assert_eq!(names, ["audit", "fixity"]);
}

#[test]
fn the_pace_of_a_topic_is_learned_and_kept() {
    let mut room = Room::new();
    assert_eq!(room.store().pace("fetch").unwrap().expect(10), None);
    for _ in 0..5 {
        room.store().learn_pace("fetch", Duration::from_secs(4), 1000).unwrap();
    }
    room.store().barrier().unwrap();
    room.restart();
    let pace = room.store().pace("fetch").unwrap();
    assert_eq!((pace.runs, pace.expect(2000)), (5, Some(Duration::from_secs(8))));
}
