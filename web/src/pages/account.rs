//! Coming in: the forms that ask who somebody is. All of them are plain posts.

use maud::{Markup, html};
use serde::Serialize;

use crate::parts::{Asked, ask_field};
use crate::shell::{Frame, Shell, document};

/// The form to sign in.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SignInPage {
    /// The e-mail that was typed before.
    pub email: String,
    /// The page to go to afterwards.
    pub to: String,
    /// What was wrong with the last try.
    pub problem: Option<String>,
}

/// The second step of signing in.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CodePage {
    /// The page to go to afterwards.
    pub to: String,
    /// What was wrong with the last try.
    pub problem: Option<String>,
}

/// The form of those who have forgotten their password.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ForgottenPage {
    /// Whether a link is mailed; otherwise an administrator makes one.
    pub is_mailed: bool,
}

/// The form to set a password, by a link or in place of the old one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PasswordPage {
    /// Whose password it is.
    pub email: String,
    /// The link's secret; none for somebody who is signed in and is asked for the old password.
    pub token: Option<String>,
    /// What a password has to be.
    pub rule: String,
    /// What was wrong with the last try.
    pub problem: Option<String>,
}

/// The form that makes the first administrator.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct WelcomePage {
    /// The link's secret.
    pub token: String,
    /// The name that was typed before.
    pub name: String,
    /// The e-mail that was typed before.
    pub email: String,
    /// What a password has to be.
    pub rule: String,
    /// What was wrong with the last try.
    pub problem: Option<String>,
}

/// The form that confirms a change of one's own e-mail.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct EmailPage {
    /// The present e-mail.
    pub email: String,
    /// The new one, with the secret of its link; none when there is nothing to confirm.
    pub change: Option<(String, String)>,
}

/// Renders the form that confirms a change of one's own e-mail.
pub fn email_page(shell: &Shell, page: &EmailPage) -> Markup {
    let main = html! {
        div.sheet {
            h1 { "Change your e-mail" }
            @match &page.change {
                Some((email, token)) => {
                    p.lead {
                        "The e-mail of your account becomes " strong { bdi { (email) } } " in place of "
                        bdi { (page.email) } "."
                    }
                    form.entry method="post" action="/account/email" {
                        input type="hidden" name="token" value=(token);
                        p {
                            "For seven days you can then neither request nor approve deletions."
                        }
                        div.actions {
                            button.solid type="submit" { "Change the e-mail" }
                            a.button href="/account" { "Keep it" }
                        }
                    }
                },
                None => {
                    p { "There is nothing to confirm. Ask for a change on the page My account." }
                    div.actions { a.button href="/account" { "My account" } }
                },
            }
        }
    };
    document(shell, Frame::Still, main)
}

/// Renders the form to sign in.
pub fn sign_in_page(shell: &Shell, page: &SignInPage) -> Markup {
    let main = html! {
        div.sheet {
            h1 { "Sign in" }
            (problem(page.problem.as_deref()))
            form.entry method="post" action="/sign-in" {
                input type="hidden" name="to" value=(page.to);
                (ask_field(Asked::email(&page.email)))
                (ask_field(Asked::password("Password", "password", "current-password")))
                div.actions { button.solid type="submit" { "Sign in" } }
            }
            p { a href="/forgotten" { "I have forgotten my password" } }
            p.quiet { "After five wrong passwords an account waits: a minute, then longer." }
        }
    };
    document(shell, Frame::Still, main)
}

/// Renders the second step of signing in.
pub fn code_page(shell: &Shell, page: &CodePage) -> Markup {
    let main = html! {
        div.sheet {
            h1 { "Sign in: the code" }
            p.lead { "Your password was right. Now the six digits that your device shows." }
            (problem(page.problem.as_deref()))
            form.entry method="post" action="/sign-in/code" {
                input type="hidden" name="to" value=(page.to);
                (ask_field(Asked {
                    hint: Some("Without the device: one of your backup codes, which works once."),
                    ..Asked::text("Code", "code", "one-time-code", "")
                }))
                div.actions {
                    button.solid type="submit" { "Sign in" }
                    a.button href="/sign-in" { "Begin again" }
                }
            }
            p.quiet {
                "If you have neither the device nor a backup code, an administrator can take the \
                 second factor away, so that you can set up another."
            }
        }
    };
    document(shell, Frame::Still, main)
}

/// Renders the form of those who have forgotten their password.
pub fn forgotten_page(shell: &Shell, page: &ForgottenPage) -> Markup {
    let main = html! {
        div.sheet {
            h1 { "Forgotten password" }
            p.lead {
                @if page.is_mailed {
                    "Say your e-mail. A link that sets a new password is sent to it; it works once, \
                     for a day."
                } @else {
                    "Say your e-mail, and ask an administrator: they see that you wait, and can \
                     make you a link that sets a new password."
                }
            }
            form.entry method="post" action="/forgotten" {
                (ask_field(Asked::email("")))
                div.actions {
                    button.solid type="submit" { "I have forgotten my password" }
                    a.button href="/sign-in" { "Back" }
                }
            }
        }
    };
    document(shell, Frame::Still, main)
}

/// Renders the form to set a password.
pub fn password_page(shell: &Shell, page: &PasswordPage) -> Markup {
    let main = html! {
        div.sheet {
            h1 { "Set a password" }
            p.lead { "For " bdi { (page.email) } ". Wherever you are signed in, that ends." }
            (problem(page.problem.as_deref()))
            form.entry method="post" action="/password" {
                // For programs that keep passwords.
                input type="hidden" name="email" autocomplete="username" value=(page.email);
                @if let Some(token) = &page.token {
                    input type="hidden" name="token" value=(token);
                } @else {
                    (ask_field(Asked::password("Password until now", "old", "current-password")))
                }
                (new_password(&page.rule))
                div.actions { button.solid type="submit" { "Set the password" } }
            }
        }
    };
    document(shell, Frame::Still, main)
}

/// Renders the form that makes the first administrator.
pub fn welcome_page(shell: &Shell, page: &WelcomePage) -> Markup {
    let main = html! {
        div.sheet {
            h1 { "Welcome" }
            p.lead {
                "Nobody looks after this appliance yet. Say who you are and become its \
                 administrator; this link works once."
            }
            (problem(page.problem.as_deref()))
            form.entry method="post" action="/welcome" {
                input type="hidden" name="token" value=(page.token);
                (ask_field(Asked::text("Name", "name", "name", &page.name)))
                (ask_field(Asked::email(&page.email)))
                (new_password(&page.rule))
                div.actions { button.solid type="submit" { "Become the administrator" } }
            }
        }
    };
    document(shell, Frame::Still, main)
}

fn new_password(rule: &str) -> Markup {
    html! {
        (ask_field(Asked {
            hint: Some(rule),
            ..Asked::password("New password", "password", "new-password")
        }))
        (ask_field(Asked::password("The same again", "again", "new-password")))
    }
}

/// Announced when the page comes up.
pub(super) fn problem(text: Option<&str>) -> Markup {
    html! { @if let Some(text) = text { p.notice.bad #problem role="alert" { (text) } } }
}
