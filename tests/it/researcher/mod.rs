//! Researchers in the house, on other machines, and out of a folder.

mod bad_recordings;
mod bad_researchers;
mod batches;
mod built_in;
mod long_recordings;
mod media;
mod packs;
mod pages;
mod remote;
mod returned_packs;
pub(crate) mod sound;
mod stage;
mod stopping;
mod tokens;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use strongroom::researcher::{Bench, InHouse, Office, Wish, research};

use crate::house::House;

/// Where recordings lie, and which.
pub(crate) struct Shelf {
    pub(crate) folder: PathBuf,
}

impl Shelf {
    pub(crate) fn at(folder: &Path) -> Shelf {
        let folder = folder.join("recordings");
        fs::create_dir_all(&folder).unwrap();
        Shelf { folder: folder.canonicalize().unwrap() }
    }

    /// What lets the appliance read them.
    pub(crate) fn toml(&self, rest: &str) -> String {
        format!("[research]\nmedia_folders = [{:?}]\n{rest}\n", self.folder)
    }

    pub(crate) fn put(&self, name: &str, bytes: &[u8]) -> Value {
        let path = self.folder.join(name);
        byteio::durable::write(&path, bytes, false).unwrap();
        recording(name, &json!({"kind": "file", "path": path}))
    }
}

pub(crate) fn recording(title: &str, location: &Value) -> Value {
    json!({"title": title, "location": location})
}

fn wish(recordings: &[Value]) -> String {
    json!({"recordings": recordings}).to_string()
}

pub(crate) fn add(house: &House, kind: &str, recordings: &[Value]) {
    house.command(&format!("/api/v1/research/{kind}"), &wish(recordings)).is(200);
}

/// Where clips were found in an episode, to the nearest tenth of a second: `(clip, seconds)`.
fn found(episode: &Value) -> Vec<(u64, f64)> {
    let mut all = Vec::new();
    for pair in episode["found"].as_array().unwrap() {
        for it in pair["occurrences"].as_array().unwrap() {
            let tenths = (it["offset_ns"].as_f64().unwrap() / 1e8).round();
            all.push((pair["clip"].as_u64().unwrap(), tenths / 10.0));
        }
    }
    all
}

/// Lets a researcher of the house do all there is to do, here and now.
pub(crate) fn search_all(house: &House) {
    let (office, bench) = (InHouse::new(house.app(), "house-1"), Bench::new(1));
    while let Some(work) = office.next_work().unwrap() {
        research(&office, (&bench, &*house.app().shop.clock), &work, &|| Wish::GoOn);
    }
}

/// Takes work for somebody who is not heard of again; the name of the lease.
pub(crate) fn hold_back(house: &House, episode: &Value) -> String {
    add(house, "episodes", std::slice::from_ref(episode));
    let work = InHouse::new(house.app(), "cellar").next_work().unwrap();
    work.expect("there is work").lease
}
