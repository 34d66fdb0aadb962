//! A work room in a folder of its own, with time by hand; restarts on demand.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use storage::Error;
use storage::clock::Timestamp;
use storage::testing::{ManualClock, disagreements};
use storage::work::item::{ItemId, State, Subject, WorkItem};
use storage::work::queue::{Account, Claim, NewItem, Queue, Settlement};
use storage::work::{Opened, Store};

pub(crate) const HOLD: Duration = Duration::from_secs(60);

pub(crate) struct Room {
    pub(crate) clock: Arc<ManualClock>,
    folder: tempfile::TempDir,
    queue: Option<Queue>,
}

impl Room {
    pub(crate) fn new() -> Room {
        let folder = tempfile::tempdir().unwrap();
        let mut room = Room { clock: ManualClock::start(), folder, queue: None };
        room.queue = Some(open_queue(&room.dir(), &room.clock));
        room
    }

    pub(crate) fn dir(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    pub(crate) fn queue(&self) -> &Queue {
        self.queue.as_ref().unwrap()
    }

    pub(crate) fn store(&self) -> &Arc<Store> {
        self.queue().store()
    }

    /// Closes the work state, so that its files can be looked at or damaged.
    pub(crate) fn close(&mut self) {
        self.queue = None;
    }

    /// Ends the run of the program without a word to anyone, and begins the next.
    pub(crate) fn restart(&mut self) {
        self.close();
        self.queue = Some(open_queue(&self.dir(), &self.clock));
    }

    pub(crate) fn now(&self) -> Timestamp {
        storage::clock::Clock::now(&*self.clock)
    }

    pub(crate) fn later(&self, seconds: u64) -> Timestamp {
        self.now().after(Duration::from_secs(seconds))
    }

    pub(crate) fn advance(&self, seconds: u64) {
        self.clock.advance(Duration::from_secs(seconds));
    }

    pub(crate) fn push(&self, topic: &str) -> ItemId {
        self.queue().push(new_item(topic)).unwrap().id
    }

    pub(crate) fn claim(&self, topic: &str) -> Claim {
        self.claim_if_any(topic).expect("something to claim")
    }

    pub(crate) fn claim_if_any(&self, topic: &str) -> Option<Claim> {
        self.queue().claim(topic, 1, HOLD).unwrap().pop()
    }

    /// Claims everything that can be claimed, in order.
    pub(crate) fn line(&self, topic: &str) -> Vec<ItemId> {
        let claims = self.queue().claim(topic, 1000, HOLD).unwrap();
        claims.iter().map(|claim| claim.item.id).collect()
    }

    pub(crate) fn settle(&self, claim: Claim, how: &Settlement) -> WorkItem {
        self.queue().settle(claim.lease, how, Account::default()).unwrap()
    }

    pub(crate) fn item(&self, id: ItemId) -> WorkItem {
        self.queue().item(id).unwrap().expect("the item")
    }

    pub(crate) fn state(&self, id: ItemId) -> &'static str {
        self.item(id).state.word()
    }

    pub(crate) fn assert_sound(&self) {
        assert_eq!(disagreements(self.queue(), self.now()).unwrap(), Vec::<String>::new());
    }
}

pub(crate) fn open_store(dir: &Path) -> Opened {
    Store::open(dir, &dir.with_file_name("work.aside")).unwrap()
}

pub(crate) fn open_queue(dir: &Path, clock: &Arc<ManualClock>) -> Queue {
    let opened = open_store(dir);
    assert!(opened.set_aside.is_none(), "set aside: {:?}", opened.set_aside);
    Queue::open(Arc::new(opened.store), Arc::clone(clock) as _).unwrap()
}

pub(crate) fn new_item(topic: &str) -> NewItem {
    NewItem {
        flow: "test".into(),
        topic: topic.into(),
        subject: Subject { name: "bag.tar".into(), ..Subject::default() },
        ..NewItem::default()
    }
}

pub(crate) fn is_lost(outcome: Result<impl std::fmt::Debug, Error>) -> bool {
    matches!(outcome, Err(Error::LeaseLost(_)))
}

pub(crate) fn due(item: &WorkItem) -> Option<Timestamp> {
    if let State::Delayed { due } = item.state { Some(due) } else { None }
}
