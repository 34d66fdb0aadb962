//! Dates as catalogues and feeds write them.
//!
//! [`exact`] reads the spellings that are agreed on, and gives the same moment for the same text in
//! every version of the program: an episode is known by its title and date. [`guess`] is for feeds only:
//! of any other text it takes what the text most likely means, and whoever calls it says so.

use jiff::civil::DateTime;
use jiff::tz::Offset;
use storage::clock::Timestamp;

use tokens::{Token, tokens};

mod tokens;

/// Longest text that is looked at, in bytes.
const TEXT_MAX: usize = 120;
/// Farthest that a clock is from UTC, in minutes.
const OFFSET_MAX: i32 = 15 * 60;

/// How months begin, in the languages that feeds are written in, without accents. The first that fits
/// counts.
const MONTHS: [(&str, i8); 35] = [
    ("jan", 1),
    ("gen", 1),
    ("ene", 1),
    ("feb", 2),
    ("fev", 2),
    ("mar", 3),
    ("maar", 3),
    ("mrt", 3),
    ("apr", 4),
    ("avr", 4),
    ("abr", 4),
    ("may", 5),
    ("mai", 5),
    ("mei", 5),
    ("maj", 5),
    ("mag", 5),
    ("juil", 7),
    ("jun", 6),
    ("jui", 6),
    ("giu", 6),
    ("jul", 7),
    ("lug", 7),
    ("aug", 8),
    ("aou", 8),
    ("ago", 8),
    ("sep", 9),
    ("set", 9),
    ("oct", 10),
    ("okt", 10),
    ("ott", 10),
    ("out", 10),
    ("nov", 11),
    ("dec", 12),
    ("dez", 12),
    ("dic", 12),
];
/// Days of the week that begin as a month does.
const DAYS: [&str; 3] = ["mardi", "martes", "martedi"];

/// Names of clocks, and how many minutes they are from UTC.
const ZONES: [(&str, i32); 43] = [
    ("z", 0),
    ("ut", 0),
    ("utc", 0),
    ("gmt", 0),
    ("wet", 0),
    ("west", 60),
    ("bst", 60),
    ("cet", 60),
    ("met", 60),
    ("mez", 60),
    ("cest", 120),
    ("mest", 120),
    ("mesz", 120),
    ("sast", 120),
    ("eet", 120),
    ("eest", 180),
    ("msk", 180),
    ("awst", 480),
    ("hkt", 480),
    ("sgt", 480),
    ("jst", 540),
    ("kst", 540),
    ("acst", 570),
    ("acdt", 630),
    ("aest", 600),
    ("aedt", 660),
    ("nzst", 720),
    ("nzdt", 780),
    ("nst", -210),
    ("ast", -240),
    ("adt", -180),
    ("est", -300),
    ("edt", -240),
    ("et", -300),
    ("cst", -360),
    ("cdt", -300),
    ("mst", -420),
    ("mdt", -360),
    ("pst", -480),
    ("pdt", -420),
    ("pt", -480),
    ("akst", -540),
    ("hst", -600),
];

/// The moment of a text in RFC 3339, as a day, or as mail and RSS write it.
pub(super) fn exact(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    let day = || Timestamp::parse(&format!("{text}T00:00:00Z"));
    let mail = || milliseconds(jiff::fmt::rfc2822::parse(text).ok()?.timestamp().as_millisecond());
    Timestamp::parse(text).or_else(day).or_else(mail)
}

/// What a text most likely means. Without a time it means the beginning of the day, without a clock UTC.
/// Days and months that cannot be told apart are in the order of the United States between slashes, and
/// in that of Europe otherwise.
pub(super) fn guess(text: &str) -> Option<Timestamp> {
    if text.len() > TEXT_MAX {
        return None;
    }
    let mut tokens = tokens(text);
    if let [Token::Number { digits }] = tokens.as_slice()
        && let Some(moment) = counted(digits)
    {
        return Some(moment);
    }
    let time = take_time(&mut tokens);
    let (year, month, day) = date(&tokens)?;
    let [hour, minute, second, milli] = time.parts;
    let start = DateTime::new(year, month, day, 0, 0, 0, 0).ok()?;
    let offset = Offset::from_seconds(time.offset_minutes * 60).ok()?;
    let start_ms = offset.to_timestamp(start).ok()?.as_millisecond();
    // A clock may say 24:00, and count a leap second.
    let seconds = (hour * 60 + minute) * 60 + second.min(59);
    milliseconds(start_ms + i64::from(seconds) * 1000 + i64::from(milli))
}

