//! Replicas in buckets, on a server that answers wrongly, by half, late or not at all: requests fail
//! one by one, and then all of them until someone mends it.

use std::sync::Arc;

use strongroom::flows::FLOWS;

use super::Files;
use super::site::{MIXED, deposits, home, keys, rig_at, story};
use crate::harness::secs;
use crate::s3::{Door, Ill, SECRET, Trouble, write_keys};

type Bags = [Files; 2];

/// What becomes of one request in turn. The client asks again by itself for most of them.
const ONCE: [Ill; 7] =
    [Ill::Lost, Ill::Odd, Ill::Torn, Ill::Denied, Ill::Cut, Ill::Broken, Ill::Busy];

/// What becomes of all requests: most often what nobody asks for again, which costs no time.
const ALWAYS: [Ill; 13] = {
    let mut all = [Ill::Odd; 13];
    (all[3], all[6], all[9], all[12]) = (Ill::Denied, Ill::Busy, Ill::Denied, Ill::Cut);
    all
};

/// A story that fails as planned: the end, the requests, and what people were told.
struct Told {
    held: String,
    requests: Vec<String>,
    parked: Vec<String>,
}

fn calm(bags: &Bags) -> Told {
    let told = fails_once(bags, Trouble { ill: Ill::Odd, from: 0, until: 0 });
    assert_eq!(told.parked, Vec::<String>::new());
    told
}

/// Time passes, and a person puts back what was parked.
fn fails_once(bags: &Bags, trouble: Trouble) -> Told {
    let door = Arc::new(Door::default());
    let mut rig = rig_at(FLOWS, MIXED, &door);
    door.expect(trouble);
    let mut parked = Vec::new();
    let held = story(&mut rig, bags, &mut |rig, id| parked.extend(home(rig, id)));
    Told { held, requests: door.requests(), parked }
}

/// However often it is tried, the item waits or is parked, until the server is mended.
fn fails_always(bags: &Bags, trouble: Trouble) -> Told {
    let door = Arc::new(Door::default());
    let mut rig = rig_at(FLOWS, MIXED, &door);
    door.expect(trouble);
    let (mut parked, mut is_mended) = (Vec::new(), false);
    let held = story(&mut rig, bags, &mut |rig, id| {
        rig.drain();
        if !is_mended && !door.struck().is_empty() {
            let state = if trouble.ill == Ill::Denied { "parked" } else { "delayed" };
            for _ in 0..2 {
                assert_eq!(rig.word(id), state, "{trouble:?}: {:#?}", rig.history(id));
                rig.clock.advance(secs(61));
                rig.drain();
            }
            door.mend();
            is_mended = true;
        }
        parked.extend(home(rig, id));
    });
    assert!(is_mended, "{trouble:?} never came");
    Told { held, requests: door.requests(), parked }
}

fn is_soak() -> bool {
    std::env::var_os("STRONGROOM_SOAK_ROUNDS").is_some()
}

/// The numbers of requests, each with what becomes of it: of every other one, by chance beginning with
/// the first or the second, and everything of everyone in a soak.
fn plan(numbers: &[usize], ills: &[Ill]) -> Vec<(usize, Ill)> {
    let all = is_soak();
    let some =
        |at: usize| ills.iter().copied().cycle().skip(at).take(if all { ills.len() } else { 1 });
    let (first, step) = if all { (0, 1) } else { (fastrand::usize(..2), 2) };
    println!("from request {first} on, every {step}");
    let numbers = numbers.iter().skip(first).step_by(step);
    numbers.flat_map(|at| some(*at).map(|ill| (*at, ill))).collect()
}

/// Requests that send a file in parts, and those that keep notes of that.
fn in_parts(requests: &[String]) -> Vec<usize> {
    let part =
        |request: &String| request.contains("data/large") || request.contains("replica/uploads/");
    (1..).zip(requests).filter(|(_, request)| part(request)).map(|(at, _)| at).collect()
}

