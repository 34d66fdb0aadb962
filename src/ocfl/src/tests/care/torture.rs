//! Hundreds of faults at random, all found in one examination and all mended.

use std::collections::BTreeSet;

use super::*;

/// At least; `STRONGROOM_FAULTS` asks for more.
const FAULTS: usize = 600;

/// Does one random thing to a file, and says which paths must be told.
fn strike(place: &Place, random: &mut fastrand::Rng, struck: &BTreeSet<String>) -> Vec<String> {
    let files = place.files();
    let mut untouched: Vec<&String> = files.keys().filter(|path| !struck.contains(*path)).collect();
    random.shuffle(&mut untouched);
    let [path, other, ..] = &untouched[..] else { return Vec::new() };
    let bytes = &files[*path];
    match random.u32(0..6) {
        0 | 1 if !bytes.is_empty() => place.flip(path, random.usize(..)),
        2 if !bytes.is_empty() => place.write(path, &bytes[..random.usize(..bytes.len())]),
        3 => place.remove(path),
        4 if files[*other] != *bytes => {
            place.swap(path, other);
            return vec![(*path).clone(), (*other).clone()];
        }
        5 => {
            let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
            let stray = format!("{folder}/stray {}", random.u32(..));
            let stray = stray.trim_start_matches('/').to_owned();
            place.write(&stray, bytes);
            return vec![stray];
        }
        _ => {
            let mut longer = bytes.clone();
            longer.extend_from_slice(b"more");
            place.write(path, &longer);
        }
    }
    vec![(*path).clone()]
}

#[test]
fn all_of_hundreds_of_faults_are_found_and_mended() {
    let seed = std::env::var("STRONGROOM_SEED").ok().and_then(|seed| seed.parse().ok());
    let seed = seed.unwrap_or_else(|| fastrand::u64(..));
    println!("seed {seed}");
    let wanted = std::env::var("STRONGROOM_FAULTS").ok().and_then(|count| count.parse().ok());
    let mut random = fastrand::Rng::with_seed(seed);
    let dir = memory_dir();
    let (a, b) = (folder(dir.path(), "a"), folder(dir.path(), "b"));
    fill(&[&a, &b]);
    let known = Known::of(&a);
    let place = Place::of(&dir.path().join("a"));
    let whole = place.files();
    let (mut count, mut round) = (0, 0);
    while count < wanted.unwrap_or(FAULTS) {
        let mut struck = BTreeSet::new();
        for _ in 0..random.usize(1..=12) {
            let paths = strike(&place, &mut random, &struck);
            count += paths.len();
            struck.extend(paths);
        }
        let flaws = known.examine(&[&a, &b]).unwrap();
        let told: BTreeSet<String> = flaws.iter().map(|flaw| flaw.path.clone()).collect();
        assert_eq!(told, struck, "seed {seed} round {round}");
        for (flaw, became) in known.mend(&[&a, &b], &flaws).unwrap() {
            let is_well = matches!(became, Became::Mended { .. } | Became::SetAside { .. });
            assert!(is_well, "seed {seed} round {round}: {flaw:?} {became:?}");
        }
        assert_eq!(known.examine(&[&a, &b]).unwrap(), [], "seed {seed} round {round}");
        assert!(place.files() == whole, "seed {seed} round {round}");
        if round % 10 == 0 {
            validate(&dir.path().join("a"));
        }
        round += 1;
    }
    validate(&dir.path().join("a"));
}
