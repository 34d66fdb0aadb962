//! Checks of what is held, as people see and ask for them.

use byteio::causes::chain;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use storage::clock::Timestamp;
use storage::registry::moment::Moment;
use storage::registry::{
    Counting, DueObject, HeldState, ITEMS, OBJECTS, ObjectId, ObjectRow, Query, ReplicaClass,
};
use storage::work::queue::NewItem;

use super::{Desk, DeskError, ItemDetail};
use crate::checkup;
use crate::fault::Fault;
use crate::fixity::{Standing, standing, standing_of};
use crate::rights::{Right, Sight};

/// Objects put in line by one step, so that others get their turn between two of them.
const BATCH: &str = "500";
/// Most waiting checks that are counted for a member.
const CHECKS_COUNTED: u64 = 10_000;
/// Replicas that a registry may know.
const REPLICAS: u32 = 1000;
/// Most objects told of one replica.
pub const DUE_MAX: u32 = 1000;

/// Which objects come next in one replica.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ReplicaDue {
    /// The replica's name.
    pub replica: String,
    /// Days after which a copy is due.
    pub every_days: u64,
    /// The objects, the longest ago first.
    pub objects: Vec<NextObject>,
}

/// An object that is to be looked at.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct NextObject {
    /// The object, and when it was last looked at.
    #[serde(flatten)]
    pub object: DueObject,
    /// When it is due.
    #[serde(with = "Moment")]
    pub due_at: Timestamp,
    /// Whether that is past.
    pub is_due: bool,
}

/// What came of the wish to look at everything.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChecksAsked {
    /// Objects that were put in line.
    pub made: u64,
    /// Objects that were in line already.
    pub known: u64,
    /// Whether the line is full, so that some objects are not in it.
    pub is_full: bool,
}

impl ChecksAsked {
    /// What came of it, for people.
    pub fn sentence(&self) -> String {
        let ChecksAsked { made, known, is_full } = self;
        let objects = if *made == 1 { "1 object is".into() } else { format!("{made} objects are") };
        let mut sentence = format!("{objects} in line to be read in every replica.");
        if *known > 0 {
            sentence += &format!(" Already in line: {known}.");
        }
        if *is_full {
            sentence += " The line is full: ask again for the others when some of it is done.";
        }
        sentence
    }
}

impl Desk<'_> {
    /// How the checks of all hot replicas stand: of everything for those who look after the
    /// appliance, of what is their institution's for its members.
    pub fn fixity(&self) -> Result<Standing, DeskError> {
        let sight = self.sight();
        if matches!(sight, Sight::All) {
            return standing(self.app).map_err(failed);
        }
        standing_of(self.app, sight, self.own_checks()?).map_err(failed)
    }

    /// Checks of the caller's own objects that are under way or wait.
    fn own_checks(&self) -> Result<u64, DeskError> {
        let mut count = 0_u64;
        for status in ["Pending", "Started"] {
            let pairs = [("topic", checkup::TOPIC), ("status", status), ("per_page", "1")]
                .map(|(name, value)| (name.to_owned(), value.to_owned()));
            let query = Query::parse(&ITEMS, &pairs)?.counting(Counting::UpTo(CHECKS_COUNTED));
            let page = self.app.registry.list_items(&query.seen_by(self.sight()))?;
            count = count.saturating_add(page.count.map_or(0, |it| it.value));
        }
        Ok(count)
    }

    /// Which objects come next, in each hot replica, whether they are due yet or not.
    pub fn fixity_due(&self, limit: u32) -> Result<Vec<ReplicaDue>, DeskError> {
        let (registry, now) = (&self.app.registry, self.app.shop.clock.now());
        let mut replicas = Vec::new();
        for row in registry.replicas(REPLICAS)? {
            if row.replica.class != ReplicaClass::Hot {
                continue;
            }
            let every = self.app.config.fixity_every(&row.replica.name);
            let next = |object: DueObject| {
                let due_at = object.oldest_checked_at.after(every);
                NextObject { object, due_at, is_due: due_at <= now }
            };
            let objects = registry.due_objects(row.id, now, limit.min(DUE_MAX))?;
            replicas.push(ReplicaDue {
                replica: row.replica.name,
                every_days: every.as_secs() / 86_400,
                objects: objects.into_iter().map(next).collect(),
            });
        }
        Ok(replicas)
    }

    /// Asks that an object be looked at before all others; the item that does it.
    pub fn check_object(&self, which: &str) -> Result<ItemDetail, DeskError> {
        let object = self.held_object(which)?;
        self.require_own(&object, Right::Check)?;
        if object.state == HeldState::Deleted {
            return Err(DeskError::NothingToCheck(object.identifier));
        }
        if let Some(cold) = checkup::only_cold(self.app, &object).map_err(failed)? {
            return Err(DeskError::OnlyCold(checkup::cold_sentence(&object.identifier, &cold)));
        }
        let user = self.caller.name();
        let why = format!("asked for by {user}");
        let pushed = checkup::ask(self.app, &object, user, &why).map_err(failed)?;
        self.item(pushed.id.0)
    }

    /// Asks that everything be looked at, in the order in which it was taken in. What is in line
    /// already stays where it is.
    pub fn check_all(&self) -> Result<ChecksAsked, DeskError> {
        let user = self.caller.name();
        let why = format!("asked for by {user}, with all others");
        let mut asked = ChecksAsked::default();
        let mut behind = ObjectId(0);
        loop {
            let objects = self.held_behind(behind)?;
            let Some(last) = objects.last() else { break };
            behind = last.id;
            let items: Vec<NewItem> =
                objects.iter().map(|object| checkup::item(object, user, &why)).collect();
            match self.app.shop.queue.push_all(items) {
                Ok(pushed) => {
                    let made = pushed.iter().filter(|pushed| pushed.new).count();
                    asked.made += made as u64;
                    asked.known += (pushed.len() - made) as u64;
                }
                Err(storage::Error::TopicFull { .. }) => {
                    asked.is_full = true;
                    break;
                }
                Err(error) => return Err(error.into()),
            }
        }
        self.app.mirror.copy()?;
        Ok(asked)
    }

    /// The next objects that are held, by number.
    fn held_behind(&self, behind: ObjectId) -> Result<Vec<ObjectRow>, DeskError> {
        let behind = behind.to_string();
        let pairs =
            [("state", "A"), ("id__gt", &*behind), ("sort", "id__asc"), ("per_page", BATCH)]
                .map(|(name, value)| (name.to_owned(), value.to_owned()));
        let query = Query::parse(&OBJECTS, &pairs)?.counting(Counting::No);
        Ok(self.app.registry.list_objects(&query)?.rows)
    }
}

/// A fault of a flow is one of our stores' here: nothing else can go wrong on these ways.
pub(super) fn failed(fault: Fault) -> DeskError {
    let Fault::Failed(failure) = fault else { return DeskError::Checks(format!("{fault:?}")) };
    let source = match failure.source.downcast::<storage::Error>() {
        Ok(error) => return DeskError::Work(*error),
        Err(source) => source,
    };
    match source.downcast::<storage::registry::Error>() {
        Ok(error) => DeskError::Registry(*error),
        Err(source) => DeskError::Checks(chain(&*source)),
    }
}
