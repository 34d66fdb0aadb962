//! A child process is killed at random instants while it mends; a repeat finishes its work.

use std::time::Duration;

use super::*;

const CHILD: &str = "tests::care::crash::child_that_is_killed";
const PLACE: &str = "STRONGROOM_TEST_MEND";

fn many() -> Bag {
    let file =
        |n: usize| (format!("data/{}/{n}", n % 5), vec![n.to_le_bytes()[0]; 1 + n * 331 % 9000]);
    (0..80).map(file).chain([("data/large".to_owned(), vec![9; 3 << 20])]).collect()
}

fn damage(place: &Place) {
    for (at, path) in place.files().into_keys().enumerate() {
        match at % 3 {
            0 => place.flip(&path, at),
            1 => place.remove(&path),
            _ => place.write(&format!("{path} stray"), b"stray"),
        }
    }
}

fn run(dir: &Path) {
    let (a, b) = (folder(dir, "a"), folder(dir, "b"));
    let mut confirm = |_: &Inventory| Ok(true);
    let truth = Truth::find(&object(), 1, &[&b], &mut confirm).unwrap().unwrap();
    let go_on = |_| Ok::<(), VaultError>(());
    let flaws = a.examine(&truth, go_on).unwrap().flaws;
    let mending = Mending { truth: &truth, flaws: &flaws, sources: &[&b], moment: "1" };
    a.mend(mending, go_on, |_, _| Ok(())).unwrap();
    assert_eq!(a.examine(&truth, go_on).unwrap().flaws, []);
}

/// Does nothing unless it is started by the test below.
#[test]
fn child_that_is_killed() {
    if let Some(dir) = std::env::var_os(PLACE) {
        run(&PathBuf::from(dir));
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a real process is killed at a real instant")]
fn a_mend_that_was_killed_is_completed_by_the_next() {
    let seed = fastrand::u64(..);
    println!("seed {seed}");
    let mut random = fastrand::Rng::with_seed(seed);
    let dir = tempfile::tempdir().unwrap();
    let (a, b) = (folder(dir.path(), "a"), folder(dir.path(), "b"));
    ingest(&[&a, &b], 1, &many()).unwrap();
    for replica in [&a, &b] {
        tell(replica, 1, "told").unwrap();
    }
    let place = Place::of(&dir.path().join("a"));
    let whole = place.files();
    damage(&place);
    let begun = std::time::Instant::now();
    assert!(child(CHILD, (PLACE, dir.path())).wait().unwrap().success());
    let whole_run = begun.elapsed();
    for round in 0..8 {
        damage(&place);
        for _ in 0..=(round % 2) {
            let mut child = child(CHILD, (PLACE, dir.path()));
            let most = u64::try_from(whole_run.as_micros()).unwrap();
            std::thread::sleep(Duration::from_micros(random.u64(0..most)));
            child.kill().unwrap();
            child.wait().unwrap();
        }
        run(dir.path());
        assert!(place.files() == whole, "seed {seed} round {round}");
        if round % 4 == 0 {
            validate(&dir.path().join("a"));
        }
    }
}
