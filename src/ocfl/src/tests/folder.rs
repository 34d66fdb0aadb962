//! Replicas in folders, when all goes well and when the folder is not what it should be.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex};

use byteio::durable::Flush;
use byteio::testing::at_each_flush;
use digests::Source;

use super::super::store::SYNC_FILES;
use super::super::*;
use super::rig::*;

#[test]
fn versions_build_on_each_other_and_equal_bytes_lie_once() {
    let dir = tempfile::tempdir().unwrap();
    let (a, b) = (folder(dir.path(), "a"), folder(dir.path(), "b"));
    let both = [&a, &b];
    let first = bag(&[
        ("data/letters/1.txt", b"one"),
        ("data/letters/2.txt", b"two"),
        ("data/same as 1.txt", b"one"),
        ("bag-info.txt", b"info"),
    ]);
    ingest(&both, 1, &first).unwrap();
    assert_eq!(intake(&first, 1, &both).unwrap().len(), 3);
    assert_eq!(state(&a, 1), first);

    // One changed, one new, one that equals what another path held, the rest absent.
    let second = bag(&[
        ("data/letters/1.txt", b"one, corrected"),
        ("data/letters/3.txt", b"three"),
        ("data/letters/4.txt", b"two"),
    ]);
    assert_eq!(intake(&second, 2, &both).unwrap().len(), 2);
    ingest(&both, 2, &second).unwrap();
    let mut expected = first.clone();
    expected.extend(second.clone());
    assert_eq!((state(&a, 1), state(&b, 2)), (first.clone(), expected.clone()));

    // Back to the old bytes: nothing is copied.
    let third = bag(&[("data/letters/1.txt", b"one")]);
    assert!(intake(&third, 3, &both).unwrap().is_empty());
    ingest(&both, 3, &third).unwrap();
    expected.extend(third);
    assert_eq!((state(&b, 1), state(&b, 3)), (first, expected));
    assert!(!dir.path().join("a").join(object().root()).join("v3/content").try_exists().unwrap());
    validate(&dir.path().join("a"));
    validate(&dir.path().join("b"));
}

#[test]
fn odd_names_are_held_and_found_again() {
    let dir = tempfile::tempdir().unwrap();
    let a = folder(dir.path(), "a");
    let long = format!("data/{}", "ü".repeat(300));
    let deep = format!("data/{}", "folder/".repeat(300) + "x");
    let names = [
        "inventory.json",
        "inventory.json.sha512",
        "0=ocfl_object_1.1",
        "data/v1/content/x",
        "data/a.",
        "data/a ",
        "data/ a",
        "data/new\nline",
        "data/tab\tand \u{7f}",
        "data/%41%2e",
        "data/\"quoted\" \\ back",
        "data/e\u{301} and \u{e9}",
        "data/日本語.txt",
        "by-sha512/x",
        "data/#?*:|<>~^`{}[]",
        "logs/x",
        &long,
        &deep,
    ];
    let odd: Bag =
        names.iter().map(|n| ((*n).to_owned(), format!("bytes of {n}").into_bytes())).collect();
    ingest(&[&a], 1, &odd).unwrap();
    assert_eq!(state(&a, 1), odd);
    validate(&dir.path().join("a"));
}

#[test]
fn a_bag_without_files_is_a_version() {
    let dir = tempfile::tempdir().unwrap();
    let a = folder(dir.path(), "a");
    ingest(&[&a], 1, &Bag::new()).unwrap();
    ingest(&[&a], 2, &bag(&[("data/empty", b"")])).unwrap();
    assert_eq!(state(&a, 2), bag(&[("data/empty", b"")]));
    validate(&dir.path().join("a"));
}

#[test]
fn what_an_inventory_cannot_say_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let a = folder(dir.path(), "a");
    for path in ["../x", "/x", "a//b", "a/", "a/./b"] {
        let error = ingest(&[&a], 1, &bag(&[(path, b"x")])).unwrap_err();
        assert_eq!(error.code(), "vault-refused", "{path}");
    }
    let error = Entries::collect(entries(&bag(&[("a", b"1"), ("a/b", b"2")]))).err().unwrap();
    assert_eq!(error.code(), "vault-refused");
    let mut turned = entries(&bag(&[("a", b"1"), ("b", b"2")]));
    turned.reverse();
    assert_eq!(Entries::collect(turned).err().unwrap().code(), "vault-refused");

    a.reclaim(&object(), 0).unwrap();
    ingest(&[&a], 1, &bag(&[("data/x", b"x")])).unwrap();
    for clash in ["data/x/y", "data"] {
        let error = ingest(&[&a], 2, &bag(&[(clash, b"y")])).unwrap_err();
        assert_eq!(error.code(), "vault-refused", "{clash}");
        a.reclaim(&object(), 1).unwrap();
    }
    validate(&dir.path().join("a"));
}

