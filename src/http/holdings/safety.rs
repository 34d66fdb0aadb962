//! Whether something is safe: its copies, counted and put into words.

use storage::registry::{CopyCount, CopyRow, CopyState, HeldState};
use web::parts::count;
use web::{Badge, CopyLine, Safety, Tone, counted};

/// What becomes of something.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::http) enum Fate {
    Held,
    /// It, or some of it, is being deleted by this request: copies are going, one by one.
    Going(i64),
    Gone,
}

impl Fate {
    pub(in crate::http) fn of(state: HeldState, deletion_request: Option<i64>) -> Fate {
        match (state, deletion_request) {
            (HeldState::Deleted, _) => Fate::Gone,
            (HeldState::Active, Some(request)) => Fate::Going(request),
            (HeldState::Active, None) => Fate::Held,
        }
    }

    /// Stands beside the name of what is not simply held.
    pub(in crate::http) fn badge(self) -> Option<Badge> {
        match self {
            Fate::Held => None,
            Fate::Going(_) => Some(Badge::new("Being deleted", Tone::Warn)),
            Fate::Gone => Some(Badge::new("Deleted", Tone::Calm)),
        }
    }
}

/// How the copies in one replica stand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Standing {
    Verified,
    /// Fewer than another replica has.
    Incomplete,
    Unsound,
}

/// The copies of an object and what they amount to; `wanted` is how many its storage option asks
/// for.
pub(super) fn of_object(
    counts: &[CopyCount],
    wanted: usize,
    fate: Fate,
) -> (Safety, Vec<CopyLine>) {
    let all = counts.iter().map(|it| it.copy_count).max().unwrap_or(0);
    let standing = |it: &CopyCount| match it {
        it if it.unsound_count > 0 => Standing::Unsound,
        it if it.copy_count < all => Standing::Incomplete,
        _ => Standing::Verified,
    };
    let line = |it: &CopyCount| CopyLine {
        replica: it.replica.clone(),
        place: it.place.clone(),
        address: it.url.clone(),
        state: match standing(it) {
            Standing::Verified => Badge::new("Verified", Tone::Good),
            Standing::Incomplete => {
                Badge::new(format!("{} missing", count(all - it.copy_count)), Tone::Warn)
            }
            Standing::Unsound => {
                Badge::new(format!("{} not sound", count(it.unsound_count)), Tone::Bad)
            }
        },
        copies: format!("{}, all versions", counted(it.copy_count, "file")),
        stored: None,
        verified: None,
        checked: it.oldest_checked_at.to_string(),
    };
    let standings: Vec<Standing> = counts.iter().map(standing).collect();
    (verdict(&standings, wanted, fate), counts.iter().map(line).collect())
}

/// The copies of a file and what they amount to.
pub(super) fn of_file(copies: &[CopyRow], wanted: usize, fate: Fate) -> (Safety, Vec<CopyLine>) {
    let standing = |it: &CopyRow| match it.state {
        CopyState::Sound => Standing::Verified,
        CopyState::Damaged | CopyState::Missing => Standing::Unsound,
    };
    let line = |it: &CopyRow| CopyLine {
        replica: it.replica.clone(),
        place: it.place.clone(),
        address: it.url.clone(),
        state: match it.state {
            CopyState::Sound => Badge::new("Verified", Tone::Good),
            CopyState::Damaged => Badge::new("Damaged", Tone::Bad),
            CopyState::Missing => Badge::new("Missing", Tone::Bad),
        },
        copies: String::new(),
        stored: Some(it.stored_at.to_string()),
        verified: Some(it.verified_at.to_string()),
        checked: it.last_checked_at.to_string(),
    };
    let standings: Vec<Standing> = copies.iter().map(standing).collect();
    (verdict(&standings, wanted, fate), copies.iter().map(line).collect())
}

fn verdict(standings: &[Standing], wanted: usize, fate: Fate) -> Safety {
    let safety = |label: String, tone, sentence: &str| Safety {
        verdict: Badge::new(label, tone),
        sentence: sentence.to_owned(),
    };
    match fate {
        Fate::Held => {}
        Fate::Going(request) => {
            let sentence = format!(
                "Two people agreed by request {request} that it goes, whole or in part. It is taken \
                 out of one replica after the other; what is said below may not be there any more."
            );
            return safety("Being deleted".to_owned(), Tone::Warn, &sentence);
        }
        Fate::Gone => {
            let sentence = "It was deleted from every replica. What is known about it stays.";
            return safety("No copies".to_owned(), Tone::Calm, sentence);
        }
    }
    let verified = standings.iter().filter(|it| **it == Standing::Verified).count();
    let label = copies_in_words(verified);
    if standings.contains(&Standing::Unsound) {
        return safety(
            label,
            Tone::Bad,
            "Some copies were damaged or missing when they were last looked at. Nothing was \
             removed. A check repairs them where another replica has a sound copy; the page Fixity \
             says which are lost and what to do.",
        );
    }
    if verified < standings.len() || verified < wanted {
        return safety(
            label,
            Tone::Warn,
            "There are fewer whole copies than its storage option asks for. Look at its items for \
             what keeps the others, and at the replicas in the configuration.",
        );
    }
    let sentence = "Every file was read back from every replica and compared by sha512, and was \
                    sound when it was last looked at.";
    safety(label, Tone::Good, sentence)
}

fn copies_in_words(number: usize) -> String {
    let small = ["No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine"];
    let word = small.get(number).map_or_else(|| number.to_string(), |word| (*word).to_owned());
    let noun = if number == 1 { "copy" } else { "copies" };
    format!("{word} verified {noun}")
}

#[cfg(test)]
mod tests {
    use storage::clock::Timestamp;

    use super::*;

    fn replica(copy_count: u64, unsound_count: u64) -> CopyCount {
        let (replica, url, place) = ("a".to_owned(), "file:///a".to_owned(), String::new());
        CopyCount {
            replica,
            url,
            place,
            copy_count,
            unsound_count,
            last_checked_at: Timestamp(0),
            oldest_checked_at: Timestamp(0),
        }
    }

    #[test]
    fn a_verdict_counts_whole_and_sound_replicas_only() {
        for (counts, wanted, label, tone) in [
            (vec![replica(5, 0), replica(5, 0)], 2, "Two verified copies", Tone::Good),
            (vec![replica(5, 0)], 2, "One verified copy", Tone::Warn),
            (vec![replica(5, 0), replica(4, 0)], 2, "One verified copy", Tone::Warn),
            (vec![replica(5, 0), replica(5, 1)], 2, "One verified copy", Tone::Bad),
            (vec![replica(5, 5), replica(5, 1)], 2, "No verified copies", Tone::Bad),
            (vec![], 1, "No verified copies", Tone::Warn),
            (vec![replica(1, 0); 12], 3, "12 verified copies", Tone::Good),
        ] {
            let (safety, lines) = of_object(&counts, wanted, Fate::Held);
            assert_eq!((safety.verdict.label.as_str(), safety.verdict.tone), (label, tone));
            assert_eq!(lines.len(), counts.len());
        }
        let (safety, _) = of_object(&[], 2, Fate::Gone);
        assert_eq!(safety.verdict.tone, Tone::Calm);
    }
}
