//! What lies in the receiving areas, with what became of it so far.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use storage::registry::{Counting, Deed, ITEMS, Institution, ItemRow, Query};

use super::lying::{Entry, in_bucket, in_folder};
use super::{Desk, DeskError, ItemDetail};
use crate::accounts::Note;
use crate::app::App;
use crate::fault::Fault;
use crate::ingest::{
    self, AgainError, Lying, Quota, RejectedError, Stay, area, bag_name, gives_way, institutions,
    is_given_up, name_of_draft, remove_rejected, stay, still_lies, take_again,
};
use crate::rights::{Right, Sight};

/// Institutions whose areas are shown.
const AREAS: usize = 100;
/// Deposits shown of one area, and of all; the rest are counted.
const SHOWN: usize = 40;
const SHOWN_OF_ALL: usize = 200;

/// The receiving areas.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct DepositList {
    /// One of each institution that may deposit.
    pub areas: Vec<Area>,
}

/// The receiving area of one institution.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Area {
    /// The institution's identifier.
    pub institution: String,
    /// What it is called.
    pub institution_name: String,
    /// The folder that deposits are put into, or the address in a bucket.
    pub folder: String,
    /// What there is to say about a look at it that was not possible.
    pub note: Option<String>,
    /// How many bytes are there, uploads under way included; none where there is no quota.
    pub used_bytes: Option<u64>,
    /// How many bytes may be there; none where there is no quota.
    pub quota_bytes: Option<u64>,
    /// What lies there, the newest first.
    pub deposits: Vec<Deposit>,
    /// How many lie there beyond those.
    pub unshown_count: u64,
}

/// Something in a receiving area.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Deposit {
    /// Its name there.
    pub name: String,
    /// Its size; none for a folder.
    pub size_bytes: Option<u64>,
    /// When it was last changed.
    pub changed: Option<String>,
    /// What it is doing there.
    pub state: DepositState,
    /// The same in words.
    pub sentence: String,
    /// The item that says more.
    pub item: Option<u64>,
}

/// What something does in a receiving area.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DepositState {
    /// Somebody still brings it.
    Arriving,
    /// It will be taken.
    Waiting,
    /// An item works on it.
    InProcess,
    /// It is not valid.
    TurnedAway,
    /// Its item waits for a person.
    NeedsAPerson,
    /// Its item has ended, and it stayed.
    Left,
    /// No bag.
    NoBag,
}

