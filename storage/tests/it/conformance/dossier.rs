use std::fs;

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

/// Three times as many files take no more memory: what grows is on disk.
#[test]
fn three_hundred_thousand_files_in_one_item_take_flat_memory() {
    let room = Room::new();
    let id = room.push("a");
    let dossier = Dossier::of(room.store(), id);
    let write = |from: u64, to: u64| {
        for start in (from..to).step_by(1000) {
            let names: Vec<_> = (start..start + 1000).map(|at| name(at).into_bytes()).collect();
            let record = "0123456789abcdef".repeat(6);
            dossier.put_files(names.iter().map(|name| (name.as_slice(), &record))).unwrap();
        }
    };
    let scan = || {
        let (mut count, mut after) = (0_u64, None);
        loop {
            let page = dossier.files::<String>(after.as_deref(), 1000).unwrap();
            let Some((last, _)) = page.last() else { return count };
            after = Some(last.clone());
            count += page.len() as u64;
        }
    };
    write(0, 100_000);
    assert_eq!(scan(), 100_000);
    let third = resident_bytes();
    write(100_000, 300_000);
    assert_eq!(scan(), 300_000);
    let grown = resident_bytes().saturating_sub(third);
    println!("resident after 100,000 files: {third}, growth by 200,000 more: {grown} bytes");
    // 200,000 more records are 30 MB of names and values; pages kept in the cache are bounded.
    assert!(grown < 64 << 20, "memory grew by {grown} bytes");
    dossier.remove().unwrap();
    assert!(dossier.is_empty().unwrap());
    room.assert_sound();
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
