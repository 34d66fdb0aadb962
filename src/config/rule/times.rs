//! The rule for hours of the day.

use super::words::quoted;
use super::{Given, Rule};
use crate::config::meant::QuietHours;

/// Two times of the day with a dash between.
pub(in crate::config) struct Hours;

impl Rule for Hours {
    type Meant = QuietHours;
    fn read(&self, given: Given<'_>) -> Option<QuietHours> {
        let (from, until) = given.text()?.split_once('-')?;
        let (from_min, until_min) = (minutes(from)?, minutes(until)?);
        (from_min != until_min).then_some(QuietHours { from_min, until_min })
    }
    fn allowed(&self) -> String {
        "two times of the day, such as \"08:00-18:00\" or \"22:00-06:00\"".to_owned()
    }
    fn write(&self, meant: &QuietHours) -> String {
        let told = |min: u32| format!("{:02}:{:02}", min / 60, min % 60);
        quoted(&format!("{}-{}", told(meant.from_min), told(meant.until_min)))
    }
}

fn minutes(text: &str) -> Option<u32> {
    let (hours, minutes) = text.trim().split_once(':')?;
    let is_short = |part: &str| part.len() == 2 && part.bytes().all(|it| it.is_ascii_digit());
    if !is_short(hours) || !is_short(minutes) {
        return None;
    }
    let (hours, minutes): (u32, u32) = (hours.parse().ok()?, minutes.parse().ok()?);
    (hours < 24 && minutes < 60).then_some(hours * 60 + minutes)
}
