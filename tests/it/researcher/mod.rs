//! Researchers in the house, on other machines, and out of a folder.

mod built_in;
mod media;
mod packs;
mod remote;
mod sound;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::house::House;

/// Where recordings lie, and which.
struct Shelf {
    folder: PathBuf,
}

impl Shelf {
    fn at(folder: &Path) -> Shelf {
        let folder = folder.join("recordings");
        fs::create_dir_all(&folder).unwrap();
        Shelf { folder: folder.canonicalize().unwrap() }
    }

    /// What lets the appliance read them.
    fn toml(&self, rest: &str) -> String {
        format!("[research]\nmedia_folders = [{:?}]\n{rest}\n", self.folder)
    }

    fn put(&self, name: &str, bytes: &[u8]) -> Value {
        let path = self.folder.join(name);
        storage::durable::write(&path, bytes, false).unwrap();
        recording(name, &json!({"kind": "file", "path": path}))
    }
}

fn recording(title: &str, location: &Value) -> Value {
    json!({"title": title, "location": location})
}

fn wish(recordings: &[Value]) -> String {
    json!({"recordings": recordings}).to_string()
}

fn add(house: &House, kind: &str, recordings: &[Value]) {
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
