//! Ingest from the receiving area to the sealed object, with real files, vaults and registry.

mod absence;
mod again;
mod bucket;
mod claims;
pub(crate) mod cold;
mod cold_replicas;
mod disk;
mod disk_model;
mod doorstep;
mod events;
pub(crate) mod export;
mod flow;
mod folders;
mod kept;
mod kill;
mod meanwhile;
mod named_profile;
mod newer;
pub(crate) mod ocfl;
mod options;
pub(crate) mod power;
mod premis;
mod progress;
mod quota;
mod rebuild;
mod registry;
mod reliance;
mod replicas;
mod retention;
mod settings;
pub(crate) mod site;
mod stages;
mod staging;
mod waiting;

use std::fmt::Write;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use digests::{Algorithm, digest_buffers};
use storage::registry::{FILES, OBJECTS, Query};
use storage::testing::ManualClock;
use storage::work::item::ItemId;
use strongroom::app::{App, OnDamage};
use strongroom::config::ProfileChoice;
use strongroom::ingest::Receiving;
use strongroom::work::{Flow, Sweep};

use crate::harness::{Opened, Rig, until_unlocked};

pub(crate) use site::keys;

pub(crate) const INSTITUTION: &str = "archive.local";

pub(crate) fn hex(algorithm: Algorithm, bytes: &[u8]) -> String {
    let digests = digest_buffers([algorithm].into_iter().collect(), &[bytes]);
    digests[0].hex(algorithm).unwrap()
}

/// Files with their paths in a bag.
pub(crate) type Files = Vec<(String, Vec<u8>)>;

/// The files of a valid bag of the APTrust profile, by their paths in it.
pub(crate) fn bag(payload: &[(&str, &[u8])]) -> Files {
    let mut files: Files = vec![
        ("bagit.txt".into(), b"BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n".to_vec()),
        ("bag-info.txt".into(), b"Source-Organization: An archive\n".to_vec()),
        (
            "aptrust-info.txt".into(),
            b"Title: Letters\nAccess: Institution\nStorage-Option: Standard\n".to_vec(),
        ),
    ];
    for (algorithm, name) in [(Algorithm::Md5, "md5"), (Algorithm::Sha256, "sha256")] {
        let mut manifest = String::new();
        for (path, bytes) in payload {
            writeln!(manifest, "{}  data/{path}", hex(algorithm, bytes)).unwrap();
        }
        files.push((format!("manifest-{name}.txt"), manifest.into_bytes()));
    }
    files.extend(payload.iter().map(|(path, bytes)| (format!("data/{path}"), bytes.to_vec())));
    files
}

pub(crate) const LETTERS: &[(&str, &[u8])] = &[
    ("a.txt", b"alpha\n"),
    ("copy of a.txt", b"alpha\n"),
    ("deep/er/b.xml", b"<?xml version=\"1.0\"?>\n<b/>\n"),
    ("empty", b""),
];

pub(crate) fn write_tar(path: &Path, top: &str, files: &[(String, Vec<u8>)]) {
    let mut tar = tar::Builder::new(File::create(path).unwrap());
    for (name, bytes) in files {
        let mut header = tar::Header::new_ustar();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        header.set_mtime(1_600_000_000);
        tar.append_data(&mut header, format!("{top}/{name}"), bytes.as_slice()).unwrap();
    }
    tar.into_inner().unwrap().sync_all().unwrap();
}

/// An appliance with time by hand, and replicas in two folders.
pub(crate) fn rig(flows: &'static [Flow<App>]) -> Rig<App> {
    site::rig_at(flows, site::FOLDERS, &Arc::default())
}

/// The same under a configuration file.
pub(crate) fn rig_configured(flows: &'static [Flow<App>], toml: String) -> Rig<App> {
    Rig::around(flows, move |dir, clock| {
        let data = dir.join("data");
        Box::new(move || open(flows, &data, clock.clone(), (&toml, &ProfileChoice::Named)))
    })
}

