//! How results reach those who wait for them, in words for people.

use storage::registry::{AttemptTold, DeliveryChannel, DeliveryRow};
use web::{Badge, Delivery, DeliveryAttempt, Tone};

/// Attempts shown of each way.
const SHOWN: usize = 20;

pub(super) fn deliveries(rows: &[DeliveryRow], attempts: &[AttemptTold]) -> Vec<Delivery> {
    rows.iter().map(|row| delivery(row, attempts)).collect()
}

fn delivery(row: &DeliveryRow, attempts: &[AttemptTold]) -> Delivery {
    let (state, next) = match (row.sent_at, row.given_up_at) {
        (Some(_), _) => (Badge::new("Taken", Tone::Good), None),
        (None, Some(_)) if row.is_superseded() => {
            (Badge::new("Not sent: a newer result took its place", Tone::Calm), None)
        }
        (None, Some(_)) if row.is_unaddressed() => (Badge::new("Not sent", Tone::Calm), None),
        (None, Some(_)) if row.body.is_empty() => (Badge::new("Not sent", Tone::Warn), None),
        (None, Some(_)) => (Badge::new("Given up", Tone::Bad), None),
        (None, None) if row.attempts > 0 => {
            (Badge::new("Tried again", Tone::Warn), Some(row.due_at.to_string()))
        }
        (None, None) => (Badge::new("To be sent", Tone::Busy), None),
    };
    let own: Vec<&AttemptTold> = attempts.iter().filter(|it| it.delivery_id == row.id).collect();
    let unshown = own.len().saturating_sub(SHOWN);
    Delivery {
        channel: match row.channel {
            DeliveryChannel::Callback => "Callback".into(),
            DeliveryChannel::Email => "E-mail".into(),
        },
        target: row.target.clone(),
        state,
        next,
        why: row.trouble.clone().filter(|_| row.attempts == 0),
        attempts: own[unshown..].iter().map(|it| attempt(it)).collect(),
        attempts_unshown_count: unshown as u64,
    }
}

fn attempt(told: &AttemptTold) -> DeliveryAttempt {
    DeliveryAttempt {
        number: u64::from(told.number),
        at: told.at.to_string(),
        trouble: told.trouble.clone(),
    }
}
