//! What results of assessments tell: that one could not be delivered.

use storage::registry::{AssessmentRow, DeliveryRow, NewAlert};

use super::kind::Kind;
use super::raise::{line, sentence};

/// A result was given up on its way to whoever waits for it.
pub fn result_undelivered(assessment: &AssessmentRow, delivery: &DeliveryRow) -> NewAlert {
    let given_up = delivery.given_up_at.unwrap_or(delivery.due_at);
    let content = format!(
        "The result of assessment {} ({}) could not be sent to {} by {}. The last of {} attempts: \
         {}.\n\nThe result is kept, and can be read on its page.\n\nLook whether the receiver is \
         there and takes it, then have it sent again: POST /api/v1/assessments/{}/send.",
        assessment.id,
        line(&assessment.reference),
        line(&delivery.target),
        delivery.channel,
        delivery.attempts,
        sentence(delivery.trouble.as_deref().unwrap_or("nothing is known")),
        assessment.id,
    );
    NewAlert {
        name: format!("undelivered/{}/{given_up}", delivery.id),
        kind: Kind::ResultUndelivered.word().into(),
        institution_id: Some(assessment.institution_id),
        subject: format!("Result not delivered: {}", line(&assessment.reference)),
        content,
        page: Some(format!("/assessments/{}", assessment.uuid)),
        item_id: assessment.item_id,
        ..NewAlert::default()
    }
}