#[test]
fn sealing_again_is_the_same_and_another_state_is_a_conflict() {
    let dir = tempfile::tempdir().unwrap();
    let a = folder(dir.path(), "a");
    let first = bag(&[("data/x", b"x")]);
    let sealed = ingest(&[&a], 1, &first).unwrap();
    assert_eq!(ingest(&[&a], 1, &first).unwrap(), sealed);
    let rows = Entries::collect(entries(&bag(&[("data/x", b"other")]))).unwrap();
    let id = object();
    let other = Sealing { draft: draft(&id, 1), note: &note(1), entries: &rows };
    assert_eq!(a.seal(&other).unwrap_err().code(), "version-conflict");
    assert_eq!(ingest(&[&a], 3, &first).unwrap_err().code(), "replica-not-filled");
    a.reclaim(&object(), 1).unwrap();
    assert_eq!(state(&a, 1), first);
    validate(&dir.path().join("a"));
}

#[test]
fn a_source_that_changed_is_left_out_everywhere() {
    let dir = tempfile::tempdir().unwrap();
    let (a, b) = (folder(dir.path(), "a"), folder(dir.path(), "b"));
    let large = vec![7; 3 << 20];
    let good = bag(&[("data/a", b"small"), ("data/b", &large), ("data/c", b"other")]);
    let files = intake(&good, 1, &[&a, &b]).unwrap().into_iter().map(|file| {
        let source = match file.content_path.as_str() {
            "v1/content/data/a" => Source::Bytes((&b"small!"[..]).into()),
            "v1/content/data/b" => Source::Bytes(large[1..].into()),
            _ => file.source,
        };
        Intake { source, ..file }
    });
    let stored = store(files, draft(&object(), 1), &[&a, &b], go_on, &|_, _| {});
    assert!(stored.replicas.iter().all(Result::is_ok));
    let mut rejected: Vec<_> =
        stored.rejected.iter().map(|(path, error)| (&path[..], error.code())).collect();
    rejected.sort_unstable();
    let changed = "source-changed";
    assert_eq!(rejected, [("v1/content/data/a", changed), ("v1/content/data/b", changed)]);
    for name in ["a", "b"] {
        let drafts = dir.path().join(name).join("extensions/strongroom-replica/drafts");
        let content = drafts.join(object().hash()).join("v1/content/data");
        let left: Vec<_> = fs::read_dir(content).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(left, ["c"]);
    }
    let rows = Entries::collect(entries(&good)).unwrap();
    let id = object();
    let sealing = Sealing { draft: draft(&id, 1), note: &note(1), entries: &rows };
    assert_eq!(a.seal(&sealing).unwrap_err().code(), "copy-not-found");
}

#[test]
fn a_folder_that_is_not_mounted_is_away_and_stays_empty() {
    let dir = tempfile::tempdir().unwrap();
    let (a, root) = (folder(dir.path(), "a"), dir.path().join("a"));
    let known = a.prepare().unwrap();
    ingest(&[&a], 1, &bag(&[("data/x", b"x")])).unwrap();
    let (aside, settings) = (dir.path().join("aside"), a.settings().clone());
    byteio::durable::rename(&root, &aside).unwrap();
    let again = Replica::new(settings.clone(), Some(known.clone()), dir.path()).unwrap();
    for is_mount_point in [false, true] {
        if is_mount_point {
            fs::create_dir(&root).unwrap();
        }
        for replica in [&a, &again] {
            assert_eq!(replica.prepare().unwrap_err().code(), "replica-away");
            let error = ingest(&[replica], 2, &bag(&[("data/y", b"y")])).unwrap_err();
            assert_eq!((error.code(), error.kind()), ("replica-away", Kind::Transient));
            assert_eq!(replica.reclaim(&object(), 1).unwrap_err().code(), "replica-away");
            let error = tell(replica, 1, "told").unwrap_err();
            assert_eq!(error.code(), "replica-away");
        }
    }
    assert_eq!(fs::read_dir(&root).unwrap().count(), 0);
    fs::remove_dir(&root).unwrap();
    byteio::durable::rename(&aside, &root).unwrap();
    assert_eq!(again.prepare().unwrap(), known);
    ingest(&[&again], 2, &bag(&[("data/y", b"y")])).unwrap();
    validate(&root);
}

