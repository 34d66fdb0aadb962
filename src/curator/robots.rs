//! What a site asks of programs that read it: `robots.txt`, by RFC 9309.
//!
//! Bounded: the text, its rules and the length of each, so that no file keeps us busy.

use std::time::Duration;

/// What is read of a file; the standard asks for this much.
pub(super) const TEXT_MAX: u64 = 500 << 10;
/// The name that groups of rules may be for.
const NAME: &str = "strongroom";
/// Most rules, and the longest.
const RULES_MAX: usize = 2000;
const RULE_BYTES: usize = 1000;
/// The longest pause between two pages that is heeded.
const DELAY_MAX: Duration = Duration::from_secs(60);

/// The rules of one site.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Robots {
    rules: Vec<Rule>,
    /// How long to wait between two pages, where the site says so.
    pub(super) delay: Duration,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Rule {
    allows: bool,
    pattern: String,
}

/// Rules for us by our name, and for everybody.
#[derive(Default)]
struct Groups {
    own: Option<Robots>,
    all: Robots,
}

impl Robots {
    /// Reads the rules for us: those under our name, or else those for everybody.
    pub(super) fn read(text: &str) -> Robots {
        let mut groups = Groups::default();
        let (mut is_own, mut is_all, mut names_end) = (false, false, false);
        for line in text.trim_start_matches('\u{feff}').lines() {
            let line = line.split('#').next().unwrap_or_default();
            let Some((key, value)) = line.split_once(':') else { continue };
            let (key, value) = (key.trim().to_ascii_lowercase(), value.trim());
            if key == "user-agent" {
                // Names in a row share the rules behind them.
                if names_end {
                    (is_own, is_all, names_end) = (false, false, false);
                }
                is_own |= product(value).eq_ignore_ascii_case(NAME);
                is_all |= value == "*";
                if is_own {
                    groups.own.get_or_insert_default();
                }
                continue;
            }
            if ["allow", "disallow", "crawl-delay"].contains(&key.as_str()) {
                names_end = true;
                if is_own {
                    groups.own.get_or_insert_default().take(&key, value);
                }
                if is_all {
                    groups.all.take(&key, value);
                }
            }
        }
        groups.own.unwrap_or(groups.all)
    }

    fn take(&mut self, key: &str, value: &str) {
        if key == "crawl-delay" {
            let seconds = value.parse::<f64>().ok().filter(|it| it.is_finite() && *it >= 0.0);
            let most = DELAY_MAX.as_secs_f64();
            let delay = seconds.map_or(Duration::ZERO, |it| Duration::from_secs_f64(it.min(most)));
            self.delay = self.delay.max(delay);
        } else if !value.is_empty() && value.len() <= RULE_BYTES && self.rules.len() < RULES_MAX {
            self.rules.push(Rule { allows: key == "allow", pattern: normal(value) });
        }
    }

    /// Whether a path with its query may be read: the longest rule that fits it decides, and allows it
    /// when another of the same length does not.
    pub(super) fn allows(&self, path: &str) -> bool {
        let path = normal(path);
        let fitting = self.rules.iter().filter(|rule| rule.fits(&path));
        fitting.max_by_key(|rule| (rule.pattern.len(), rule.allows)).is_none_or(|rule| rule.allows)
    }
}

impl Rule {
    /// Whether the pattern is how the path begins; a star stands for anything, and a dollar at the end
    /// for the end of the path.
    fn fits(&self, path: &str) -> bool {
        let (pattern, is_whole) = match self.pattern.strip_suffix('$') {
            Some(pattern) => (pattern, true),
            None => (self.pattern.as_str(), false),
        };
        let mut pieces = pattern.split('*');
        let first = pieces.next().unwrap_or_default();
        let Some(mut rest) = path.strip_prefix(first) else { return false };
        let pieces: Vec<&str> = pieces.collect();
        let Some((last, between)) = pieces.split_last() else {
            return !is_whole || rest.is_empty();
        };
        for piece in between.iter().chain((!is_whole).then_some(last)) {
            let Some((_, behind)) = rest.split_once(piece) else { return false };
            rest = behind;
        }
        !is_whole || rest.ends_with(last)
    }
}

