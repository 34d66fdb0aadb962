use std::fs;
use std::ops::Range;
use std::process::{Command, Stdio};

use storage::work::dossier::Dossier;
use storage::work::item::ItemId;

use crate::room::Room;

#[test]
fn a_dossier_holds_the_whole_files_and_results_of_one_item() {
    let mut room = Room::new();
    let (mine, other) = (room.push("a"), room.push("a"));
    for id in [mine, other] {
        let dossier = Dossier::of(room.store(), id);
        assert!(dossier.is_empty().unwrap());
        dossier.put_whole(&id.0).unwrap();
        dossier.put_result("fetch", &format!("fetched {id}")).unwrap();
        let names: Vec<_> = (0..25).map(|at| format!("data/{at:03}\0é").into_bytes()).collect();
        let sizes: Vec<u64> = (0..25).collect();
        dossier.put_files(names.iter().map(Vec::as_slice).zip(&sizes)).unwrap();
    }
    room.store().barrier().unwrap();
    room.restart();

    let dossier = Dossier::of(room.store(), mine);
    assert_eq!(dossier.whole::<u64>().unwrap(), Some(mine.0));
    assert_eq!(dossier.result::<String>("fetch").unwrap(), Some(format!("fetched {mine}")));
    assert_eq!(dossier.result::<String>("store").unwrap(), None);
    assert_eq!(dossier.file::<u64>("data/007\0é".as_bytes()).unwrap(), Some(7));
    let mut seen: Vec<(Vec<u8>, u64)> = Vec::new();
    while let page = dossier.files(seen.last().map(|(name, _)| name.as_slice()), 10).unwrap()
        && !page.is_empty()
    {
        seen.extend(page);
    }
    assert_eq!(seen.iter().map(|(_, size)| *size).collect::<Vec<_>>(), (0..25).collect::<Vec<_>>());

    dossier.remove().unwrap();
    assert!(dossier.is_empty().unwrap());
    assert!(!Dossier::of(room.store(), other).is_empty().unwrap());
    room.assert_sound();
}

#[test]
fn a_name_longer_than_any_path_is_refused() {
    let room = Room::new();
    let name = vec![b'x'; 20_000];
    let refused = Dossier::of(room.store(), ItemId(1)).put_files([(name.as_slice(), &1_u64)]);
    assert!(refused.is_err());
}

#[test]
fn the_last_possible_item_has_a_dossier_like_any_other() {
    let room = Room::new();
    let dossier = Dossier::of(room.store(), ItemId(u64::MAX));
    dossier.put_whole(&1_u64).unwrap();
    dossier.remove().unwrap();
    assert!(dossier.is_empty().unwrap());
}

const CHILD: &str = "STRONGROOM_TEST_MANY_FILES";

/// Runs only in a process of its own, whose memory is not that of other tests.
#[test]
fn a_process_with_many_files() {
    let Ok(total) = std::env::var(CHILD) else { return };
    let (third, total) = (total.parse::<u64>().unwrap() / 3, total.parse().unwrap());
    let room = Room::new();
    let dossier = Dossier::of(room.store(), room.push("a"));
    write_files(dossier, 0..third);
    assert_eq!(scan_files(dossier), third);
    let before = resident_bytes();
    write_files(dossier, third..total);
    assert_eq!(scan_files(dossier), total);
    let grown = resident_bytes().saturating_sub(before);
    println!("\n{before} bytes resident after {third} files, {grown} more after {total}");
    assert!(grown < 80 << 20, "memory grew by {grown} bytes");
    dossier.remove().unwrap();
    assert!(dossier.is_empty().unwrap());
    room.assert_sound();
}

/// Memory is bounded by the cache (64 MB, and what the engine knows of each page), not by the
/// files: three times as many must fit beside it.
#[test]
fn three_hundred_thousand_files_in_one_item_take_flat_memory() {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["conformance::dossier::a_process_with_many_files", "--exact", "--nocapture"])
        .env(CHILD, "300000")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    println!("{said}{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && said.contains("bytes resident"));
}

fn write_files(dossier: Dossier<'_>, range: Range<u64>) {
    let record = "0123456789abcdef".repeat(6);
    for start in range.step_by(1000) {
        let names: Vec<_> = (start..start + 1000).map(|at| name(at).into_bytes()).collect();
        dossier.put_files(names.iter().map(|name| (name.as_slice(), &record))).unwrap();
    }
}

fn scan_files(dossier: Dossier<'_>) -> u64 {
    let (mut count, mut after) = (0, None);
    loop {
        let page = dossier.files::<String>(after.as_deref(), 1000).unwrap();
        let Some((last, _)) = page.last() else { return count };
        after = Some(last.clone());
        count += page.len() as u64;
    }
}

fn name(at: u64) -> String {
    format!("data/folder-{:03}/file-{at:07}.tif", at % 311)
}

fn resident_bytes() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.unwrap_or(0) << 10
}
