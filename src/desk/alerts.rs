//! Alerts as the desk tells them: by filter, one by one, and read or unread by a person.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use storage::registry::{ALERTS, AlertRow, BadQuery, Counting, OutboxRow, Query, Reader};

use super::{Desk, DeskError};
use crate::alerts::Kind;

/// Messages shown of one alert.
const SENT: u32 = 1000;
/// Alerts marked by number in one go.
const MARKED: usize = 1000;

/// A page of alerts.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AlertList {
    /// How many there are.
    pub count: u64,
    /// False when there are more than were counted.
    pub count_is_exact: bool,
    /// Continues behind this page.
    pub next_cursor: Option<String>,
    /// The alerts.
    pub alerts: Vec<AlertTold>,
}

/// One alert, and whether whoever asks has read it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AlertTold {
    /// The alert.
    #[serde(flatten)]
    pub alert: AlertRow,
    /// Not read yet; absent when nobody in particular asks.
    pub unread: Option<bool>,
}

/// One alert with what was sent about it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AlertDetail {
    /// The alert.
    pub alert: AlertTold,
    /// What was to be sent, and what became of it.
    pub sent: Vec<OutboxRow>,
}

/// How many alerts were marked.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Marked {
    /// The number.
    pub marked: u64,
}

/// Which alerts to mark, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Marking {
    /// These were read.
    Read(Vec<i64>),
    /// All were read.
    AllRead,
    /// These were not.
    Unread(Vec<i64>),
}

impl Desk<'_> {
    /// The reader that a user is, by e-mail address.
    pub fn alert_reader(&self, email: &str) -> Result<Reader, DeskError> {
        let user = self.app.registry.user_by_email(email)?;
        let reader = match user {
            Some(user) => self.app.registry.alert_reader(user.id)?,
            None => None,
        };
        reader.ok_or_else(|| DeskError::NoSuchReader(email.to_owned()))
    }

    /// Alerts by filter, those that the reader may see; with nobody, all. `unread=true` asks for
    /// what the reader has not read.
    pub fn alerts(
        &self,
        pairs: &[(String, String)],
        reader: Option<Reader>,
        counting: Counting,
    ) -> Result<AlertList, DeskError> {
        let (unread, pairs): (Vec<_>, Vec<_>) =
            pairs.iter().cloned().partition(|(name, _)| name == "unread");
        check_words(&pairs)?;
        let mut query = Query::parse(&ALERTS, &pairs)?.counting(counting);
        if let Some(reader) = reader {
            query = query.seen_by(reader.sight());
        }
        for (name, value) in unread {
            let bad = |problem: &str| BadQuery { parameter: name.clone(), problem: problem.into() };
            let Some(reader) = reader else { return Err(bad("asks who has not read it").into()) };
            if value != "true" {
                return Err(bad("can only be true").into());
            }
            query = query.only("unread_by", &reader.user.to_string())?;
        }
        let page = self.app.registry.list_alerts(&query)?;
        let shown = page.rows.len() as u64;
        let (count, count_is_exact) = page.count.map_or((shown, false), |it| (it.value, it.exact));
        let alerts = self.told(page.rows, reader)?;
        Ok(AlertList { count, count_is_exact, next_cursor: page.next_cursor, alerts })
    }

    /// One alert, if the reader may see it.
    pub fn alert(&self, id: i64, reader: Option<Reader>) -> Result<AlertDetail, DeskError> {
        let seen = |alert: &AlertRow| reader.is_none_or(|it| it.sees(alert));
        let alert = self.app.registry.alert(id)?.filter(seen);
        let alert = alert.ok_or(DeskError::NoSuchAlert(id))?;
        let sent = self.app.registry.outbox_of(alert.id, SENT)?;
        let unread = match reader {
            Some(reader) => Some(!self.app.registry.unread_among(reader, &[id])?.is_empty()),
            None => None,
        };
        Ok(AlertDetail { alert: AlertTold { alert, unread }, sent })
    }

    /// Marks alerts for a reader. What the reader may not see is left as it is.
    pub fn mark_alerts(&self, reader: Reader, marking: &Marking) -> Result<Marked, DeskError> {
        if let Marking::Read(ids) | Marking::Unread(ids) = marking
            && ids.len() > MARKED
        {
            let problem = format!("names more than {MARKED} alerts; all can be marked at once");
            return Err(BadQuery { parameter: "read".into(), problem }.into());
        }
        let now = self.app.shop.clock.now();
        let registry = &self.app.registry;
        let marked = match marking {
            Marking::Read(ids) => registry.mark_read(reader, ids, now)?,
            Marking::AllRead => registry.mark_all_read(reader, now)?,
            Marking::Unread(ids) => registry.mark_unread(reader, ids)?,
        };
        Ok(Marked { marked })
    }

    fn told(
        &self,
        rows: Vec<AlertRow>,
        reader: Option<Reader>,
    ) -> Result<Vec<AlertTold>, DeskError> {
        let ids: Vec<_> = rows.iter().map(|row| row.id).collect();
        let unread = match reader {
            Some(reader) => Some(self.app.registry.unread_among(reader, &ids)?),
            None => None,
        };
        let told = |alert: AlertRow| {
            let unread = unread.as_ref().map(|unread| unread.contains(&alert.id));
            AlertTold { alert, unread }
        };
        Ok(rows.into_iter().map(told).collect())
    }
}

/// A mistyped kind would look like good news: nothing found. Who has read what is asked by
/// `unread`, of oneself.
fn check_words(pairs: &[(String, String)]) -> Result<(), BadQuery> {
    for (name, value) in pairs {
        let known = Kind::of(value).is_some();
        let problem = match name.as_str() {
            "kind" | "kind__in" if !known => {
                let words = Kind::ALL.map(Kind::word).join(", ");
                format!("is {value:?}; it is one of {words}")
            }
            name if name.starts_with("unread_by") => "is not a filter here; use unread".to_owned(),
            _ => continue,
        };
        return Err(BadQuery { parameter: name.clone(), problem });
    }
    Ok(())
}