#[test]
fn one_replica_away_does_not_spoil_the_other() {
    let dir = tempfile::tempdir().unwrap();
    let (a, b) = (folder(dir.path(), "a"), folder(dir.path(), "b"));
    byteio::durable::rename(&dir.path().join("b"), &dir.path().join("aside")).unwrap();
    let large = vec![9; 2 << 20];
    let both = bag(&[("data/x", b"x"), ("data/y", &large)]);
    let files = intake(&both, 1, &[&a]).unwrap();
    let stored = store(files.into_iter(), draft(&object(), 1), &[&b, &a], go_on, &|_, _| {});
    assert!(stored.rejected.is_empty() && stored.replicas[1].is_ok());
    assert_eq!(stored.replicas[0].as_ref().unwrap_err().code(), "replica-away");
    byteio::durable::rename(&dir.path().join("aside"), &dir.path().join("b")).unwrap();
    ingest(&[&a, &b], 1, &both).unwrap();
    assert_eq!((state(&a, 1), state(&b, 1)), (both.clone(), both));
}

#[test]
fn foreign_folders_and_other_replicas_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let a = folder(dir.path(), "a");
    let at = |name: &str, known| {
        let mut settings = a.settings().clone();
        name.clone_into(&mut settings.name);
        Replica::new(settings, known, dir.path()).unwrap()
    };
    assert_eq!(at("b", None).prepare().unwrap_err().code(), "vault-refused");
    let other = Some(ReplicaId::new("another"));
    assert_eq!(at("a", other).prepare().unwrap_err().code(), "vault-refused");
    let foreign = dir.path().join("foreign");
    fs::create_dir(&foreign).unwrap();
    fs::File::create(foreign.join("holiday.jpg")).unwrap();
    let settings = ReplicaSettings::folder("c", foreign.to_str().unwrap());
    let replica = Replica::new(settings, None, dir.path()).unwrap();
    assert_eq!(replica.prepare().unwrap_err().code(), "vault-refused");
    assert_eq!(fs::read_dir(&foreign).unwrap().count(), 1);
}

#[test]
fn damage_is_told_apart() {
    let dir = tempfile::tempdir().unwrap();
    let a = folder(dir.path(), "a");
    let whole =
        bag(&[("data/a", b"aaaa"), ("data/b", b"bbbb"), ("data/c", b"c"), ("data/d", b"d")]);
    ingest(&[&a], 1, &whole).unwrap();
    let root = dir.path().join("a").join(object().root());
    byteio::durable::write(&root.join("v1/content/data/b"), b"bbbB", false).unwrap();
    byteio::durable::write(&root.join("v1/content/data/c"), b"cc", false).unwrap();
    fs::remove_file(root.join("v1/content/data/d")).unwrap();
    let expected: Vec<_> = entries(&whole);
    let copies = expected.iter().map(|entry| Expected {
        key: entry.logical.clone(),
        content_path: content_path(1, &entry.logical, &sha512(entry)),
        sha512: sha512(entry),
        size_bytes: Some(entry.size_bytes),
    });
    let mut found = Vec::new();
    let Ok(()) = a.verify(&object(), copies, go_on, |path, state| {
        found.push(format!("{path} {state:?}"));
    });
    found.sort_unstable();
    assert_eq!(found, ["data/a Equal", "data/b Differs", "data/c Differs", "data/d Missing"]);

    // An inventory that was touched is never trusted, and nothing is cleared up on a guess.
    let inventory = fs::read(root.join("inventory.json")).unwrap();
    byteio::durable::write(&root.join("inventory.json"), &inventory[1..], false).unwrap();
    assert_eq!(a.inventory(&object()).err().unwrap().code(), "copy-damaged");
    assert_eq!(a.reclaim(&object(), 0).unwrap_err().code(), "copy-damaged");
    fs::remove_file(root.join("inventory.json")).unwrap();
    fs::remove_file(root.join("v1/inventory.json")).unwrap();
    assert_eq!(a.reclaim(&object(), 0).unwrap_err().code(), "copy-damaged");
    a.reclaim(&object(), 1).unwrap();
    assert!(root.join("v1/content/data/a").is_file());
}

