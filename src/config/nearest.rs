//! Which known name a misspelt one was probably meant to be.

/// The known name closest to `word`, if one is close enough to be worth suggesting.
pub(super) fn nearest<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_lowercase();
    let length = word.chars().count();
    let (distance, name) = known
        .map(|name| {
            // A name cut short (ingest06 for ingest06_storage) is as good as one letter wrong.
            let small = name.to_lowercase();
            let part = length >= 4 && small.contains(word.as_str());
            (if part { 1 } else { distance(&word, &small) }, name)
        })
        .min_by_key(|(distance, _)| *distance)?;
    (distance <= 1.max(length / 3)).then_some(name)
}

/// Insertions, deletions, replacements and swaps of neighbours between two words.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replaced.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggestions_are_close_or_absent() {
        let known =
            ["listen", "hosts", "ingest06_storage", "ingest07_storage_validation", "Glacier-OH"];
        for (word, expected) in [
            ("lisen", Some("listen")),
            ("ilsten", Some("listen")),
            ("Hosts", Some("hosts")),
            ("host", Some("hosts")),
            ("ingest06", Some("ingest06_storage")),
            ("ingest07_storage_validaton", Some("ingest07_storage_validation")),
            ("GLACIER-HO", Some("Glacier-OH")),
            ("colour", None),
            ("", None),
        ] {
            assert_eq!(nearest(word, known.into_iter()), expected, "{word}");
        }
    }
}
