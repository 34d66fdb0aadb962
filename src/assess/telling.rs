//! What is kept of a result, and what is sent about it.

use nutrients::{Amount, Assessment, Levy, Method, Outcome, Reference, callback};
use storage::registry::{Assessed, AssessmentRow, DeliveryChannel, NewDelivery, NewLevy};

use super::price::plans;
use super::wish::Wish;
use crate::app::App;
use crate::fault::{Failure, Fault, Kind};

/// What a result is about.
pub(super) struct Told<'a> {
    pub(super) row: &'a AssessmentRow,
    pub(super) wish: &'a Wish,
    pub(super) reference: &'a Reference,
    pub(super) method: &'a Method,
}

/// The result as it is kept, with all deliveries, and a note for people.
pub(super) fn assessed(
    app: &App,
    told: &Told<'_>,
    assessment: &Assessment,
    levy: Option<&Levy>,
) -> Result<(Assessed, String), Fault> {
    let mut deliveries = Vec::new();
    let mut note = assessment.outcome.sentence().to_owned();
    let call = called_back(app, told, assessment, levy)?;
    let hindrance = call.as_ref().and_then(|call| call.hindrance.clone());
    if let Some(why) = &hindrance {
        note.push_str(&format!("; {why}"));
    }
    // That the house calls nobody is no news to who gets a letter.
    let hindrance = hindrance.filter(|_| app.outbox.calls_back());
    deliveries.extend(call);
    deliveries.extend(letter(app, told, assessment, hindrance.as_deref()));
    let levy = levy.map(|levy| {
        let record = serde_json::to_string(levy).map_err(unwritable)?;
        Ok::<_, Fault>(NewLevy { total_gbp: levy.adjusted.to_string(), record })
    });
    let [nitrogen, phosphorus] = assessment.totals();
    let kept = Assessed {
        data_version: told.reference.version().to_owned(),
        same: told.wish.same(Some(told.reference), told.method),
        outcome: outcome_word(assessment.outcome).to_owned(),
        area_ha: format!("{:.2}", assessment.development.area_ha),
        nitrogen_kg: nitrogen.map(two_digits),
        phosphorus_kg: phosphorus.map(two_digits),
        result: serde_json::to_string(assessment).map_err(unwritable)?,
        levy: levy.transpose()?,
        deliveries,
        supersedes: told.wish.calls_back && app.outbox.calls_back(),
    };
    Ok((kept, note))
}

fn two_digits(amount: Amount) -> String {
    format!("{:.2}", amount.rounded)
}

/// The word of an outcome, as JSON has it.
pub(crate) fn outcome_word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Assessed => "assessed",
        Outcome::WastewaterOnly => "wastewater_only",
        Outcome::OutOfScope => "out_of_scope",
    }
}

fn unwritable(error: serde_json::Error) -> Fault {
    Fault::Failed(Failure {
        kind: Kind::Fatal,
        code: "unwritable-result",
        advice: "report this with the item's page".into(),
        source: Box::new(error),
    })
}

/// The call of the program that asked; none where it did not ask for one. What cannot be told in its
/// own words, or has no address to go to, is kept with a sentence why, for people.
fn called_back(
    app: &App,
    told: &Told<'_>,
    assessment: &Assessment,
    levy: Option<&Levy>,
) -> Result<Option<NewDelivery>, Fault> {
    if !told.wish.calls_back {
        return Ok(None);
    }
    let (body, hindrance) = match callback(assessment, &plans(told.wish, told.reference), levy) {
        Ok(body) => (serde_json::to_string(&body).map_err(unwritable)?, None),
        Err(why) => (String::new(), Some(format!("the program that asked is not called: {why}"))),
    };
    let call = NewDelivery {
        channel: DeliveryChannel::Callback,
        target: format!("quotes/{}", in_address(&told.wish.reference)),
        subject: String::new(),
        body,
        trace: told.wish.trace.clone().filter(|trace| is_plain(trace)),
        mark: format!("{}-callback", told.row.uuid),
        hindrance,
    };
    Ok(Some(if app.outbox.calls_back() { call } else { call.unaddressed() }))
}

/// Whether it may stand in the head of a call.
fn is_plain(text: &str) -> bool {
    text.len() <= 200 && text.bytes().all(|byte| byte.is_ascii_graphic())
}

/// A name as one part of an address.
fn in_address(text: &str) -> String {
    let keep = |byte: u8| byte.is_ascii_alphanumeric() || b"-_~".contains(&byte);
    text.bytes()
        .map(|byte| if keep(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

/// The letter to whoever wants one.
fn letter(
    app: &App,
    told: &Told<'_>,
    assessment: &Assessment,
    hindrance: Option<&str>,
) -> Option<NewDelivery> {
    // Messages bring addresses that nobody has looked at.
    let sound = |text: &String| is_plain(text) && text.contains('@');
    let email = told.wish.email.clone().filter(sound).filter(|_| app.outbox.has_mail())?;
    let name = match assessment.development.name.trim() {
        "" => "Unnamed development",
        name => name,
    };
    let words = assessment.totals().map(|total| match total {
        Some(total) => format!("{} kg a year", two_digits(total)),
        None => "not known".to_owned(),
    });
    let figures = match assessment.outcome {
        Outcome::OutOfScope => String::new(),
        Outcome::Assessed | Outcome::WastewaterOnly => {
            format!("Nitrogen: {}\nPhosphorus: {}\n\n", words[0], words[1])
        }
    };
    let mut body = format!(
        "The assessment of {} ({name}) is done: {}.\n\n{figures}Method {}, reference data {}.\n",
        told.wish.reference,
        assessment.outcome.sentence(),
        told.method.key(),
        told.reference.version(),
    );
    for warning in &assessment.warnings {
        body.push_str(&format!("\nNote: {}.", warning.sentence.trim_end_matches('.')));
    }
    if let Some(why) = hindrance {
        body.push_str(&format!("\nNote: {why}."));
    }
    if let Some(link) = app.outbox.link(&format!("/assessments/{}", told.row.uuid)) {
        body.push_str(&format!("\nThe sums, step by step: {link}"));
    }
    Some(NewDelivery {
        channel: DeliveryChannel::Email,
        target: email,
        subject: format!("Assessment of {}", told.wish.reference),
        body,
        trace: None,
        mark: format!("{}-email", told.row.uuid),
        hindrance: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_cannot_leave_its_place_in_an_address() {
        assert_eq!(in_address("NRF-000123"), "NRF-000123");
        assert_eq!(in_address("../a b?c#d"), "%2E%2E%2Fa%20b%3Fc%23d");
        assert!(is_plain("f00-ba4") && !is_plain("a b") && !is_plain("a\r\nx: y"));
    }
}