impl Desk<'_> {
    /// Refuses who may not deposit for an institution. One that there is not is as good as another's.
    pub fn require_area(&self, institution: &str) -> Result<(), DeskError> {
        let named = self.app.registry.institution_by_identifier(institution)?;
        let own = named.is_some_and(|it| self.owns(Some(it.id))) || self.sight() == Sight::All;
        if own && self.caller.may(Right::Deposit) {
            return Ok(());
        }
        let what = institution.chars().take(200).collect();
        Err(DeskError::NotAllowed { right: Right::Deposit, what })
    }

    /// Refuses to add to an object that the caller may not see, and so could open by what they send.
    pub fn require_name(&self, institution: &str, name: &str) -> Result<(), DeskError> {
        let identifier = format!("{institution}/{}", bag_name(name));
        if self.knows(&identifier)? {
            return Ok(());
        }
        Err(DeskError::NotAllowed { right: Right::Deposit, what: identifier })
    }

    /// Writes down who sent a bag.
    pub fn note_deposit(&self, institution: i64, object: &str) {
        self.note(Note::of(Deed::Deposit).to("object", object).within(Some(institution)));
    }

    /// When the rejected deposit of an item is removed by itself.
    pub(in crate::desk) fn kept_until(&self, item: &ItemRow) -> Option<String> {
        if !is_rejected(item) {
            return None;
        }
        match stay(self.app, item.date_processed) {
            Stay::Until(end) => Some(end.to_string()),
            Stay::UntilRemoved | Stay::Over => None,
        }
    }

    /// Removes the rejected deposit of an item, and lets the item end.
    pub fn remove_deposit(&self, id: u64) -> Result<ItemDetail, DeskError> {
        let item = self.item(id)?.item;
        self.require_area(&item.bucket)?;
        remove_rejected(self.app, id, self.caller.name()).map_err(|why| match why {
            RejectedError::NotRejected => DeskError::NotRejected(id),
            RejectedError::Replaced => DeskError::Replaced(id),
            RejectedError::Failed(fault) => unread(&fault),
        })?;
        let detail = self.item(id)?;
        self.note_item(Deed::RemoveDeposit, &detail, "");
        Ok(detail)
    }

    /// Makes an item of the deposit of one that was cancelled or failed, if it lies there as it was.
    pub fn take_deposit_again(&self, id: u64) -> Result<ItemDetail, DeskError> {
        let item = self.item(id)?.item;
        self.require_area(&item.bucket)?;
        let named = self.app.registry.institution_by_identifier(&item.bucket)?;
        let Some(institution) = named else {
            return Err(AgainError::NotGivenUp(item.id).into());
        };
        let taken = take_again(self.app, &institution, &item, self.caller.name())?;
        let detail = self.item(taken)?;
        self.note_item(Deed::TakeDepositAgain, &detail, "");
        Ok(detail)
    }

    /// Whether the deposit of an item lies in the receiving area with nobody to take it.
    pub(in crate::desk) fn is_takeable(&self, item: &ItemRow) -> bool {
        is_given_up(item) && still_lies(self.app, item)
    }

    /// The receiving areas as they are now.
    pub fn deposits(&self) -> Result<DepositList, DeskError> {
        let (mut areas, mut left) = (Vec::new(), SHOWN_OF_ALL);
        let own = self.institutions_receiving()?.into_iter().filter(|it| self.owns(Some(it.id)));
        for institution in own.take(AREAS) {
            let area = self.area(&institution, left.min(SHOWN))?;
            left -= area.deposits.len();
            areas.push(area);
        }
        Ok(DepositList { areas })
    }

    /// The institutions that may deposit.
    fn institutions_receiving(&self) -> Result<Vec<Institution>, DeskError> {
        institutions(self.app).map_err(|fault| unread(&fault))
    }

    fn area(&self, institution: &Institution, most: usize) -> Result<Area, DeskError> {
        let place = area(&self.app.config, &institution.identifier);
        let mut found = match &place {
            ingest::Area::Folder(folder) => in_folder(self.app, folder)?,
            ingest::Area::Bucket(_) => in_bucket(self.app, &institution.identifier),
        };
        let quota_bytes = self.app.config.ingest.receiving_max_bytes;
        let used_bytes = match &place {
            _ if quota_bytes.is_none() => None,
            ingest::Area::Folder(folder) => {
                let quota = Quota::of(self.app, &institution.identifier, folder);
                quota.and_then(|quota| quota.used().ok())
            }
            ingest::Area::Bucket(_) => {
                self.app.doorstep.seen(&institution.identifier).map(|seen| seen.bytes)
            }
        };
        self.keep_known(institution, &mut found.entries)?;
        let newest = |entry: &Entry| (std::cmp::Reverse(entry.changed), entry.name.clone());
        found.entries.sort_by_cached_key(newest);
        let unshown_count = found.entries.len().saturating_sub(most) as u64 + found.more;
        let shown = found.entries.into_iter().take(most);
        let deposits =
            shown.map(|entry| self.deposit(institution, entry)).collect::<Result<_, _>>()?;
        Ok(Area {
            institution: institution.identifier.clone(),
            institution_name: institution.name.clone(),
            folder: place.to_string(),
            note: found.note,
            used_bytes,
            quota_bytes,
            deposits,
            unshown_count,
        })
    }

    /// Leaves out what becomes, or became, an object that the caller may not know of.
    fn keep_known(
        &self,
        institution: &Institution,
        entries: &mut Vec<Entry>,
    ) -> Result<(), DeskError> {
        let mut failed = None;
        entries.retain(|entry| {
            let name = name_of_draft(&entry.name).unwrap_or(&entry.name);
            let known = self.knows(&format!("{}/{}", institution.identifier, bag_name(name)));
            known.map_err(|error| failed = Some(error)).unwrap_or(false)
        });
        failed.map_or(Ok(()), Err)
    }

    fn deposit(&self, institution: &Institution, entry: Entry) -> Result<Deposit, DeskError> {
        let draft = name_of_draft(&entry.name).map(str::to_owned);
        let (state, sentence, item) = match entry.lying {
            Lying::Arriving => {
                let by = if draft.is_some() { "being uploaded" } else { "arriving" };
                (DepositState::Arriving, format!("still {by}"), None)
            }
            Lying::Hidden => {
                let why = "no bag: names that begin with a dot are passed over";
                (DepositState::NoBag, why.to_owned(), None)
            }
            Lying::Odd(why) => (DepositState::NoBag, format!("no bag: {why}"), None),
            Lying::Still => self.fate(institution, &entry.name, &entry.etag)?,
        };
        Ok(Deposit {
            name: draft.unwrap_or(entry.name),
            size_bytes: entry.size_bytes,
            changed: entry.changed.map(|moment| moment.to_string()),
            state,
            sentence,
            item,
        })
    }

    /// What became of a deposit that is complete.
    fn fate(
        &self,
        institution: &Institution,
        name: &str,
        tag: &str,
    ) -> Result<(DepositState, String, Option<u64>), DeskError> {
        let own = self.newest(&[
            ("name", name),
            ("etag", tag),
            ("institution_id", &institution.id.to_string()),
        ])?;
        if let Some(item) = own {
            let (state, sentence) = of_item(self.app, &item);
            return Ok((state, sentence, Some(item.id.unsigned_abs())));
        }
        let object = format!("{}/{}", institution.identifier, bag_name(name));
        for status in ["Suspended", "Started", "Pending"] {
            let before = self.newest(&[("object_identifier", &object), ("status", status)])?;
            if let Some(item) = before {
                let id = item.id.unsigned_abs();
                let sentence = if item.name == name && gives_way(&item.topic) {
                    format!("waits until item {id}, which it takes the place of, is cleared away")
                } else {
                    format!("waits until item {id}, an earlier deposit of the same object, ends")
                };
                return Ok((DepositState::Waiting, sentence, Some(id)));
            }
        }
        let waits = if self.app.arrivals.waits_for_room(&institution.identifier, name) {
            "waits: there is no room for it below the quota of the receiving area; it is taken when \
             others are preserved or removed"
        } else {
            "waits to be taken"
        };
        Ok((DepositState::Waiting, waits.into(), None))
    }

    fn newest(&self, wanted: &[(&str, &str)]) -> Result<Option<ItemRow>, DeskError> {
        let mut pairs: Vec<(String, String)> =
            wanted.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        pairs.push(("per_page".into(), "1".into()));
        pairs.push(("sort".into(), "id__desc".into()));
        let query = Query::parse(&ITEMS, &pairs)?.counting(Counting::No);
        Ok(self.app.registry.list_items(&query)?.rows.pop())
    }
}