#[test]
fn a_copy_that_cannot_be_read_is_told_from_a_replica_that_is_away() {
    let dir = tempfile::tempdir().unwrap();
    let a = folder(dir.path(), "a");
    let whole = bag(&[("data/a", b"aaaa"), ("data/b", b"bbbb")]);
    ingest(&[&a], 1, &whole).unwrap();
    let copy = |name: &str| {
        let entries = entries(&whole);
        let entry = entries.iter().find(|entry| entry.logical == name).unwrap();
        Expected {
            key: name.to_owned(),
            content_path: content_path(1, name, &sha512(entry)),
            sha512: sha512(entry),
            size_bytes: Some(entry.size_bytes),
        }
    };
    let look = || {
        let (mut found, copies) = (Vec::new(), [copy("data/a"), copy("data/b")]);
        let Ok(()) = a.verify(&object(), copies.into_iter(), go_on, |path, state| {
            let state = format!("{state:?}");
            found.push(format!("{path} {}", state.split('(').next().unwrap()));
        });
        found.sort_unstable();
        found
    };
    let place = dir.path().join("a").join(object().root()).join("v1/content/data/b");
    fs::remove_file(&place).unwrap();
    fs::create_dir(&place).unwrap();
    byteio::durable::write(&place.join("inside"), b"odd", false).unwrap();
    assert_eq!(look(), ["data/a Equal", "data/b Differs"]);
    let (here, away) = (dir.path().join("a"), dir.path().join("away"));
    byteio::durable::rename(&here, &away).unwrap();
    assert_eq!(look(), ["data/a Unreadable", "data/b Unreadable"]);
    byteio::durable::rename(&away, &here).unwrap();

    // What lay there is kept, whether the bytes that came are the right ones or not.
    let kept = |moment: &str| {
        let aside = here.join("extensions/strongroom-replica/set-aside").join(object().hash());
        aside.join(moment).join("v1/content/data/b/inside").is_file()
    };
    let replace = |bytes: &'static [u8], moment: &str| {
        let open = || Source::Bytes(bytes.into());
        let supplied = Supplied { open: &open, size_bytes: bytes.len() as u64 };
        a.replace(&object(), &copy("data/b"), supplied, moment, |_| Ok::<(), VaultError>(()))
    };
    assert_eq!(replace(b"bbbB", "one").unwrap_err().code(), "source-changed");
    assert!(kept("one"));
    let flaw = replace(b"bbbb", "two").unwrap().unwrap();
    assert_eq!(flaw.part, Part::Content);
    assert_eq!(look(), ["data/a Equal", "data/b Equal"]);
    assert!(kept("one"), "it stays aside");
}

#[test]
fn records_lie_beside_the_versions() {
    let dir = tempfile::tempdir().unwrap();
    let a = folder(dir.path(), "a");
    assert_eq!(tell(&a, 1, "told").unwrap_err().code(), "copy-not-found");
    ingest(&[&a], 1, &bag(&[("data/x", b"x")])).unwrap();
    assert_eq!(told(&a, 1).unwrap(), None);
    tell(&a, 1, "told\n").unwrap();
    tell(&a, 1, "told again\n").unwrap();
    assert_eq!(told(&a, 1).unwrap().unwrap(), "told again\n");
    ingest(&[&a], 2, &bag(&[("data/y", b"y")])).unwrap();
    validate(&dir.path().join("a"));
    let mut found = Vec::new();
    let walked: Result<(), VaultError> = a.each_object(&mut |each| {
        found.push(each?);
        Ok(())
    });
    walked.unwrap();
    assert_eq!(found, [(object(), 2)]);
    let place = dir.path().join("a").join(object().root()).join("logs/v1.jsonl");
    byteio::durable::write(&place, b"other", false).unwrap();
    assert_eq!(told(&a, 1).unwrap_err().code(), "copy-damaged");
}

