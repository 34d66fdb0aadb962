//! What is told to a depositor whose bag was not accepted: a text that can be sent as it is.

use std::fmt::Write;

use storage::clock::Timestamp;

/// Columns of the text, so that it survives being quoted in a mail.
const WIDTH: usize = 76;

/// What the report is about.
pub(crate) struct About<'a> {
    pub(crate) item: u64,
    pub(crate) name: &'a str,
    pub(crate) size_bytes: u64,
    /// Its name and identifier.
    pub(crate) institution: &'a str,
    /// When the deposit was taken in.
    pub(crate) received: Timestamp,
    pub(crate) object: &'a str,
    /// The profile it was judged by; empty for BagIt alone.
    pub(crate) profile: &'a str,
    /// How long the deposit stays, if it was not accepted.
    pub(crate) stay: Stay,
    /// Findings beyond those that are told.
    pub(crate) unshown_count: u64,
}

/// How long a deposit that was turned away stays where it was received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stay {
    /// Until a person removes it.
    UntilRemoved,
    /// Until this moment, unless a person removes it before.
    Until(Timestamp),
    /// Its item has ended: whether it still lies there is nobody's promise.
    Over,
}

/// One finding as told.
pub(crate) struct Line<'a> {
    pub(crate) is_error: bool,
    pub(crate) code: &'a str,
    pub(crate) place: &'a str,
    pub(crate) sentence: &'a str,
}

/// The report.
pub(crate) fn report<'a>(about: &About<'_>, lines: impl Iterator<Item = Line<'a>>) -> String {
    let (mut told, mut errors, mut warnings) = (String::new(), 0_u64, 0_u64);
    for (at, line) in lines.enumerate() {
        let severity = if line.is_error { "error" } else { "warning" };
        *(if line.is_error { &mut errors } else { &mut warnings }) += 1;
        let place = if line.place.is_empty() { "the bag" } else { line.place };
        let head = format!("{}. {severity} in {place} ({})", at + 1, line.code);
        wrap(&mut told, &head, "", "   ");
        wrap(&mut told, line.sentence, "   ", "   ");
        told.push('\n');
    }
    if about.unshown_count > 0 {
        wrap(&mut told, &format!("... and {} more.", about.unshown_count), "", "");
        told.push('\n');
    }
    let accepted = if errors > 0 { "not accepted" } else { "accepted, with remarks" };
    let mut text = String::from("Report on a deposit\n===================\n\n");
    let rules = match about.profile {
        "" => "BagIt (RFC 8493)".to_owned(),
        profile => format!("BagIt (RFC 8493) and the profile {profile}"),
    };
    for (name, value) in [
        ("Deposit:", format!("{} ({} bytes)", about.name, about.size_bytes)),
        ("From:", about.institution.to_owned()),
        ("Received:", about.received.to_minute()),
        ("To become:", about.object.to_owned()),
        ("Judged by:", rules),
        ("Result:", format!("{accepted}; errors: {errors}, warnings: {warnings}")),
    ] {
        wrap(&mut text, &value, &format!("{name:<12}"), "            ");
    }
    text.push_str("\nWhat is wrong, and what to do\n-----------------------------\n\n");
    text.push_str(&told);
    text.push_str("What happens now\n----------------\n\n");
    let now = if errors > 0 {
        let stays = match about.stay {
            Stay::UntilRemoved => "It stays where it was received until somebody removes it there.",
            Stay::Until(end) => {
                &format!("It stays where it was received until {}.", end.to_minute())
            }
            Stay::Over => "",
        };
        &format!(
            "Nothing of the deposit was stored, and nothing of it was changed. {stays} Please mend \
             what is listed as an error and send the bag again under the same name. Warnings need \
             not be mended."
        )
    } else {
        "The deposit goes on by itself. What is listed above need not be mended; please consider \
         it in your next deposits."
    };
    wrap(&mut text, now, "", "");
    // Writing to a string does not fail.
    writeln!(text, "\n-- \nItem {}, Strongroom {}", about.item, env!("CARGO_PKG_VERSION")).ok();
    text
}

/// Adds words in lines of bounded width. What no line should hold, such as a bell or a change of
/// direction, is shown as a mark.
fn wrap(text: &mut String, words: &str, first: &str, others: &str) {
    let mut line = first.to_owned();
    let mut bare = true;
    for word in words.split_whitespace() {
        let word: String =
            word.chars().map(|it| if is_odd(it) { '\u{fffd}' } else { it }).collect();
        if !bare && line.chars().count() + 1 + word.chars().count() > WIDTH {
            text.push_str(line.trim_end());
            text.push('\n');
            line = others.to_owned();
            bare = true;
        }
        if !bare {
            line.push(' ');
        }
        line.push_str(&word);
        bare = false;
    }
    text.push_str(line.trim_end());
    text.push('\n');
}

fn is_odd(letter: char) -> bool {
    letter.is_control() || ('\u{202a}'..='\u{202e}').contains(&letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn about(unshown_count: u64) -> About<'static> {
        About {
            item: 12,
            name: "letters.tar",
            size_bytes: 10_240,
            institution: "Our archive (archive.local)",
            received: Timestamp(1_794_813_641_000),
            object: "archive.local/letters",
            profile: "",
            stay: Stay::Until(Timestamp(1_797_405_641_000)),
            unshown_count,
        }
    }

    #[test]
    fn a_report_says_what_by_which_rules_and_what_now() {
        let line = |is_error, place| Line {
            is_error,
            code: "digest-differs",
            place,
            sentence: "The file is not what the manifest says, which means that it was changed \
                       after the bag was made. Make the bag again.",
        };
        let lines = [line(true, "data/a\u{7}\u{202e}.txt"), line(false, "")];
        let text = report(&about(3), lines.into_iter());
        for words in [
            "Deposit:    letters.tar (10240 bytes)",
            "Received:   2026-11-16 07:20 UTC",
            "Judged by:  BagIt (RFC 8493)",
            "not accepted; errors: 1, warnings: 1",
            "1. error in data/a\u{fffd}\u{fffd}.txt (digest-differs)",
            "2. warning in the bag (digest-differs)",
            "... and 3 more.",
            "until 2026-12-16 07:20 UTC.",
            "send the bag again",
            "Item 12, Strongroom",
        ] {
            assert!(text.contains(words), "{words:?} in\n{text}");
        }
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
        let calm = report(&about(0), [line(false, "x")].into_iter());
        assert!(calm.contains("accepted, with remarks") && calm.contains("goes on by itself"));
    }
}