fn unread(fault: &Fault) -> DeskError {
    DeskError::Areas(fault.sentence_or("they cannot be looked at"))
}

/// Whether the deposit of an item was rejected and waits for a person.
pub(super) fn is_rejected(item: &ItemRow) -> bool {
    item.status == "Suspended" && item.reason.as_deref() == Some("rejected")
}

fn of_item(app: &App, item: &ItemRow) -> (DepositState, String) {
    match (item.status.as_str(), item.reason.as_deref()) {
        ("Suspended", Some("rejected")) => {
            let until = match stay(app, item.date_processed) {
                Stay::Until(end) => format!("until {}", end.to_minute()),
                Stay::UntilRemoved | Stay::Over => "until you remove or replace it".to_owned(),
            };
            (DepositState::TurnedAway, format!("rejected: it is not valid. It is kept {until}"))
        }
        ("Suspended", _) => {
            (DepositState::NeedsAPerson, format!("needs a person at {}", item.stage))
        }
        ("Cancelled" | "Failed", _) => {
            let sentence =
                "its item has ended; it stays until you have it taken again, remove or replace it";
            (DepositState::Left, sentence.into())
        }
        ("Success", _) => (DepositState::InProcess, "preserved; it is about to go".into()),
        (_, _) => (DepositState::InProcess, format!("in process at {}", item.stage)),
    }
}