#[test]
fn what_was_never_recorded_is_taken_back_and_what_was_is_not() {
    let dir = tempfile::tempdir().unwrap();
    let a = folder(dir.path(), "a");
    let first = bag(&[("data/x", b"x")]);
    ingest(&[&a], 1, &first).unwrap();
    a.reclaim(&object(), 0).unwrap();
    assert!(a.inventory(&object()).unwrap().is_none());
    validate(&dir.path().join("a"));
    ingest(&[&a], 1, &first).unwrap();
    tell(&a, 1, "told").unwrap();
    for version in [2, 3] {
        ingest(&[&a], version, &bag(&[("data/y", &[u8::try_from(version).unwrap()])])).unwrap();
    }
    let error = a.reclaim(&object(), 0).unwrap_err();
    assert_eq!((error.code(), error.kind()), ("registry-behind", Kind::Fatal));
    a.reclaim(&object(), 1).unwrap();
    assert_eq!(a.inventory(&object()).unwrap().unwrap().head(), 1);
    assert_eq!(state(&a, 1), first);
    validate(&dir.path().join("a"));
}

#[test]
fn files_that_share_their_md5_share_a_line() {
    // Two inputs with one md5, found by Wang and others in 2004; one byte in each pair differs.
    let one = "d131dd02c5e6eec4693d9a0698aff95c2fcab58712467eab4004583eb8fb7f8955ad340609f4b302\
               83e488832571415a085125e8f7cdc99fd91dbdf280373c5bd8823e3156348f5bae6dacd436c919c6\
               dd53e2b487da03fd02396306d248cda0e99f33420f577ee8ce54b67080a80d1ec69821bcb6a88393\
               96f9652b6ff72a70";
    let mut one: Vec<u8> = (0..one.len() / 2)
        .map(|at| u8::from_str_radix(&one[2 * at..2 * at + 2], 16).unwrap())
        .collect();
    let mut two = one.clone();
    for at in [19, 45, 59, 83, 109, 123] {
        two[at] ^= 0x80;
    }
    let dir = tempfile::tempdir().unwrap();
    let a = folder(dir.path(), "a");
    let pair = bag(&[("data/1", &one), ("data/2", &two)]);
    ingest(&[&a], 1, &pair).unwrap();
    for bytes in [&mut one, &mut two] {
        bytes.extend_from_slice(b"the same tail");
    }
    ingest(&[&a], 2, &bag(&[("data/3", &one)])).unwrap();
    ingest(&[&a], 3, &bag(&[("data/4", &two)])).unwrap();
    let mut lines = std::collections::BTreeMap::<String, usize>::new();
    let inventory = a.inventory(&object()).unwrap().unwrap();
    inventory
        .fixity(digests::Algorithm::Md5, &mut |_, digest| {
            *lines.entry(digest.to_owned()).or_default() += 1;
            Ok(())
        })
        .unwrap();
    assert_eq!(lines.into_values().collect::<Vec<_>>(), [2, 2]);
    validate(&dir.path().join("a"));
}

#[test]
fn twenty_thousand_files_make_one_version() {
    let dir = tempfile::tempdir().unwrap();
    let a = folder(dir.path(), "a");
    let many: Bag = (0..20_000_u32)
        .map(|n| (format!("data/{}/{n}.txt", n % 100), n.to_string().into_bytes()))
        .collect();
    ingest(&[&a], 1, &many).unwrap();
    ingest(&[&a], 2, &bag(&[("data/7/7.txt", b"changed")])).unwrap();
    let mut count = 0;
    let inventory = a.inventory(&object()).unwrap().unwrap();
    inventory
        .state(2, &mut |_, _| {
            count += 1;
            Ok(())
        })
        .unwrap();
    assert_eq!(count, 20_000);
    validate(&dir.path().join("a"));
}

#[test]
fn a_way_to_an_object_that_was_cut_short_is_taken_back() {
    let dir = tempfile::tempdir().unwrap();
    let replica = folder(dir.path(), "a");
    let root = dir.path().join("a").join(object().root());
    for way in root.ancestors().take(4) {
        fs::create_dir_all(way).unwrap();
        replica.reclaim(&object(), 0).unwrap();
        validate(&dir.path().join("a"));
    }
}

