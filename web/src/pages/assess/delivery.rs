//! How a result reaches whoever waits for it.

use maud::{Markup, html};
use serde::Serialize;

use crate::parts::{Badge, badge, count, time};

/// One way to one receiver.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Delivery {
    /// How it is sent, as in "Callback" or "E-mail".
    pub channel: String,
    /// Where to.
    pub target: String,
    /// How far it is.
    pub state: Badge,
    /// When it is tried next, as RFC 3339 in UTC.
    pub next: Option<String>,
    /// Why it is not sent at all, in a sentence.
    pub why: Option<String>,
    /// Every try, the first one first.
    pub attempts: Vec<DeliveryAttempt>,
    /// Tries beyond those listed.
    pub attempts_unshown_count: u64,
}

/// One try.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct DeliveryAttempt {
    /// Its number, from 1.
    pub number: u64,
    /// When, as RFC 3339 in UTC.
    pub at: String,
    /// What went wrong; none when it was taken.
    pub trouble: Option<String>,
}

/// Renders the ways of a result, each with its tries; nothing when nobody waits for it. `send_again` is
/// where to ask for what was given up to be sent again.
pub(super) fn deliveries(deliveries: &[Delivery], send_again: Option<&str>) -> Markup {
    html! {
        @if !deliveries.is_empty() {
            section aria-labelledby="deliveries-heading" {
                h2 #deliveries-heading { "Deliveries" }
                ul.deliveries { @for delivery in deliveries { li { (one(delivery)) } } }
                @if let Some(send_again) = send_again {
                    form.again method="post" action=(send_again) {
                        button type="submit" { "Send what was given up again" }
                    }
                }
            }
        }
    }
}

fn one(delivery: &Delivery) -> Markup {
    html! {
        p { strong { (delivery.channel) } " to " bdi { (delivery.target) } " " (badge(&delivery.state)) }
        @if let Some(why) = &delivery.why { p { bdi { (why) } } }
        @if let Some(next) = &delivery.next { p.quiet { "Tried again " (time(next)) "." } }
        @if delivery.attempts_unshown_count > 0 {
            p.quiet { (count(delivery.attempts_unshown_count)) " earlier tries are not shown." }
        }
        @if !delivery.attempts.is_empty() {
            table {
                thead { tr {
                    th scope="col" { "Try" }
                    th scope="col" { "When" }
                    th scope="col" { "What came of it" }
                } }
                tbody {
                    @for attempt in &delivery.attempts {
                        tr {
                            th scope="row" { "Try " (count(attempt.number)) }
                            td data-label="When" { (time(&attempt.at)) }
                            td.say data-label="What came of it" {
                                @match &attempt.trouble {
                                    Some(trouble) => bdi { (trouble) },
                                    None => "Taken",
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
