//! Cold storage in a check: what a replica lacks is found without reading content, and an object that no
//! other replica holds is not checked.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};

use ocfl::{Examined, Expected, Flaw, Found, ObjectId, Part, Replica, Sighting, Sought, Truth};
use storage::registry::{HeldContent, ObjectRow};
use storage::work::item::Reason;

use crate::app::App;
use crate::fault::Fault;
use crate::work::Job;

/// Copies that are asked for between two checkpoints.
const BATCH: usize = 500;

/// Finds what a replica in cold storage lacks of an object: what describes the object is read, content
/// is asked for.
pub(super) fn examine(
    job: &Job<'_, App>,
    object: &ObjectRow,
    replica: &Replica,
    truth: &Truth<'_>,
) -> Result<Examined, Fault> {
    let mut flaws = Vec::new();
    let mut batch = Batch { job, object: truth.object(), replica, copies: Vec::new() };
    // Files with the same bytes share a copy. Thirty-two bytes a copy are kept, whatever its path.
    let (mut asked, hashing) = (HashSet::new(), [RandomState::new(), RandomState::new()]);
    job.app.registry.walk_contents(object.id, &mut |content: HeldContent| {
        let name = hashing.each_ref().map(|hashing| hashing.hash_one(&content.content_path));
        if asked.insert(name) {
            batch.copies.push(sought(content));
        }
        if batch.copies.len() == BATCH {
            batch.ask(&mut flaws)?;
        }
        Ok::<_, Fault>(())
    })?;
    batch.ask(&mut flaws)?;
    flaws.extend(replica.examine_frame(truth)?);
    flaws.sort_by(|a, b| (a.part, &a.path).cmp(&(b.part, &b.path)));
    Ok(Examined { flaws, ..Examined::default() })
}

fn sought(content: HeldContent) -> Sought<(String, [u8; 64])> {
    let (sha512, size_bytes) = (content.sha512, Some(content.size_bytes));
    let key = (content.content_path.clone(), sha512);
    Sought {
        copy: Expected { key, content_path: content.content_path, sha512, size_bytes },
        md5: content.md5.iter().map(|byte| format!("{byte:02x}")).collect(),
    }
}

/// Copies that are asked for together.
struct Batch<'b, 'j> {
    job: &'b Job<'j, App>,
    object: &'b ObjectId,
    replica: &'b Replica,
    copies: Vec<Sought<(String, [u8; 64])>>,
}

impl Batch<'_, '_> {
    fn ask(&mut self, flaws: &mut Vec<Flaw>) -> Result<(), Fault> {
        self.job.checkpoint()?;
        let copies = std::mem::take(&mut self.copies);
        for ((path, sha512), sighting) in self.replica.look_for(self.object, copies)? {
            let found = match sighting {
                Sighting::There => continue,
                Sighting::Missing => Found::Missing,
                Sighting::Differs => {
                    Found::Unreadable { why: "its size or checksum is another one".into() }
                }
            };
            flaws.push(Flaw { part: Part::Content, path, expected: Some(sha512), found });
        }
        Ok(())
    }
}

/// Why a check fails that found no replica to read.
pub(super) fn reason(app: &App, object: &ObjectRow) -> Result<Reason, Fault> {
    let mut lacking = Vec::new();
    let option = app.vaults.option(&object.storage_option);
    for name in option.iter().flat_map(|option| &option.replicas) {
        if app.registry.missing_in(object.id, name)? > 0 {
            lacking.push(name.as_str());
        }
    }
    let (option, lacking) = (&object.storage_option, lacking.join(", "));
    let advice = match lacking.is_empty() {
        true => {
            "Restore the object to have its copies read: they are compared with their digests on \
                 the way. Deposit it again to have them asked for."
                .to_owned()
        }
        false => format!(
            "It cannot be copied to {lacking}: take that out of the storage option {option}, or \
             configure the hot replica again that held the object."
        ),
    };
    Ok(Reason {
        code: "only-cold".into(),
        happened:
            "No hot replica that is configured holds the object, and copies in cold storage are \
                   not read by a check."
                .into(),
        kept: "Every copy is kept where it is. None was read.".into(),
        advice,
    })
}