#[test]
fn files_are_told_as_stored_only_after_a_flush_in_which_they_were_whole() {
    let dir = memory_dir();
    let a = folder(dir.path(), "a");
    let root = dir.path().join("a");
    // Large files are flushed some at a time, small ones at the end.
    let mut all = bag(&[("data/one", b"one"), ("data/two", b"two"), ("data/three", b"three")]);
    all.extend((0..=SYNC_FILES).map(|at| {
        let mut bytes = vec![7; 257 << 10];
        bytes[..8].copy_from_slice(&at.to_le_bytes());
        (format!("data/{at:04}"), bytes)
    }));
    let files = intake(&all, 1, &[&a]).unwrap();
    let expected: Vec<(String, u64)> =
        files.iter().map(|file| (file.content_path.clone(), file.size_bytes)).collect();
    let drafts = root.join("extensions/strongroom-replica/drafts").join(object().hash());
    let inode = fs::metadata(&root).unwrap().ino();
    let flushed: Arc<Mutex<BTreeSet<String>>> = Arc::default();
    let at_flush = Arc::clone(&flushed);
    at_each_flush(move |flush, is_made| {
        let is_ours = match flush {
            Flush::FileSystem(folder) => folder.metadata().unwrap().ino() == inode,
            Flush::File(_) | Flush::Folder(_) => false,
        };
        // What is written while a flush is made is of the next one.
        if is_ours && !is_made {
            let whole = expected.iter().filter(|(path, size_bytes)| {
                fs::metadata(drafts.join(path)).is_ok_and(|it| it.len() == *size_bytes)
            });
            at_flush.lock().unwrap().extend(whole.map(|(path, _)| path.clone()));
        }
    });
    let (told, early) = (Mutex::new(0), Mutex::new(Vec::new()));
    let done = |_: &str, paths: Vec<String>| {
        let flushed = flushed.lock().unwrap();
        *told.lock().unwrap() += paths.len();
        early.lock().unwrap().extend(paths.into_iter().filter(|path| !flushed.contains(path)));
    };
    let stored = store(files.into_iter(), draft(&object(), 1), &[&a], go_on, &done);
    assert!(stored.replicas.iter().all(Result::is_ok) && stored.rejected.is_empty());
    assert_eq!(early.into_inner().unwrap(), [""; 0], "these were told and not flushed");
    assert_eq!(told.into_inner().unwrap(), all.len());
}

/// A panic where a file is opened leaves what a kill leaves: what was not made durable is not told.
#[test]
fn after_a_kill_few_large_files_are_copied_to_folders_again() {
    const COUNT: usize = 3 * SYNC_FILES;
    let killed_at = COUNT - 5;
    let dir = memory_dir();
    let (a, b) = (folder(dir.path(), "a"), folder(dir.path(), "b"));
    let both = [&a, &b];
    let large = |at: usize| {
        let mut bytes = vec![7; 300 << 10];
        bytes[..8].copy_from_slice(&at.to_le_bytes());
        (format!("data/{at:04}"), bytes)
    };
    let whole: Bag = (0..COUNT).map(large).collect();
    let told: Mutex<Vec<(String, String)>> = Mutex::default();
    let done = |replica: &str, paths: Vec<String>| {
        told.lock().unwrap().extend(paths.into_iter().map(|path| (replica.to_owned(), path)));
    };
    let killed = std::panic::catch_unwind(AssertUnwindSafe(|| {
        let files = intake(&whole, 1, &both).unwrap().into_iter().enumerate().map(|(at, file)| {
            match at == killed_at {
                true => Intake { source: Source::Reader(Box::new(|| panic!("killed"))), ..file },
                false => file,
            }
        });
        store(files, draft(&object(), 1), &both, go_on, &done)
    }));
    assert!(killed.is_err());
    let durable = std::mem::take(&mut *told.lock().unwrap());
    let has = |replica: &str, path: &str| {
        durable.iter().any(|(name, known)| name == replica && known == path)
    };
    let files: Vec<Intake<'_>> = intake(&whole, 1, &both)
        .unwrap()
        .into_iter()
        .map(|file| {
            let names = ["a", "b"].into_iter().filter(|name| has(name, &file.content_path));
            let done = names.map(str::to_owned).collect();
            Intake { done, ..file }
        })
        .filter(|file| file.done.len() < 2)
        .collect();
    let again = files.len();
    assert!(again <= COUNT - killed_at + SYNC_FILES, "{again} of {COUNT} are copied again");
    let stored = store(files.into_iter(), draft(&object(), 1), &both, go_on, &done);
    assert!(stored.replicas.iter().all(Result::is_ok) && stored.rejected.is_empty());
    assert_eq!(told.into_inner().unwrap().len(), 2 * again);
    ingest(&both, 1, &whole).unwrap();
    assert_eq!((state(&a, 1), state(&b, 1)), (whole.clone(), whole));
}
