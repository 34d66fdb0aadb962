//! A version that is just being brought is no damage.

use super::super::server::Server;
use super::*;

#[test]
fn a_draft_of_the_next_version_is_left_alone() {
    let dir = memory_dir();
    let server = Server::start(&dir.path().join("s3"));
    let (a, s) = (folder(dir.path(), "a"), server.replica(dir.path()));
    fill(&[&a, &s]);
    let known = Known::of(&a);
    let next = bag(&[("data/next", b"next"), ("data/large next", &[5; 400_000])]);
    let files = intake(&next, 4, &[&a, &s]).unwrap();
    let stored = store(files.into_iter(), draft(&object(), 4), &[&a, &s], go_on, &|_, _| {});
    assert!(stored.replicas.iter().all(Result::is_ok));
    for both in [[&a, &s], [&s, &a]] {
        assert_eq!(known.examine(&both).unwrap(), []);
    }
    // Sealed and not yet recorded, with and without its record.
    ingest(&[&a, &s], 4, &next).unwrap();
    for both in [[&a, &s], [&s, &a]] {
        assert_eq!(known.examine(&both).unwrap(), []);
    }
    tell(&a, 4, "told").unwrap();
    assert_eq!(known.examine(&[&a, &s]).unwrap(), []);
    // A record of a deletion that is just being written.
    Place::of(&dir.path().join("a")).write("logs/deletion-ff.json", b"{}");
    assert_eq!(known.examine(&[&a, &s]).unwrap(), []);
    // Between the two steps that show a version.
    let place = Place::of(&dir.path().join("a"));
    place.copy("v3/inventory.json", "inventory.json");
    assert_eq!(known.examine(&[&a, &s]).unwrap(), []);
}
