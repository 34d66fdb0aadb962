//! Where the replicas of a test lie, and what is deposited there under bad conditions.

use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

use storage::work::item::{ItemId, State};
use strongroom::app::App;
use strongroom::config::ProfileChoice;
use strongroom::work::Flow;

use super::{Files, LETTERS, bag, deposit, export, held, open, write_tar};
use crate::harness::Rig;
use crate::s3::{Door, SECRET, Server, write_keys};

/// Where a replica lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Folder,
    Bucket,
}

pub(super) const FOLDERS: [Place; 2] = [Place::Folder; 2];
pub(super) const MIXED: [Place; 2] = [Place::Folder, Place::Bucket];
pub(super) const BUCKETS: [Place; 2] = [Place::Bucket; 2];

/// An appliance with its replicas `a` and `b` in these places; buckets are behind the door.
pub(super) fn rig_at(
    flows: &'static [Flow<App>],
    places: [Place; 2],
    door: &Arc<Door>,
) -> Rig<App> {
    rig_judging_at(flows, places, door, ProfileChoice::Named)
}

pub(super) fn rig_judging_at(
    flows: &'static [Flow<App>],
    places: [Place; 2],
    door: &Arc<Door>,
    profile: ProfileChoice,
) -> Rig<App> {
    let door = Arc::clone(door);
    Rig::around(flows, move |dir, clock| {
        let data = dir.join("data");
        let server = places
            .contains(&Place::Bucket)
            .then(|| Server::start(&dir.join("s3"), &["bucket-a", "bucket-b"], door));
        write_keys(&keys(dir), SECRET);
        let toml = toml(dir, places, server.as_ref());
        Box::new(move || {
            // The server ends with the rig.
            let _open = &server;
            open(flows, &data, clock.clone(), (&toml, &profile))
        })
    })
}

/// The file with the keys of the buckets of a rig.
pub(crate) fn keys(dir: &Path) -> std::path::PathBuf {
    dir.join("keys")
}

/// The part of a configuration file that says where the replicas lie.
pub(super) fn toml(dir: &Path, places: [Place; 2], server: Option<&Server>) -> String {
    let mut toml = String::new();
    for (name, place) in ["a", "b"].iter().zip(places) {
        match (place, server) {
            (Place::Bucket, Some(Server { endpoint, .. })) => writeln!(
                toml,
                "[replica.{name}]\nurl = \"s3://bucket-{name}\"\nendpoint = \"{endpoint}\"\n\
                 allow_http = true\ncredentials = \"{}\"",
                keys(dir).display()
            ),
            _ => writeln!(toml, "[replica.{name}]\nurl = \"vault/{name}\""),
        }
        .unwrap();
    }
    toml
}

/// Two deposits of one object: a first, and one that changes a file, adds one and drops the rest.
/// With large files if these shall be sent in parts.
pub(super) fn deposits(is_large: bool) -> [Files; 2] {
    let large = vec![0xff; if is_large { (8 << 20) + 1 } else { 5000 }];
    let mut first = LETTERS.to_vec();
    first.push(("large", &large));
    [bag(&first), bag(&[("a.txt", b"ALPHA\n"), ("new.txt", b"new\n"), ("empty", b"")])]
}

/// Brings both deposits to their end, each as `walk` does it; tells what is held then.
pub(super) fn story(
    rig: &mut Rig<App>,
    bags: &[Files],
    walk: &mut dyn FnMut(&mut Rig<App>, ItemId),
) -> String {
    for files in bags {
        let make = |path: &Path| write_tar(path, "letters", files);
        let id = deposit(rig, "letters.tar", make).unwrap();
        walk(rig, id);
        assert_eq!(rig.word(id), "finished", "{:#?}", rig.history(id));
    }
    all_held(rig)
}

/// What is held, in the vaults and in the whole export; nothing is half done or left behind.
pub(super) fn all_held(rig: &Rig<App>) -> String {
    let registry = &rig.app().registry;
    assert_eq!(registry.check().unwrap(), Vec::new());
    assert_eq!(registry.unsealed_deposits(10).unwrap(), Vec::new());
    format!("{}\n{}", held(rig), export::of_registry(registry).join("\n"))
}

/// Lets time pass until the item has ended; where it waits for a person, one comes and requeues it.
/// Says what the person was told each time.
pub(super) fn home(rig: &Rig<App>, id: ItemId) -> Vec<String> {
    let mut told = Vec::new();
    for _ in 0..20 {
        rig.drain_all();
        let State::Parked { because } = rig.item(id).state else { break };
        told.push(because.code);
        rig.controls().requeue(id, None, "the test").unwrap();
    }
    told
}
