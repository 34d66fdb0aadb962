//! Restorations: asked for, under way, and lying in the areas until their time is over.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use storage::registry::{Counting, Deed, FileRow, ITEMS, ItemRow, ObjectRow, Query};

use super::{Desk, DeskError, Rehearsals};
use crate::accounts::Note;
use crate::fault::Fault;
use crate::restore::{Asks, Slip, Unwished, Wish, is_cold, slips};
use crate::rights::{Right, Sight};

/// Restorations under way that are listed.
const UNDER_WAY: &str = "100";
/// Versions of one file that are looked through.
const VERSIONS: u32 = 100_000;

/// A restoration that was asked for.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AskedRestoration {
    /// The item that does it.
    pub item: ItemRow,
    /// Whether it was asked for before and is still under way.
    pub joined: bool,
}

/// All restorations that people may want to know of.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RestorationList {
    /// What is still to be done, or waits for a person, the newest first.
    pub under_way: Vec<ItemRow>,
    /// What lies in the areas, the newest first.
    pub restorations: Vec<Restoration>,
    /// How rehearsals went.
    pub rehearsals: Rehearsals,
}

/// Something that was restored.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Restoration {
    /// What it is, where, since when and for whom.
    #[serde(flatten)]
    pub slip: Slip,
    /// When it is removed.
    pub expires_at: String,
    /// Whether that is soon.
    pub expires_soon: bool,
    /// Whether it is still there.
    pub is_there: bool,
}

impl Desk<'_> {
    /// Asks for an object, by its number or identifier, as it is or as it was in a version.
    pub fn restore_object(
        &self,
        which: &str,
        version: Option<u32>,
    ) -> Result<AskedRestoration, DeskError> {
        let object = self.held_object(which)?;
        self.require_own(&object, Right::Restore)?;
        self.refuse_going(&object)?;
        self.ask_for(&Wish::object(&object, version)?, &object, None)
    }

    /// What is being deleted is not restored meanwhile. Until the cooling-off period is over it is.
    fn refuse_going(&self, object: &ObjectRow) -> Result<(), DeskError> {
        let now = self.app.shop.clock.now();
        let part = self.app.registry.approved_deletion_of(object.id)?;
        match part.filter(|part| part.is_due(now)) {
            Some(_) => Err(Unwished::Going(object.identifier.clone()).into()),
            None => Ok(()),
        }
    }

    /// Asks for a file, by its number, UUID or identifier, as it is or as it was in a version of its
    /// object.
    pub fn restore_file(
        &self,
        which: &str,
        version: Option<u32>,
    ) -> Result<AskedRestoration, DeskError> {
        let file: FileRow = self.file(which)?.file;
        let object = self.held_object(&file.intellectual_object_id.to_string())?;
        self.require_own(&object, Right::Restore)?;
        self.refuse_going(&object)?;
        let versions = self.app.registry.file_versions(file.id, VERSIONS)?;
        let wish = Wish::file(&versions, version)?;
        let wanted = versions.iter().find(|it| it.version == wish.version);
        self.ask_for(&wish, &object, wanted)
    }

    fn ask_for(
        &self,
        wish: &Wish,
        object: &ObjectRow,
        file: Option<&FileRow>,
    ) -> Result<AskedRestoration, DeskError> {
        let is_cold = is_cold(self.app, object).map_err(areas)?;
        let user = self.caller.name();
        let item = wish.item(object, Asks { user, file, is_cold });
        let pushed = self.app.shop.queue.push(item)?;
        let note = Note::of(Deed::Restore).to("object", &object.identifier);
        self.note(
            note.within(Some(object.institution_id)).saying(wish.path.clone().unwrap_or_default()),
        );
        Ok(AskedRestoration { item: self.item(pushed.id.0)?.item, joined: !pushed.new })
    }

    /// What is under way, and what lies in the areas.
    pub fn restorations(&self) -> Result<RestorationList, DeskError> {
        self.app.mirror.copy()?;
        // Topic after topic: each has an index in the order of the list, all together have none.
        let mut under_way = Vec::new();
        for topic in ["restore_glacier", "restore_object", "restore_file"] {
            let wanted = [
                ("topic", topic),
                ("status__in", "Pending"),
                ("status__in", "Started"),
                ("status__in", "Suspended"),
                ("per_page", UNDER_WAY),
            ];
            let pairs = wanted.map(|(name, value)| (name.to_owned(), value.to_owned()));
            let query = Query::parse(&ITEMS, &pairs)?.counting(Counting::No);
            under_way.extend(self.app.registry.list_items(&query.seen_by(self.sight()))?.rows);
        }
        under_way.sort_by_key(|item| std::cmp::Reverse(item.id));
        let found = self.own_slips()?;
        Ok(RestorationList {
            rehearsals: self.rehearsals()?,
            under_way,
            restorations: found.into_iter().map(|slip| self.restoration(slip)).collect(),
        })
    }

    /// The file that an item restored.
    pub fn restored_file(&self, item: u64) -> Result<PathBuf, DeskError> {
        let found = self.own_slips()?;
        let slip = found.into_iter().find(|slip| slip.item == item && slip.path.is_file());
        Ok(slip.ok_or(DeskError::NotRestored(item))?.path)
    }

    /// What was restored of what this caller may see. The areas keep it for everybody.
    fn own_slips(&self) -> Result<Vec<Slip>, DeskError> {
        let mut found = slips(self.app).map_err(areas)?;
        if self.sight() != Sight::All {
            let mut own = Vec::new();
            for slip in found {
                let object = self.app.registry.object_by_identifier(&slip.object_identifier)?;
                let sees = |it: ObjectRow| self.sight().sees(it.institution_id, it.access.name());
                if object.is_some_and(sees) {
                    own.push(slip);
                }
            }
            found = own;
        }
        Ok(found)
    }

    fn restoration(&self, slip: Slip) -> Restoration {
        Restoration {
            expires_at: slip.expires(self.app).to_string(),
            expires_soon: slip.expires_soon(self.app),
            is_there: slip.path.is_file(),
            slip,
        }
    }
}

fn areas(fault: Fault) -> DeskError {
    DeskError::Restoring(fault.sentence_or("they cannot be listed"))
}
