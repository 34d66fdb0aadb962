//! Make a bag, damage it anywhere, judge it: it is never called valid.

use std::collections::BTreeMap;

use digests::Algorithm;
use proptest::prelude::*;

use crate::bags::build::{Draft, VERSIONS, verdict};
use crate::bags::pack::{CONTAINERS, Container, pack};

/// A random bag whose tag manifests cover all that is not a tag manifest.
fn draft() -> impl Strategy<Value = Draft> {
    let name = "[a-zé][a-z0-9 %~é]{0,8}(/[a-z]{1,6})?";
    let payload =
        proptest::collection::btree_map(name, proptest::collection::vec(any::<u8>(), 0..300), 1..6);
    (payload, 0..VERSIONS.len(), 1_u8..64).prop_map(|(payload, version, chosen)| {
        let mut draft = Draft::new(VERSIONS[version]);
        draft.algorithms = Algorithm::ALL
            .into_iter()
            .filter(|algorithm| chosen & 1 << *algorithm as u8 != 0)
            .collect();
        for (name, bytes) in payload {
            // A random name may be a folder of another one; it is then kept apart by its ending.
            let safe = name.replace('/', "_/") + ".x";
            draft.put(format!("data/{safe}"), bytes);
        }
        draft.seal()
    })
}

fn container() -> impl Strategy<Value = Container> {
    (0..CONTAINERS.len()).prop_map(|at| CONTAINERS[at])
}

/// What a tag manifest lists, without regard to case and white space: it is in no manifest
/// itself, so only changes of its meaning can be seen.
fn meaning(bytes: &[u8]) -> BTreeMap<String, String> {
    let text = String::from_utf8_lossy(bytes).replace('\r', "\n");
    let lines = text.lines().filter_map(|line| line.trim_end().split_once([' ', '\t']));
    lines.map(|(digest, path)| (path.trim().to_owned(), digest.to_lowercase())).collect()
}

fn is_tag_manifest(path: &[u8]) -> bool {
    path.starts_with(b"tagmanifest-")
}

fn pick(draft: &Draft, at: usize) -> (&Vec<u8>, &Vec<u8>) {
    draft.files.iter().nth(at % draft.files.len()).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_bag_as_made_is_valid(draft in draft(), container in container()) {
        let packed = pack(&draft, container);
        let verdict = verdict(&packed.path);
        prop_assert!(verdict.valid, "{verdict:#?}");
    }

    #[test]
    fn a_damaged_byte_is_seen(
        draft in draft(), container in container(), file: usize, at: usize, flip in 1_u8..,
    ) {
        let (path, bytes) = pick(&draft, file);
        prop_assume!(!bytes.is_empty());
        let mut damaged = bytes.clone();
        let at = at % damaged.len();
        damaged[at] ^= flip;
        prop_assume!(!is_tag_manifest(path) || meaning(bytes) != meaning(&damaged));
        let path = path.clone();
        let mut draft = draft;
        draft.put(&path, damaged);
        let packed = pack(&draft, container);
        let verdict = verdict(&packed.path);
        prop_assert!(!verdict.valid, "{} at {at}", String::from_utf8_lossy(&path));
    }

    #[test]
    fn a_renamed_or_removed_file_is_seen(
        draft in draft(), container in container(), file: usize, rename: bool,
    ) {
        let path = pick(&draft, file).0.clone();
        prop_assume!(!is_tag_manifest(&path));
        let mut draft = draft;
        let bytes = draft.files.remove(&path).unwrap();
        if rename {
            draft.put([&path[..], b"~"].concat(), bytes);
        }
        let packed = pack(&draft, container);
        let verdict = verdict(&packed.path);
        prop_assert!(!verdict.valid && !verdict.complete, "{}", String::from_utf8_lossy(&path));
    }

    #[test]
    fn a_line_lost_doubled_or_cut_is_seen(
        draft in draft(), container in container(), file: usize, at: usize, how in 0..3_u8,
    ) {
        let (path, bytes) = pick(&draft, file);
        prop_assume!(path.ends_with(b".txt") && !bytes.is_empty());
        let text = String::from_utf8(bytes.clone());
        prop_assume!(text.is_ok());
        let text = text.unwrap();
        let lines: Vec<&str> = text.lines().collect();
        prop_assume!(!lines.is_empty());
        let at = at % lines.len();
        let changed: String = lines.iter().enumerate().map(|(number, line)| match how {
            _ if number != at => format!("{line}\n"),
            0 => String::new(),
            1 => format!("{line}\n{line}\n"),
            _ => line.chars().take(line.chars().count() / 2).chain(['\n']).collect(),
        }).collect();
        // A tag manifest may leave tag files out, and old versions let it list them twice; what
        // it must list are the manifests.
        prop_assume!(changed != text && !is_tag_manifest(path));
        let path = path.clone();
        let mut draft = draft;
        draft.put(&path, changed);
        let packed = pack(&draft, container);
        let verdict = verdict(&packed.path);
        prop_assert!(!verdict.valid, "{}", String::from_utf8_lossy(&path));
    }

    #[test]
    fn a_new_payload_file_is_seen(draft in draft(), container in container()) {
        let mut draft = draft;
        draft.put("data/zz-new", "new");
        let packed = pack(&draft, container);
        prop_assert!(!verdict(&packed.path).valid);
    }
}
