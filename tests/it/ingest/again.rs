//! A deposit that nobody works on any more is taken again when a person asks for it, and not before.

use std::fs;
use std::path::Path;

use storage::work::item::ItemId;
use strongroom::app::App;
use strongroom::flows::FLOWS;
use strongroom::ingest::Receiving;
use strongroom::work::Sweep;

use super::{bag, deposit, deposit_letters, held, receiving, rig, write_tar};
use crate::harness::Rig;

fn again(rig: &Rig<App>, id: ItemId) -> Result<ItemId, String> {
    rig.app().copy().unwrap();
    let taken = rig.app().desk().take_deposit_again(id.0).map_err(|error| error.to_string())?;
    Ok(ItemId(taken.item.id.unsigned_abs()))
}

fn offers(rig: &Rig<App>, id: ItemId) -> bool {
    rig.app().copy().unwrap();
    rig.app().desk().item(id.0).unwrap().takeable
}

#[test]
fn a_deposit_whose_item_was_cancelled_or_emptied_out_is_taken_again() {
    for emptied in [false, true] {
        let rig = rig(FLOWS);
        let id = deposit_letters(&rig);
        assert!(!offers(&rig, id), "it is worked on");
        assert!(again(&rig, id).unwrap_err().contains("no ingest that was cancelled"), "not yet");
        match emptied {
            true => drop(rig.app().desk().empty(None).unwrap()),
            false => drop(rig.app().desk().cancel(id.0).unwrap()),
        }
        rig.drain_all();
        assert_eq!(rig.word(id), "cancelled");
        rig.app().copy().unwrap();
        Receiving.sweep(rig.app(), 100).unwrap();
        // What has ended is the registry's alone.
        assert_eq!(rig.items().len(), 0, "the sweep leaves it alone");
        let listed = rig.app().desk().deposits().unwrap().areas.remove(0).deposits.remove(0);
        assert!(listed.sentence.contains("have it taken again"), "{}", listed.sentence);
        assert!(offers(&rig, id));
        let second = again(&rig, id).unwrap();
        assert_ne!(second, id);
        assert!(again(&rig, id).unwrap_err().contains("has to end first"), "only once");
        rig.drain_all();
        assert_eq!(rig.word(second), "finished", "{:#?}", rig.history(second));
        let first = rig.app().desk().item(id.0).unwrap().item;
        assert_eq!(first.status, "Cancelled", "the first stays as it is");
        assert!(held(&rig).contains("archive.local/letters v1"), "{}", held(&rig));
        assert!(!offers(&rig, id) && !offers(&rig, second));
        assert!(again(&rig, id).unwrap_err().contains("no longer in the receiving area"));
        assert!(again(&rig, second).unwrap_err().contains("no ingest that was cancelled"));
    }
}

#[test]
fn a_deposit_that_was_replaced_or_removed_is_not_taken_again() {
    let rig = rig(FLOWS);
    let id = deposit_letters(&rig);
    rig.app().desk().cancel(id.0).unwrap();
    rig.drain_all();
    let path = receiving(&rig).join("letters.tar");
    write_tar(&path, "letters", &bag(&[("newer.txt", b"newer\n")]));
    assert!(!offers(&rig, id));
    assert!(again(&rig, id).unwrap_err().contains("as it was when it was taken"));
    // The sweep finds the newer one by itself; while it is under way the older stays where it is.
    let make = |path: &Path| write_tar(path, "letters", &bag(&[("last.txt", b"last\n")]));
    let newer = deposit(&rig, "letters.tar", make).unwrap();
    rig.drain_all();
    assert_eq!(rig.word(newer), "finished", "{:#?}", rig.history(newer));
    assert!(!path.try_exists().unwrap());
    fs::create_dir_all(receiving(&rig)).unwrap();
    assert!(again(&rig, id).unwrap_err().contains("nothing was changed"));
}
