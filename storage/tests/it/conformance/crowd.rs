use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use storage::testing::after_each_barrier;
use storage::work::dossier::Dossier;
use storage::work::queue::{Account, Settlement};

use crate::room::{HOLD, Room, new_item};

#[test]
fn a_hundred_claimers_never_share_an_item() {
    const ITEMS: usize = 5000;
    let room = Room::new();
    let items = (0..ITEMS).map(|_| new_item("a")).collect();
    room.queue().push_all(items).unwrap();
    let claimed = Mutex::new(BTreeSet::new());
    thread::scope(|scope| {
        for claimer in 0..100 {
            let (queue, claimed) = (room.queue(), &claimed);
            scope.spawn(move || {
                let most = 1 + claimer % 7;
                while let claims = queue.claim("a", most, HOLD).unwrap()
                    && !claims.is_empty()
                {
                    for claim in claims {
                        assert!(
                            claimed.lock().unwrap().insert(claim.item.id),
                            "{:?}",
                            claim.item.id
                        );
                        queue.settle(claim.lease, &Settlement::Finish, Account::default()).unwrap();
                    }
                }
            });
        }
    });
    assert_eq!(claimed.into_inner().unwrap().len(), ITEMS);
    let counts = room.queue().topic("a").unwrap().counts;
    assert_eq!((counts.claimed, counts.done, counts.leased), (5000, 5000, 0));
    room.assert_sound();
}

#[test]
fn commits_that_come_together_share_a_barrier() {
    let room = Room::new();
    let barriers = Arc::new(AtomicU64::new(0));
    let seen = Arc::clone(&barriers);
    after_each_barrier(room.store(), move || {
        seen.fetch_add(1, Ordering::SeqCst);
    });
    thread::scope(|scope| {
        for _ in 0..32 {
            scope.spawn(|| (0..20).map(|_| room.push("a")).collect::<Vec<_>>());
        }
    });
    let barriers = barriers.load(Ordering::SeqCst);
    assert!((1..=320).contains(&barriers), "640 commits took {barriers} barriers");
    assert_eq!(room.queue().topic("a").unwrap().counts.ready, 640);
}

#[test]
fn several_items_come_all_together() {
    let mut room = Room::new();
    let pushed = room.queue().push_all((0..100).map(|_| new_item("a")).collect()).unwrap();
    room.restart();
    assert_eq!(room.line("a"), pushed.iter().map(|it| it.id).collect::<Vec<_>>());
}

#[test]
fn a_check_of_a_busy_room_accuses_nobody() {
    let room = Room::new();
    let live = |room: &Room| {
        room.push("a");
        for claim in room.queue().claim("a", 1, HOLD).unwrap() {
            Dossier::of(room.store(), claim.item.id).put_whole(&1_u64).unwrap();
            let turns = claim.item.turns;
            let ended = room.settle(claim, &Settlement::Finish);
            room.queue().forget(&[(ended.id, ended.revision, vec![turns])]).unwrap();
        }
    };
    thread::scope(|scope| {
        let busy: Vec<_> =
            (0..4).map(|_| scope.spawn(|| (0..200).for_each(|_| live(&room)))).collect();
        let mut looks = 0;
        while busy.iter().any(|it| !it.is_finished()) {
            room.assert_sound();
            looks += 1;
        }
        println!("looked {looks} times");
    });
    room.assert_sound();
}
