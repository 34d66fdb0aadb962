//! What is asked of a report: which institution, which option, when, and of what.

use storage::registry::{BadQuery, Month};

/// What is counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Metric {
    /// Bytes.
    #[default]
    Bytes,
    /// Files.
    Files,
    /// Objects.
    Objects,
}

impl Metric {
    /// All of them.
    pub const ALL: [Metric; 3] = [Metric::Bytes, Metric::Files, Metric::Objects];

    /// The word in an address.
    pub fn name(self) -> &'static str {
        match self {
            Metric::Bytes => "bytes",
            Metric::Files => "files",
            Metric::Objects => "objects",
        }
    }
}

/// A question, as the fields of a form or of an address ask it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Question {
    /// An institution, by identifier or number.
    pub institution: Option<String>,
    /// A storage option.
    pub storage_option: Option<String>,
    /// At the beginning of which month; now when absent.
    pub month: Option<Month>,
    /// From which month on.
    pub start: Option<Month>,
    /// Until which month.
    pub end: Option<Month>,
    /// What is counted in a plot.
    pub metric: Metric,
}

/// Longest name of an institution or option that is looked for.
const LONGEST: usize = 300;

impl Question {
    /// Reads the fields; those that are empty were not asked for. Days are taken for their month,
    /// because figures are of the beginning of months.
    pub fn parse(pairs: &[(String, String)], known: &[&str]) -> Result<Question, BadQuery> {
        let mut question = Question::default();
        for (name, value) in pairs.iter().filter(|(_, value)| !value.is_empty()) {
            let bad = |problem: String| {
                let parameter = name.chars().take(80).collect();
                BadQuery { parameter, problem }
            };
            if !known.contains(&name.as_str()) {
                return Err(bad(format!("is not known here; these are: {}", known.join(", "))));
            }
            if value.len() > LONGEST {
                return Err(bad(format!("is longer than {LONGEST} bytes")));
            }
            let month = || {
                let month = Month::parse(value).or_else(|| day(value));
                month.map(Some).ok_or_else(|| bad("must be a month, as in 2026-11".to_owned()))
            };
            match name.as_str() {
                "institution" => question.institution = Some(value.clone()),
                "storage_option" => question.storage_option = Some(value.clone()),
                "date" => question.month = month()?,
                "start" => question.start = month()?,
                "end" => question.end = month()?,
                _ => {
                    let found = Metric::ALL.into_iter().find(|metric| metric.name() == value);
                    question.metric =
                        found.ok_or_else(|| bad("is one of bytes, files, objects".to_owned()))?;
                }
            }
        }
        if question.start.zip(question.end).is_some_and(|(start, end)| end < start) {
            let problem = "must not be before the start".to_owned();
            return Err(BadQuery { parameter: "end".to_owned(), problem });
        }
        Ok(question)
    }
}

/// The month of `2026-11-16`.
fn day(text: &str) -> Option<Month> {
    let (month, day) = text.rsplit_once('-')?;
    let day: u8 = day.parse().ok().filter(|_| day.len() == 2)?;
    Month::parse(month).filter(|_| (1..=31).contains(&day))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(pairs: &[(&str, &str)]) -> Result<Question, BadQuery> {
        let pairs: Vec<_> =
            pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Question::parse(&pairs, &["institution", "date", "start", "end", "metric"])
    }

    #[test]
    fn questions_are_read_and_what_is_empty_was_not_asked() {
        let asked = parse(&[("institution", "a.org"), ("date", "2026-11-16"), ("start", "")]);
        let asked = asked.unwrap();
        assert_eq!(asked.institution.as_deref(), Some("a.org"));
        assert_eq!(asked.month, Month::parse("2026-11"));
        assert_eq!((asked.start, asked.metric), (None, Metric::Bytes));
        assert_eq!(parse(&[("metric", "files")]).unwrap().metric, Metric::Files);
    }

    #[test]
    fn what_is_not_understood_is_refused_with_a_sentence() {
        for (name, value, words) in [
            ("colour", "red", "is not known here; these are: institution,"),
            ("storage_option", "x", "is not known here"),
            ("date", "yesterday", "must be a month"),
            ("date", "2026-11-99", "must be a month"),
            ("date", "2026-13", "must be a month"),
            ("metric", "weight", "is one of bytes, files, objects"),
            ("institution", &"x".repeat(301), "is longer than 300 bytes"),
        ] {
            let refused = parse(&[(name, value)]).unwrap_err();
            assert!(refused.problem.contains(words), "{name}={value:.20}: {refused}");
        }
        let refused = parse(&[("start", "2026-11"), ("end", "2026-10")]).unwrap_err();
        assert_eq!(refused.parameter, "end");
    }
}