/// Opens a data directory under a configuration file.
pub(crate) fn open(
    flows: &'static [Flow<App>],
    data: &Path,
    clock: Arc<ManualClock>,
    (toml, profile): (&str, &ProfileChoice),
) -> Opened<App> {
    let mut config = crate::house::config(data, "127.0.0.1:0", toml, &[], flows);
    // The usual choice leaves it to the configuration file.
    if *profile != ProfileChoice::Named {
        config.ingest.profile = profile.clone();
    }
    let open = || App::open(config.clone(), flows, clock.clone(), OnDamage::Refuse);
    let app = Arc::new(until_unlocked(open));
    let shop = Arc::clone(&app.shop);
    (app, shop)
}

fn receiving(rig: &Rig<App>) -> PathBuf {
    let folder = rig.app().config.receiving_folder().unwrap().join(INSTITUTION);
    byteio::durable::create_folder(&folder).unwrap();
    folder
}

/// Puts something into the receiving area that has been still for long, and sweeps.
pub(crate) fn deposit(rig: &Rig<App>, name: &str, make: impl FnOnce(&Path)) -> Option<ItemId> {
    let path = receiving(rig).join(name);
    make(&path);
    let before: Vec<ItemId> = rig.items().iter().map(|item| item.id).collect();
    Receiving.sweep(rig.app(), 100).unwrap();
    // What was just written is not still before its time.
    if rig.items().len() == before.len() {
        make_old(&path);
        Receiving.sweep(rig.app(), 100).unwrap();
    }
    rig.items().iter().map(|item| item.id).find(|id| !before.contains(id))
}

/// Says that it was changed long ago, and everything below it.
fn make_old(path: &Path) {
    for entry in path.is_dir().then(|| fs::read_dir(path).unwrap()).into_iter().flatten() {
        make_old(&entry.unwrap().path());
    }
    let old = std::time::SystemTime::UNIX_EPOCH + Duration::from_secs(1_600_000_000);
    File::open(path).unwrap().set_modified(old).unwrap();
}

pub(crate) fn deposit_letters(rig: &Rig<App>) -> ItemId {
    deposit(rig, "letters.tar", |path| write_tar(path, "letters", &bag(LETTERS))).unwrap()
}

/// Everything below a folder with its content, but for what holds times.
pub(crate) fn tree(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).into_iter().flatten() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(folder).unwrap().display().to_string();
            if path.is_dir() {
                folders.push(path);
            } else if ["inventory.json", "replica.json", ".jsonl"]
                .iter()
                .any(|it| name.contains(it))
            {
                found.push(name);
            } else {
                found.push(format!("{name} {}", hex(Algorithm::Sha256, &fs::read(&path).unwrap())));
            }
        }
    }
    found.sort();
    found
}

/// Everything in the buckets of a server. It keeps objects as files; what it knows of them, and what
/// was broken off, in others.
pub(crate) fn tree_of_server(folder: &Path) -> Vec<String> {
    let its_own = |it: &String| [".bucket-", ".tmp."].iter().any(|its| it.starts_with(its));
    tree(folder).into_iter().filter(|it| !its_own(it)).collect()
}

/// What is held, seen by readers of the vaults and of the registry; no times.
pub(crate) fn held(rig: &Rig<App>) -> String {
    let app = rig.app();
    let mut told = tree(&app.config.data.join("vault"));
    told.extend(tree_of_server(&rig.dir().join("s3")));
    for object in app.registry.list_objects(&Query::all(&OBJECTS)).unwrap().rows {
        let events = app.registry.deposits(object.id, 10).unwrap().len();
        told.push(format!(
            "{} v{} {} files {} bytes, {events} deposits, {}",
            object.identifier, object.version, object.file_count, object.size, object.title
        ));
    }
    for file in app.registry.list_files(&Query::all(&FILES)).unwrap().rows {
        let copies = app.registry.copies(file.id, file.version).unwrap().len();
        told.push(format!(
            "{} v{} {} {} {} {copies} copies",
            file.path, file.version, file.puid, file.content_path, file.uuid
        ));
    }
    told.extend(tree(&app.config.staging()).into_iter().map(|it| format!("staging {it}")));
    if let Some(receiving) = app.config.receiving_folder() {
        told.extend(tree(&receiving).into_iter().map(|it| format!("receiving {it}")));
    }
    told.join("\n")
}
