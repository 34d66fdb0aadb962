//! From plan to bag.

use std::io;
use std::path::Path;

use digests::{Digests, Source, digest_source};

use super::check::check_rules;
use super::draft::Draft;
use super::gather::{self, Item, Remarks, total_bytes};
use super::manifest::Manifests;
use super::place::Place;
use super::plan::{Content, Entry, Form, Made, MakeError, Plan, Sheet};
use super::pour::{Gauge, pour};
use super::tags;
use crate::code::Code;

/// Makes a bag. On any error there is nothing under the final name.
///
/// What is wrong with the plan or its input is told all at once, before anything is written; what
/// goes wrong while files are read ends the work with what was found until then.
pub fn create(plan: &Plan<'_>) -> Result<Made, MakeError> {
    let mut remarks = Remarks::default();
    check_plan(plan, &mut remarks);
    let mut payload = gather::payload(plan, &mut remarks)?;
    let given = gather::tag_files(plan, &mut remarks);
    let sheets = tags::sheets(plan, &payload, &mut remarks);
    tags::judge(plan, &sheets, &payload, &mut remarks);
    if remarks.refusal() {
        return Err(MakeError::Refused(remarks.0));
    }
    let draft = Draft::beside(&plan.target)?;
    let place = write(plan, &sheets, given, &mut payload, draft.folder())?;
    draft.publish(place.path(), &plan.target)?;
    Ok(Made {
        path: plan.target.clone(),
        payload_count: payload.len() as u64,
        payload_bytes: total_bytes(&payload),
        findings: remarks.0,
    })
}

fn check_plan(plan: &Plan<'_>, remarks: &mut Remarks) {
    if plan.algorithms.is_empty() {
        let sentence = "Choose at least one digest algorithm; sha512 is the best one.";
        remarks.add(Code::PlanAlgorithms, "the plan", sentence);
    }
    let name = plan.name.as_str();
    let odd = name.is_empty() || name.len() > 255 || [".", ".."].contains(&name);
    if odd || name.contains(['/', '\\']) || name.chars().any(char::is_control) {
        let sentence = "The name of a bag must be a file name of at most 255 bytes, without \
                        slashes and control characters.";
        remarks.add(Code::PlanNameUnusable, name, sentence);
    } else if plan.form == Form::Tar {
        // It is the top folder, and judged as one.
        check_rules(name, remarks);
    }
    if plan.target.file_name().is_none() {
        let sentence = "The target must end in a file name.";
        remarks.add(Code::PlanNameUnusable, &plan.target.to_string_lossy(), sentence);
    }
}

/// Writes the whole bag into the draft.
fn write<'p>(
    plan: &Plan<'_>,
    sheets: &[Sheet],
    given: Vec<Item<'p>>,
    payload: &mut [Item<'p>],
    draft: &Path,
) -> Result<Place, MakeError> {
    let mut place = match plan.form {
        Form::Folder(placing) => Place::folder(draft.join("bag"), placing)?,
        Form::Tar => Place::tar(draft.join("bag.tar"), &plan.name)?,
    };
    // In a folder, manifests grow where they stay; in a tar, nobody knows their length before.
    let manifest_folder = match plan.form {
        Form::Folder(_) => place.path().to_owned(),
        Form::Tar => draft.to_owned(),
    };
    let own = tags::entries(sheets);
    let mut tag_items: Vec<Item<'_>> = own.iter().map(whole).collect();
    tag_items.extend(given);
    place.prepare(plan, &mut tag_items)?;
    // Also when nothing is in it.
    place.make_folders(plan, "data")?;
    place.prepare(plan, payload)?;

    let total_bytes = total_bytes(&tag_items) + total_bytes(payload);
    let gauge = Gauge::new(tag_items.len() + payload.len(), total_bytes);
    let mut listed: Vec<(String, Digests)> = Vec::new();
    pour(plan, &place, &tag_items, &gauge, |item, digests| {
        listed.push((item.path.clone(), digests.clone()));
        Ok(())
    })?;
    let mut manifests = Manifests::start(&manifest_folder, "manifest", plan.algorithms)?;
    pour(plan, &place, payload, &gauge, |item, digests| manifests.add(&item.path, digests))?;
    listed.extend(seal(plan, &mut place, manifests)?);

    listed.sort_by(|a, b| a.0.cmp(&b.0));
    let mut manifests = Manifests::start(&manifest_folder, "tagmanifest", plan.algorithms)?;
    for (path, digests) in &listed {
        manifests.add(path, digests)?;
    }
    seal(plan, &mut place, manifests)?;
    place.finish()?;
    Ok(place)
}

/// Finishes manifests, puts them into a tar, and digests them.
fn seal(
    plan: &Plan<'_>,
    place: &mut Place,
    manifests: Manifests,
) -> Result<Vec<(String, Digests)>, MakeError> {
    let mut listed = Vec::new();
    for path in manifests.finish()? {
        let unreadable = |source| MakeError::Write { path: path.clone(), source };
        let read = digest_source(Source::File(path.clone()), plan.algorithms);
        let read = read.map_err(|error| unreadable(io::Error::other(error)))?;
        let entry = Entry {
            path: path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            size_bytes: read.size_bytes,
            modified: None,
            expected: None,
            content: Content::File(path.clone()),
        };
        // In a folder they are where they belong.
        if let Place::Tar { .. } = place {
            let mut items = [whole(&entry)];
            place.prepare(plan, &mut items)?;
            let [item] = items;
            let copied =
                place.open(plan, &item).and_then(|mut tee| io::copy(&mut tee, &mut io::sink()));
            copied.map_err(unreadable)?;
        }
        listed.push((entry.path, read.digests));
    }
    Ok(listed)
}

fn whole<'p>(entry: &'p Entry<'p>) -> Item<'p> {
    gather::item(entry, entry.path.clone())
}
