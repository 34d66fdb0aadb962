//! The second factor: setting it up, its backup codes, and switching it off.

use maud::{Markup, html};
use serde::Serialize;

use super::account::problem;
use crate::parts::{Asked, ask_field, qr_code};
use crate::shell::{Frame, Shell, document};

/// Somebody's second factor.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FactorPage {
    /// Whether there is one.
    pub has_factor: bool,
    /// Whether nothing else is open until there is one.
    pub is_owed: bool,
    /// What a device must be told, shown this once.
    pub pending: Option<PendingFactor>,
    /// Whether a device was told, and its first code is waited for.
    pub is_pending: bool,
    /// Backup codes, shown this once.
    pub codes: Vec<String>,
    /// How many backup codes are left.
    pub codes_left: u32,
    /// What was wrong with what was just sent.
    pub problem: Option<String>,
}

/// What a device must be told.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PendingFactor {
    /// In letters, in groups of four.
    pub secret: String,
    /// The address that devices read.
    pub uri: String,
}

/// Renders it.
pub fn factor_page(shell: &Shell, page: &FactorPage) -> Markup {
    let main = html! {
        div.sheet {
            h1 { "Second factor" }
            @if page.is_owed {
                p.notice.warn role="status" {
                    "Your institution asks for a second factor. Set it up to go on."
                }
            }
            (problem(page.problem.as_deref()))
            @if !page.codes.is_empty() { (codes(&page.codes)) }
            @else if page.has_factor { (kept(page)) }
            @else if let Some(pending) = &page.pending { (told(pending)) (confirm()) }
            @else if page.is_pending { (confirm()) (again()) }
            @else { (begin()) }
            @if !page.is_owed { p { a href="/account" { "My account" } } }
        }
    };
    document(shell, Frame::Still, main)
}

fn begin() -> Markup {
    html! {
        p.lead {
            "Besides the password, a program on your phone or computer shows six digits that change \
             every half minute. Whoever learns your password still cannot come in."
        }
        p { "Any program for time-based codes (TOTP) will do. It needs no network." }
        (begin_form("Set up a second factor"))
    }
}

fn begin_form(label: &str) -> Markup {
    html! {
        form.entry method="post" action="/account/second-factor/begin" {
            (ask_field(Asked::password("Your password", "password", "current-password")))
            div.actions { button.solid type="submit" { (label) } }
        }
    }
}

fn told(pending: &PendingFactor) -> Markup {
    html! {
        p.lead { "Show this to your device, or type the letters, then type the code that it shows." }
        (qr_code(&pending.uri, "The secret as a picture for your device; it is the same as the letters below"))
        p { "The letters: " code.secret { (pending.secret) } }
        p { a href=(pending.uri) { "Open it in a program on this device" } }
    }
}

fn confirm() -> Markup {
    html! {
        form.entry method="post" action="/account/second-factor/confirm" {
            (ask_field(Asked::text("Code", "code", "one-time-code", "")))
            div.actions { button.solid type="submit" { "Begin to use it" } }
        }
    }
}

fn again() -> Markup {
    html! {
        section aria-labelledby="again" {
            h2 #again { "Begin again" }
            p { "The letters are shown once. If your device does not have them, make others." }
            (begin_form("Make other letters"))
        }
    }
}

fn codes(codes: &[String]) -> Markup {
    html! {
        p.lead {
            "Your second factor is in use. These are your backup codes, for when the device is lost. \
             Each works once. They are shown this once: print them, or write them down."
        }
        ol.codes { @for code in codes { li { code.secret { (code) } } } }
        p { a.button href="/" { "I have kept them" } }
    }
}

fn kept(page: &FactorPage) -> Markup {
    let left = crate::parts::counted(u64::from(page.codes_left), "backup code");
    html! {
        p.lead { "Your second factor is in use. You have " (left) " left." }
        section aria-labelledby="renew" {
            h2 #renew { "New backup codes" }
            p { "All earlier ones stop working." }
            form.entry method="post" action="/account/second-factor/codes" {
                (ask_field(Asked {
                    name: "code",
                    ..Asked::text("Code of your device", "code", "one-time-code", "")
                }))
                div.actions { button type="submit" { "Make new backup codes" } }
            }
        }
        section aria-labelledby="end" {
            h2 #end { "Switch it off" }
            p { "Takes your password and a code. Wherever else you are signed in, that ends." }
            form.entry method="post" action="/account/second-factor/end" {
                (ask_field(Asked::password("Password", "password", "current-password")))
                (ask_field(Asked::text("Code or backup code", "end_code", "one-time-code", "")))
                div.actions {
                    button.danger type="submit" { "Switch the second factor off" }
                }
            }
        }
    }
}