/// The name in `strongroom/1.2 (remark)`.
fn product(value: &str) -> &str {
    let end = value.find(|it: char| !(it.is_ascii_alphanumeric() || "-_".contains(it)));
    &value[..end.unwrap_or(value.len())]
}

/// One spelling for all that mean the same: letters beyond ASCII as bytes with a percent sign, and the
/// digits of these in capitals.
fn normal(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut digits = 0;
    for byte in text.bytes() {
        match byte {
            b'%' => {
                digits = 2;
                plain.push('%');
            }
            byte if digits > 0 && byte.is_ascii_hexdigit() => {
                digits -= 1;
                plain.push(char::from(byte.to_ascii_uppercase()));
            }
            byte if byte.is_ascii() => {
                digits = 0;
                plain.push(char::from(byte));
            }
            byte => plain += &format!("%{byte:02X}"),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn refused<'p>(text: &str, paths: &[&'p str]) -> Vec<&'p str> {
        let robots = Robots::read(text);
        paths.iter().copied().filter(|path| !robots.allows(path)).collect()
    }

    #[test]
    fn the_rules_under_our_name_count_and_else_those_for_everybody() {
        let paths = ["/feed", "/private/feed"];
        let all = "User-agent: *\nDisallow: /private/ # ours\n";
        assert_eq!(refused(all, &paths), ["/private/feed"]);
        let own =
            format!("{all}\nUser-Agent: other\nUSER-AGENT: Strongroom/1.0\nDisallow: /feed\n");
        assert_eq!(refused(&own, &paths), ["/feed"]);
        let free = format!("{all}\nuser-agent: strongroom\nDisallow:\n");
        assert_eq!(refused(&free, &paths), [""; 0]);
        let others =
            "User-agent: strongroom-mirror\nDisallow: /\n\nUser-agent: other\nDisallow: /\n";
        assert_eq!(refused(others, &paths), [""; 0]);
        let twice = "user-agent: strongroom\ndisallow: /feed\nuser-agent: x\ndisallow: /\n\
             user-agent: strongroom\ndisallow: /private\n";
        assert_eq!(refused(twice, &paths), paths, "groups of the same name are one");
        assert_eq!(refused("<html>no rules here: none</html>", &paths), [""; 0]);
    }

    #[test]
    fn the_longest_rule_decides_and_stars_and_dollars_stand_for_what_the_standard_says() {
        let rules = "user-agent: *\ndisallow: /a\nallow: /a/feed\ndisallow: /*.xml$\nallow: /b.xml$\n\
             disallow: /c*d*e\ndisallow: /caf%c3%a9\nallow: /same\ndisallow: /same\n";
        let refused = refused(
            rules,
            &[
                "/a",
                "/ab",
                "/a/feed",
                "/x.xml",
                "/x.xml?p=2",
                "/b.xml",
                "/c1d2e3",
                "/ce",
                "/café",
                "/caf%C3%A9",
                "/same",
                "/",
            ],
        );
        assert_eq!(refused, ["/a", "/ab", "/x.xml", "/c1d2e3", "/café", "/caf%C3%A9"]);
    }

    #[test]
    fn a_pause_that_a_site_asks_for_is_read_and_bounded() {
        let delay = |text: &str| Robots::read(&format!("user-agent: *\ncrawl-delay: {text}")).delay;
        assert_eq!(delay("2.5"), Duration::from_millis(2500));
        assert_eq!(delay("1e300"), DELAY_MAX);
        for bad in ["-1", "NaN", "soon", ""] {
            assert_eq!(delay(bad), Duration::ZERO, "{bad}");
        }
    }

    #[test]
    fn rules_are_bounded() {
        let many = format!("user-agent: *\n{}", "disallow: /x*y*z\n".repeat(100_000));
        assert_eq!(Robots::read(&many).rules.len(), RULES_MAX);
        let long = format!("user-agent: *\ndisallow: /{}\n", "x".repeat(RULE_BYTES));
        assert_eq!(Robots::read(&long).rules, []);
    }

    proptest! {
        #[test]
        fn nothing_panics(text in "(user-agent: ?(\\*|strongroom)\n|(dis)?allow: ?[/a%é*$]{0,9}\n|.{0,9}\n){0,9}", path in "/[a%é*$]{0,20}") {
            Robots::read(&text).allows(&path);
        }
    }
}