/// An upload whose very first answer is lost has a name that we never learn: it is left to a rule of
/// the bucket. Nothing else of it is there.
fn without_unnamed_upload(told: &Told, at: usize) -> String {
    let is_begun = told.requests.get(at - 1).is_some_and(|it| it.ends_with("?uploads="));
    let (unnamed, kept): (Vec<&str>, Vec<&str>) =
        told.held.lines().partition(|line| is_begun && line.starts_with(".upload-"));
    assert!(unnamed.len() <= 1, "{unnamed:?}");
    kept.join("\n")
}

/// Whether a request reads a copy back, or a file that describes the storage root: where it cannot be read,
/// the replica is asked whether it is there, and a second try needs nobody.
fn is_looked_at_again(request: &str) -> bool {
    let Some(path) = request.strip_prefix("GET /bucket-b/") else { return false };
    let is_root_file = path.starts_with("ocfl_layout.json")
        || path.starts_with("0%3Docfl")
        || path.starts_with("extensions/") && path.contains("/config.json");
    is_root_file || path.contains("/content/")
}

#[test]
fn one_request_that_fails_changes_nothing() {
    for is_large in [false, true] {
        let bags = deposits(is_large);
        let calm = calm(&bags);
        let numbers = match is_large {
            false => (1..=calm.requests.len()).collect(),
            true => in_parts(&calm.requests),
        };
        assert!(numbers.len() > 5, "{numbers:?}");
        for (at, ill) in plan(&numbers, &ONCE) {
            let told = fails_once(&bags, Trouble::once(ill, at));
            let request = &told.requests[at - 1];
            assert_eq!(without_unnamed_upload(&told, at), calm.held, "{ill:?} {at}: {request}");
            let is_nothing =
                ill != Ill::Denied || told.parked.is_empty() && is_looked_at_again(request);
            let parked = if is_nothing { Vec::new() } else { vec!["replica-denied"] };
            assert_eq!(told.parked, parked, "{ill:?} {at}: {request}");
        }
    }
}

#[test]
fn a_server_that_fails_from_some_request_on_is_waited_for() {
    for is_large in [false, true] {
        let bags = deposits(is_large);
        let calm = calm(&bags);
        let numbers = match is_large {
            false => (1..=calm.requests.len()).collect(),
            true => in_parts(&calm.requests),
        };
        for (at, ill) in plan(&numbers, &ALWAYS) {
            let told = fails_always(&bags, Trouble::always(ill, at));
            let request = &told.requests[at - 1];
            assert_eq!(without_unnamed_upload(&told, at), calm.held, "{ill:?} {at}: {request}");
        }
    }
}

#[test]
fn a_server_that_never_answers_is_waited_for() {
    if !is_soak() {
        println!("skipped: it takes minutes to give a server up; scripts/soak does it");
        return;
    }
    let bags = deposits(true);
    let calm = calm(&bags);
    let told = fails_always(&bags, Trouble::always(Ill::Silent, calm.requests.len() / 3));
    assert_eq!(told.held, calm.held);
}

#[test]
fn wrong_keys_park_at_once_with_advice() {
    let bags = deposits(false);
    let expected = calm(&bags).held;
    let door = Arc::new(Door::default());
    let mut rig = rig_at(FLOWS, MIXED, &door);
    let keys = keys(rig.dir());
    write_keys(&keys, "wrong");
    rig.restart();
    let mut is_mended = false;
    let held = story(&mut rig, &bags, &mut |rig, id| {
        rig.drain();
        if !is_mended {
            assert_eq!((rig.word(id), rig.strikes(id).attempts), ("parked", 1));
            let because = rig.reason(id);
            assert_eq!(because.code, "replica-denied");
            assert!(because.advice.contains("Correct the credentials"), "{}", because.advice);
            write_keys(&keys, SECRET);
            rig.restart();
            is_mended = true;
            rig.controls().requeue_all("replica-denied", None, "the test").unwrap();
        }
        assert_eq!(home(rig, id), Vec::<String>::new());
    });
    assert_eq!(held, expected);
}