/// Moments before 1970 have no place in the registry.
fn milliseconds(since_1970: i64) -> Option<Timestamp> {
    u64::try_from(since_1970).ok().map(Timestamp)
}

/// A text of digits alone: seconds or milliseconds since 1970, or the parts of a date in one.
fn counted(digits: &str) -> Option<Timestamp> {
    let part = |from: usize, to: usize| digits.get(from..to).unwrap_or("00");
    match digits.len() {
        9 | 10 => milliseconds(digits.parse::<i64>().ok()?.checked_mul(1000)?),
        13 => milliseconds(digits.parse().ok()?),
        12 | 14 => exact(&format!(
            "{}-{}-{}T{}:{}:{}Z",
            part(0, 4),
            part(4, 6),
            part(6, 8),
            part(8, 10),
            part(10, 12),
            part(12, 14)
        )),
        _ => None,
    }
}

/// The time of day, and how far its clock is from UTC.
#[derive(Default)]
struct Time {
    /// Hour, minute, second and millisecond.
    parts: [i32; 4],
    offset_minutes: i32,
}

/// Takes the time of day out of a text, with the clock that it is by.
fn take_time(tokens: &mut Vec<Token>) -> Time {
    let Some((at, mut end, mut parts)) = (0..tokens.len()).find_map(|at| {
        let (length, parts) = time_at(&tokens[at..])?;
        Some((at, at + length, parts))
    }) else {
        return Time::default();
    };
    end += spaces(&tokens[end..]);
    if let Some(Token::Word(word)) = tokens.get(end)
        && ["am", "pm"].contains(&word.as_str())
        && (1..=12).contains(&parts[0])
    {
        parts[0] = parts[0] % 12 + if word == "pm" { 12 } else { 0 };
        end += 1;
        end += spaces(&tokens[end..]);
    }
    let (length, offset_minutes) = offset(&tokens[end..]);
    drop(tokens.splice(at..end + length, [Token::Space]));
    let [hour, minute, second, _] = parts;
    let is_real = hour < 24 || (hour, minute, second) == (24, 0, 0);
    let parts = if is_real && minute < 60 && second <= 60 { parts } else { [0; 4] };
    Time { parts, offset_minutes }
}

/// A time of day at the beginning: how many tokens it takes.
fn time_at(tokens: &[Token]) -> Option<(usize, [i32; 4])> {
    let number = |at: usize| tokens.get(at).and_then(Token::short);
    let is = |at: usize, mark: char| tokens.get(at) == Some(&Token::Mark(mark));
    let is_word =
        |at: usize, word: &str| matches!(tokens.get(at), Some(Token::Word(it)) if it == word);
    // As in 20210228T080000.
    if is_word(0, "t")
        && let Some(Token::Number { digits }) = tokens.get(1)
        && [4, 6].contains(&digits.len())
    {
        let pair = |at: usize| digits.get(at..at + 2).and_then(|it| it.parse().ok()).unwrap_or(0);
        return Some((2, [pair(0), pair(2), pair(4), 0]));
    }
    let hour = number(0)?;
    if is(1, ':') || is_word(1, "h") {
        let Some(minute) = number(2) else {
            return is_word(1, "h").then_some((2, [hour, 0, 0, 0]));
        };
        let (mut length, mut second, mut milli) = (3, 0, 0);
        if is(3, ':')
            && let Some(found) = number(4)
        {
            (length, second) = (5, found);
            if (is(5, '.') || is(5, ','))
                && let Some(Token::Number { digits }) = tokens.get(6)
            {
                let three: String = digits.chars().chain("00".chars()).take(3).collect();
                (length, milli) = (7, three.parse().unwrap_or(0));
            }
        }
        return Some((length, [hour, minute, second, milli]));
    }
    // As in 8 pm: the word behind it is taken with it later.
    let behind = 1 + spaces(&tokens[1..]);
    (is_word(behind, "am") || is_word(behind, "pm")).then_some((1, [hour, 0, 0, 0]))
}

