//! The tags of `bag-info.txt` that change when a bag is made again from what is held, and how they
//! were before: a restored bag that comes back must be known for what it is.
//!
//! What stood in a tag is kept in `Original-...`, behind all other tags; a tag that the bag never
//! had comes last and has no original. So the way back is certain.

/// The tags that tell about the making of a bag.
const MADE: [&str; 4] = ["Payload-Oxum", "Bagging-Date", "Bag-Size", "Bagging-Software"];

/// What a restored bag says it was made with; a version may stand before the last word.
const SOFTWARE: (&str, &str) = ("Strongroom ", " restoration");

/// A label and its value.
type Tag = (String, String);

/// The tags of a restored bag. The sizes are left to those who make the bag and know them.
pub fn rewrite(tags: &[Tag], date: &str) -> Vec<Tag> {
    let software = format!("{}{}{}", SOFTWARE.0, env!("CARGO_PKG_VERSION"), SOFTWARE.1);
    let (mut kept, mut originals, mut added) = (tags.to_vec(), Vec::new(), Vec::new());
    for name in MADE {
        let value = match name {
            "Bagging-Date" => date.to_owned(),
            "Bagging-Software" => software.clone(),
            _ => String::new(),
        };
        match kept.iter().position(|tag| is(tag, name)) {
            Some(at) => {
                let original = std::mem::replace(&mut kept[at].1, value);
                originals.push((format!("Original-{name}"), original));
            }
            None => added.push((name.to_owned(), value)),
        }
    }
    kept.extend(originals);
    kept.extend(added);
    kept
}

/// The tags as they were before the bag was restored; none if these are not of a restored bag.
pub fn before(tags: &[Tag]) -> Option<Vec<Tag>> {
    let by_us = |(_, value): &Tag| value.starts_with(SOFTWARE.0) && value.ends_with(SOFTWARE.1);
    tags.iter().find(|tag| is(tag, "Bagging-Software")).filter(|tag| by_us(tag))?;
    let mut kept = tags.to_vec();
    let mut present = Vec::new();
    for name in MADE.into_iter().rev() {
        match kept.last() {
            Some(last) if is(last, name) => drop(kept.pop()),
            _ => present.push(name),
        }
    }
    for name in present {
        let (label, original) = kept.pop()?;
        label.eq_ignore_ascii_case(&format!("Original-{name}")).then_some(())?;
        kept.iter_mut().find(|tag| is(tag, name))?.1 = original;
    }
    Some(kept)
}

fn is((label, _): &Tag, name: &str) -> bool {
    label.eq_ignore_ascii_case(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tags(pairs: &[(&str, &str)]) -> Vec<Tag> {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn what_was_rewritten_is_found_again() {
        for original in [
            tags(&[]),
            tags(&[("Source-Organization", "An archive")]),
            tags(&[("bagging-date", "1999-01-01"), ("Contact-Name", "Ann"), ("Bag-Size", "3 kB")]),
            tags(&[("A", "1"), ("Payload-Oxum", "6.1"), ("Bagging-Software", "a tool")]),
            tags(&[("Bag-Size", "1"), ("Original-Bag-Size", "2"), ("Bagging-Date", "x")]),
        ] {
            let once = rewrite(&original, "2026-11-16");
            assert_eq!(before(&once).as_ref(), Some(&original));
            assert_eq!(once.iter().filter(|tag| is(tag, "Bagging-Date")).count(), 1);
            // A restored bag that was changed and kept is restored like any other.
            assert_eq!(before(&rewrite(&once, "2027-01-01")), Some(once));
        }
    }

    #[test]
    fn originals_are_kept_and_what_was_never_there_has_none() {
        let made = rewrite(&tags(&[("Bagging-Date", "1999-01-01"), ("B", "2")]), "2026-11-16");
        let shown: Vec<&str> = made.iter().map(|(name, _)| name.as_str()).collect();
        let expected = [
            "Bagging-Date",
            "B",
            "Original-Bagging-Date",
            "Payload-Oxum",
            "Bag-Size",
            "Bagging-Software",
        ];
        assert_eq!(shown, expected);
        assert_eq!((made[0].1.as_str(), made[2].1.as_str()), ("2026-11-16", "1999-01-01"));
    }

    #[test]
    fn other_bags_are_not_taken_for_restored_ones() {
        let stranger = tags(&[("Bagging-Software", "a tool"), ("Original-Bag-Size", "1")]);
        let forged = tags(&[("Bagging-Software", "Strongroom 1 restoration"), ("A", "1")]);
        for tags in [stranger, forged, Vec::new()] {
            assert_eq!(before(&tags), None, "{tags:?}");
        }
    }
}
