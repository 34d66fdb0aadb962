//! Replicas in a bucket, on a server that sometimes fails.

use std::sync::atomic::Ordering;

use digests::{Algorithm, Source, digest_buffers};

use super::super::*;
use super::rig::*;
use super::server::Server;

fn bags() -> [Bag; 2] {
    // Larger than two parts, and files of every way to be sent.
    let noise: Vec<u8> = (0..18_u32 << 20).map(|n| (n ^ (n >> 9)).to_le_bytes()[0]).collect();
    let first = bag(&[
        ("data/a", b"a"),
        ("data/same", b"a"),
        ("data/empty", b""),
        ("data/odd #?% ü.", b"odd"),
        ("data/percent %41 ~tilde^ [x] {y} + & = ;", b"percent"),
        ("data/medium", &noise[..3 << 20]),
        ("data/large", &noise),
    ]);
    [first, bag(&[("data/a", b"changed"), ("data/new", b"new")])]
}

#[test]
fn a_folder_and_a_bucket_hold_the_same() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("s3"));
    let (a, s) = (folder(dir.path(), "a"), server.replica(dir.path()));
    let [first, second] = bags();
    ingest(&[&a, &s], 1, &first).unwrap();
    assert_eq!(ingest(&[&a, &s], 1, &first).unwrap(), ingest(&[&s], 1, &first).unwrap());
    ingest(&[&a, &s], 2, &second).unwrap();
    assert_eq!(state(&s, 1), first);
    assert_eq!(state(&s, 2), state(&a, 2));
    tell(&s, 2, "told").unwrap();
    assert_eq!(told(&s, 2).unwrap().unwrap(), "told");
    assert_eq!(s.reclaim(&object(), 1).unwrap_err().code(), "registry-behind");
    s.reclaim(&object(), 2).unwrap();
    let mut found = Vec::new();
    let walked: Result<(), VaultError> = s.each_object(&mut |each| {
        found.push(each?);
        Ok(())
    });
    walked.unwrap();
    assert_eq!(found, [(object(), 2)]);
    // What is sealed is never replaced, whatever another bag says it is.
    let error = ingest(&[&s], 1, &bag(&[("data/a", b"other")])).unwrap_err();
    assert_eq!(error.code(), "copy-damaged");
    assert_eq!(state(&s, 1), first);
    // The server keeps objects as files: its folder is a storage root.
    validate(&dir.path().join("s3/vault"));
}

#[test]
fn wherever_the_line_breaks_a_repeat_finishes_and_reclaim_clears_up() {
    let reference = memory_dir();
    let [mut first, second] = bags();
    first.remove("data/medium");
    let whole = folder(reference.path(), "s");
    ingest(&[&whole], 1, &first).unwrap();
    let expected = ingest(&[&whole], 2, &second).unwrap();
    let dir = memory_dir();
    for requests in (1..).step_by(7) {
        let root = dir.path().join(format!("s3-{requests}"));
        let server = Server::start(&root);
        let s = server.replica(dir.path());
        server.door.breaks_after.store(requests, Ordering::SeqCst);
        let run = || {
            ingest(&[&s], 1, &first)?;
            ingest(&[&s], 2, &second)
        };
        let broken = run();
        let is_through = broken.is_ok();
        if let Err(error) = broken {
            assert_eq!(error.code(), "replica-away", "after {requests}: {error:?}");
        }
        server.door.breaks_after.store(u32::MAX, Ordering::SeqCst);
        let head = s.inventory(&object()).unwrap().map_or(0, |inventory| inventory.head());
        if head > 0 {
            state(&s, head);
        }
        if requests % 2 == 0 {
            let recorded = head.saturating_sub(u32::from(requests % 3 == 0));
            s.reclaim(&object(), recorded).unwrap();
            let left = s.inventory(&object()).unwrap().map_or(0, |inventory| inventory.head());
            assert_eq!(left, recorded, "after {requests}");
            let place = root.join("vault");
            validate_bucket(&place);
            let is_upload = |name: &str| name.starts_with(".upload");
            assert_eq!(files_in(&root, is_upload), 0, "after {requests}");
        }
        assert_eq!(run().unwrap(), expected, "after {requests}");
        if requests % 4 == 0 {
            validate_bucket(&root.join("vault"));
        }
        std::fs::remove_dir_all(&root).unwrap();
        if is_through {
            assert!(requests > 40, "only {requests} requests");
            break;
        }
    }
}

/// The server leaves folders behind when it removes objects; a bucket has none.
pub(super) fn validate_bucket(place: &std::path::Path) {
    fn prune(folder: &std::path::Path) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                prune(&path);
                // Fails for a folder that holds something, as it should.
                drop(std::fs::remove_dir(path));
            }
        }
    }
    prune(place);
    validate(place);
}

/// The server keeps the parts of uploads beside its buckets.
fn files_in(folder: &std::path::Path, wanted: impl Fn(&str) -> bool) -> usize {
    let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    names.filter(|name| wanted(&name.to_string_lossy())).count()
}

#[test]
fn a_server_that_is_busy_for_a_moment_is_asked_again() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("s3"));
    let s = server.replica(dir.path());
    server.door.unavailable.store(2, Ordering::SeqCst);
    ingest(&[&s], 1, &bag(&[("data/a", b"a")])).unwrap();
    server.door.unavailable.store(1000, Ordering::SeqCst);
    let error = s.present().unwrap_err();
    assert_eq!((error.code(), error.kind()), ("replica-away", Kind::Transient));
}