/// How far a clock is from UTC, by its name or a number: how many tokens say so, and minutes.
fn offset(tokens: &[Token]) -> (usize, i32) {
    let named = match tokens.first() {
        Some(Token::Word(word)) => ZONES.iter().find(|(name, _)| name == word),
        _ => None,
    };
    let start = usize::from(named.is_some());
    let by_name = (start, named.map_or(0, |(_, minutes)| *minutes));
    let sign = match tokens.get(start) {
        Some(Token::Mark('+')) => 1,
        Some(Token::Mark('-')) => -1,
        _ => return by_name,
    };
    let Some(Token::Number { digits }) = tokens.get(start + 1) else { return by_name };
    let Ok(number) = digits.parse::<i32>() else { return by_name };
    let minutes = (tokens.get(start + 2) == Some(&Token::Mark(':')))
        .then(|| tokens.get(start + 3).and_then(Token::short))
        .flatten();
    let (length, far) = match (digits.len(), minutes) {
        (1 | 2, Some(minutes)) => (4, number * 60 + minutes),
        (1 | 2, None) => (2, number * 60),
        (3 | 4, _) => (2, number / 100 * 60 + number % 100),
        _ => return by_name,
    };
    // A number that is no offset may be a part of the date.
    if far > OFFSET_MAX { by_name } else { (start + length, sign * far) }
}

fn spaces(tokens: &[Token]) -> usize {
    tokens.iter().take_while(|it| **it == Token::Space).count()
}

/// Year, month and day of what is left without the time.
fn date(tokens: &[Token]) -> Option<(i16, i8, i8)> {
    // The last: a day of the week may look like a month, and stands before it.
    let named = tokens.iter().rev().find_map(|token| match token {
        Token::Word(word) => month(word),
        Token::Number { .. } | Token::Mark(_) | Token::Space => None,
    });
    let numbers: Vec<&str> = tokens
        .iter()
        .filter_map(|token| match token {
            Token::Number { digits } => Some(digits.as_str()),
            Token::Word(_) | Token::Mark(_) | Token::Space => None,
        })
        .collect();
    match named {
        Some(month) => beside(month, &numbers),
        None => tokens.windows(5).find_map(three).or_else(|| alone(tokens, &numbers)),
    }
}

/// A date whose month is a word.
fn beside(month: i8, numbers: &[&str]) -> Option<(i16, i8, i8)> {
    let day_at = numbers.iter().position(|it| day(it).is_some());
    let year_at = (0..numbers.len()).find(|at| Some(*at) != day_at && year(numbers[*at]).is_some());
    let year = year(numbers[year_at?])?;
    let day = day_at.map_or(Some(1), |at| day(numbers[at]))?;
    Some((year, month, day))
}

/// Three numbers between the same marks.
fn three(tokens: &[Token]) -> Option<(i16, i8, i8)> {
    let [Token::Number { digits: a }, mark, Token::Number { digits: b }, other, third] = tokens
    else {
        return None;
    };
    let Token::Number { digits: c } = third else { return None };
    let is_year_first = a.len() == 4;
    let is_marked = matches!(mark, Token::Mark('-' | '/' | '.'));
    if mark != other || !(is_marked || (is_year_first && *mark == Token::Space)) {
        return None;
    }
    if is_year_first {
        return Some((year(a)?, day(b)?, day(c)?));
    }
    let (first, second) = (day(a)?, day(b)?);
    let is_month_first = match (first > 12, second > 12) {
        (false, true) => true,
        (true, _) => false,
        (false, false) => *mark == Token::Mark('/'),
    };
    let (month, day) = if is_month_first { (first, second) } else { (second, first) };
    Some((year(c)?, month, day))
}

/// A date in one number, or a month or a year without a day.
fn alone(tokens: &[Token], numbers: &[&str]) -> Option<(i16, i8, i8)> {
    match numbers {
        [it] if it.len() == 8 => {
            Some((year(it.get(..4)?)?, day(it.get(4..6)?)?, day(it.get(6..)?)?))
        }
        [it] if it.len() == 4 && tokens.iter().all(|it| !matches!(it, Token::Word(_))) => {
            Some((year(it)?, 1, 1))
        }
        [first, second] if first.len() == 4 => {
            let is_marked = tokens.iter().any(|it| matches!(it, Token::Mark('-' | '/')));
            is_marked.then_some((year(first)?, day(second)?, 1))
        }
        _ => None,
    }
}

/// A number that may be a day, or a month.
fn day(digits: &str) -> Option<i8> {
    (digits.len() <= 2).then(|| digits.parse().ok()).flatten().filter(|it| (1..=31).contains(it))
}

/// A year, also of two digits.
fn year(digits: &str) -> Option<i16> {
    let number: i16 = digits.parse().ok()?;
    match digits.len() {
        4 => Some(number),
        2 => Some(number + if number < 70 { 2000 } else { 1900 }),
        _ => None,
    }
}

fn month(word: &str) -> Option<i8> {
    if DAYS.contains(&word) {
        return None;
    }
    MONTHS.iter().find(|(start, _)| word.starts_with(start)).map(|(_, month)| *month)
}

#[cfg(test)]
mod tests;
