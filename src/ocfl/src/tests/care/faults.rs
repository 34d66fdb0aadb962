//! Every step of a mend fails once, before it is done or after, and the line to a bucket breaks; a
//! repeat completes it.

use super::super::super::media::{Folder, Medium};
use super::super::bucket::validate_bucket;
use super::super::faulty::{Fault, Faulty};
use super::super::server::Server;
use super::*;

fn damage(place: &Place) {
    place.flip("v1/content/data/a", 0);
    place.remove("v1/content/data/large");
    place.write("v2/content/stray", b"stray");
    place.flip("v1/inventory.json", 100);
    place.remove("v1/inventory.json.sha512");
    place.flip("logs/v2.jsonl", 1);
    place.remove("0=ocfl_object_1.1");
    place.copy("v2/inventory.json", "inventory.json");
    place.copy("v2/inventory.json.sha512", "inventory.json.sha512");
}

fn faulty(dir: &Path, fault: &Fault) -> Replica {
    let root = dir.join("a");
    let settings = ReplicaSettings::folder("a", root.to_str().unwrap());
    let inner: Box<dyn Medium> = Box::new(Folder::new("a", &root));
    Replica::on(Box::new(Faulty { inner, fault: fault.clone() }), settings, None, dir)
}

/// Whether damaged bytes lie where they lay, or aside.
fn is_kept(dir: &Path, place: &Place, damaged: &[u8]) -> bool {
    let hash = object().hash();
    let aside = dir.join("a/extensions/strongroom-replica/set-aside").join(hash);
    let aside = aside.join("1/v1/content/data/a");
    place.read("v1/content/data/a") == damaged || fs::read(aside).is_ok_and(|it| it == damaged)
}

#[test]
fn whichever_step_of_a_mend_fails_a_repeat_completes_it() {
    let dir = memory_dir();
    let (a, b) = (folder(dir.path(), "a"), folder(dir.path(), "b"));
    fill(&[&a, &b]);
    let known = Known::of(&b);
    let place = Place::of(&dir.path().join("a"));
    let whole = place.files();
    let [mut first, second, third] = bags();
    first.extend(second);
    let before = first.clone();
    first.extend(third);
    for is_done in [false, true] {
        for step in 0.. {
            damage(&place);
            let damaged = place.read("v1/content/data/a");
            let flaws = known.examine(&[&a, &b]).unwrap();
            assert_eq!(flaws.len(), 9, "{flaws:?}");
            let fault = Fault::at(step, is_done);
            // The truth is found by a replica that works: what is tried is the mend.
            let truth = known.truth(&[&b, &a]).unwrap().unwrap();
            let mending = Mending { truth: &truth, flaws: &flaws, sources: &[&b], moment: "1" };
            let mut is_left = false;
            let told = |_: &Flaw, became| {
                is_left |= matches!(became, Became::Left(_));
                Ok(())
            };
            let go_on = |_| Ok::<(), VaultError>(());
            let broken = faulty(dir.path(), &fault).mend(mending, go_on, told);
            let is_broken = broken.is_err() || is_left;
            assert!(fault.struck() || !is_broken, "step {step}: {broken:?}");
            assert!(is_kept(dir.path(), &place, &damaged), "step {step}");
            // Readers see a whole version, or are told of the damage.
            if let Ok(Some(inventory)) = a.inventory(&object())
                && inventory.head() == SEALED
            {
                assert_eq!(state(&a, 3), first, "step {step}");
            }
            let left = known.examine(&[&a, &b]).unwrap();
            // What is not called broken is mended, by another way if need be.
            assert!(is_broken || left.is_empty(), "step {step}: {left:?}");
            known.mend(&[&a, &b], &left).unwrap();
            assert_eq!(known.examine(&[&a, &b]).unwrap(), [], "step {step}");
            assert!(place.files() == whole, "step {step}");
            assert!(state(&a, 2) == before);
            if step % 8 == 0 {
                validate(&dir.path().join("a"));
            }
            if !fault.struck() {
                assert!(step > 25, "only {step} steps");
                break;
            }
        }
    }
}

#[test]
fn wherever_the_line_to_a_bucket_breaks_nothing_is_called_damage_and_a_repeat_mends() {
    let dir = memory_dir();
    let server = Server::start(&dir.path().join("s3"));
    let (s, b) = (server.replica(dir.path()), folder(dir.path(), "b"));
    fill(&[&s, &b]);
    let known = Known::of(&b);
    let place = Place::of(&dir.path().join("s3/vault"));
    let whole = place.files();
    let truth = known.truth(&[&b, &s]).unwrap().unwrap();
    let go_on = |_| Ok::<(), VaultError>(());
    for requests in (0..).step_by(7) {
        server.door.breaks_after.store(requests, Ordering::SeqCst);
        let examined = s.examine(&truth, go_on);
        server.door.breaks_after.store(u32::MAX, Ordering::SeqCst);
        match examined {
            Ok(examined) => {
                assert_eq!(examined.flaws, [], "after {requests}");
                assert!(requests > 20, "only {requests} requests");
                break;
            }
            Err(error) => assert_eq!(error.code(), "replica-away", "after {requests}"),
        }
    }
    for requests in (0..).step_by(7) {
        damage(&place);
        let flaws = s.examine(&truth, go_on).unwrap().flaws;
        let moment = format!("broken-{requests}");
        let mending = Mending { truth: &truth, flaws: &flaws, sources: &[&b], moment: &moment };
        server.door.breaks_after.store(requests, Ordering::SeqCst);
        let broken = s.mend(mending, go_on, |_, _| Ok(()));
        server.door.breaks_after.store(u32::MAX, Ordering::SeqCst);
        let left = known.examine(&[&s, &b]).unwrap();
        assert!(broken.is_err() || left.is_empty(), "after {requests}: {left:?}");
        known.mend(&[&s, &b], &left).unwrap();
        assert_eq!(known.examine(&[&s, &b]).unwrap(), [], "after {requests}");
        assert!(place.files() == whole, "after {requests}");
        if broken.is_ok() {
            assert!(requests > 40, "only {requests} requests");
            break;
        }
    }
    validate_bucket(&dir.path().join("s3/vault"));
}