#[test]
fn an_answer_cut_short_is_never_taken_for_the_whole() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("s3"));
    let s = server.replica(dir.path());
    let whole = bag(&[("data/a", &[7; 100_000])]);
    ingest(&[&s], 1, &whole).unwrap();
    let entry = &entries(&whole)[0];
    let look = || {
        let copy = Expected {
            key: (),
            content_path: "v1/content/data/a".to_owned(),
            sha512: sha512(entry),
            size_bytes: Some(entry.size_bytes),
        };
        let mut found = None;
        let Ok(()) =
            s.verify(&object(), [copy].into_iter(), go_on, |(), state| found = Some(state));
        found.unwrap()
    };
    // Cut once, the rest is asked for; cut always, the copy is unreadable and not damaged.
    server.door.cut.store(1, Ordering::SeqCst);
    assert!(matches!(look(), CopyState::Equal));
    server.door.cut.store(1000, Ordering::SeqCst);
    match look() {
        CopyState::Unreadable(error) => assert_eq!(error.code(), "replica-away"),
        CopyState::Equal | CopyState::Differs | CopyState::Missing => panic!("taken for known"),
    }
    server.door.cut.store(0, Ordering::SeqCst);
    assert!(matches!(look(), CopyState::Equal));
}

#[test]
fn wrong_keys_park_and_a_silent_server_waits() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("s3"));
    let wrong = Replica::new(server.settings(dir.path(), "wrong"), None, dir.path()).unwrap();
    let error = wrong.prepare().unwrap_err();
    assert_eq!((error.code(), error.kind()), ("replica-denied", Kind::Fatal));

    let mut settings = server.settings(dir.path(), "secret");
    settings.url = "s3://no-such-bucket".into();
    let error = Replica::new(settings.clone(), None, dir.path()).unwrap().prepare().unwrap_err();
    assert_eq!(error.code(), "replica-denied", "{error:?}");

    settings.url = "s3://vault".into();
    settings.endpoint = Some("http://127.0.0.1:1".into());
    let error = Replica::new(settings.clone(), None, dir.path()).unwrap().prepare().unwrap_err();
    assert_eq!((error.code(), error.kind()), ("replica-away", Kind::Transient));

    settings.credentials = Credentials::File(dir.path().join("none"));
    let error = Replica::new(settings.clone(), None, dir.path()).err().unwrap();
    assert_eq!(error.code(), "replica-denied");
    settings.url = "gopher://x".into();
    assert_eq!(Replica::new(settings, None, dir.path()).err().unwrap().code(), "vault-refused");
}

#[test]
fn buckets_are_recognised() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("s3"));
    let settings =
        ReplicaSettings { url: "s3://vault/p/q".into(), ..server.settings(dir.path(), "secret") };
    let s = Replica::new(settings, None, dir.path()).unwrap();
    let known = s.prepare().unwrap();
    let small = bag(&[("data/a", b"a")]);
    ingest(&[&s], 1, &small).unwrap();
    assert_eq!(state(&s, 1), small);
    validate(&dir.path().join("s3/vault/p/q"));
    let again = Replica::new(s.settings().clone(), Some(known.clone()), dir.path()).unwrap();
    assert_eq!(again.prepare().unwrap(), known);
    let mut settings = s.settings().clone();
    settings.url = "s3://vault/p".into();
    let error = Replica::new(settings.clone(), None, dir.path()).unwrap().prepare().unwrap_err();
    assert_eq!(error.code(), "vault-refused");
    settings.url = "s3://vault/elsewhere".into();
    let error = Replica::new(settings, Some(known), dir.path()).unwrap().prepare().unwrap_err();
    assert_eq!(error.code(), "replica-away");
}

#[test]
fn a_copy_of_the_same_size_with_another_checksum_is_seen_without_reading_it() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("s3"));
    let s = server.replica(dir.path());
    ingest(&[&s], 1, &bag(&[("data/a", b"alpha"), ("data/b", b"beta")])).unwrap();
    let digest = |bytes: &'static [u8]| {
        let wanted = [Algorithm::Md5, Algorithm::Sha512].into_iter().collect();
        digest_buffers(wanted, &[bytes]).remove(0)
    };
    let sought = |key: &'static str, bytes: &'static [u8]| {
        let (digests, size_bytes) = (digest(bytes), Some(bytes.len() as u64));
        let sha512 = digests.get(Algorithm::Sha512).unwrap().try_into().unwrap();
        let copy =
            Expected { key, content_path: format!("v1/content/data/{key}"), sha512, size_bytes };
        Sought { copy, md5: digests.hex(Algorithm::Md5).unwrap() }
    };
    let look = || {
        let wanted = vec![sought("a", b"alpha"), sought("b", b"beta"), sought("c", b"c")];
        s.look_for(&object(), wanted).unwrap()
    };
    let (there, missing) = (Sighting::There, Sighting::Missing);
    assert_eq!(look(), [("a", there), ("b", there), ("c", missing)]);
    s.put_small(&format!("{}/v1/content/data/a", object().root()), b"ALPHA").unwrap();
    assert_eq!(look(), [("a", Sighting::Differs), ("b", there), ("c", missing)]);
    let source = || Source::Bytes(b"alpha".as_slice().into());
    let again = || s.store_again(&object(), &sought("a", b"alpha"), &source, "now");
    assert!(again().unwrap() && !again().unwrap(), "it is stored again once");
    assert_eq!(look(), [("a", there), ("b", there), ("c", missing)]);
}
