//! Sample values of the pages that ask who somebody is, and of those where two people delete.

use web::*;

use super::{LONG, RTL, badge};

pub(crate) fn sign_in() -> SignInPage {
    SignInPage {
        email: "ann@archive.example".into(),
        to: "/deletions/3".into(),
        problem: Some("The e-mail and the password do not go together.".into()),
    }
}

pub(crate) fn password() -> PasswordPage {
    PasswordPage {
        email: "ann@archive.example".into(),
        token: None,
        rule: "12 to 200 characters.".into(),
        problem: None,
    }
}

pub(crate) fn welcome() -> WelcomePage {
    WelcomePage {
        token: "00ff".into(),
        rule: "12 to 200 characters.".into(),
        ..WelcomePage::default()
    }
}

pub(crate) fn asking() -> AskDeletionPage {
    AskDeletionPage {
        what: "archive.local/parish-registers-1790".into(),
        kind: "object".into(),
        number: "12".into(),
        facts: vec![
            Fact::new("Files", FactValue::Count(1204)),
            Fact::new("Size", FactValue::Bytes(9_120_004_211)),
        ],
        consequences: vec![
            "Another administrator of archive.local has to agree, or nothing happens.".into(),
            "Then it goes from every replica. That cannot be undone.".into(),
        ],
        reason: "The donor took it back.".into(),
        problem: Some("Archive.local/parish-registers-1790 is deleted already.".into()),
        back: Link::new("/objects/archive.local/parish-registers-1790", "Keep it"),
    }
}

pub(crate) fn deletions() -> DeletionsPage {
    let line = |id, label: &str, tone, what: &str, reason: &str| DeletionLine {
        id,
        state: badge(label, tone),
        what: what.into(),
        size: 9_120_004_211,
        institution: "Our archive".into(),
        reason: reason.into(),
        requested_by: "Ann Archer".into(),
        requested: "2026-11-15T07:20:41.123Z".into(),
    };
    DeletionsPage {
        states: vec![Choice::new("requested", "Needs a second person")],
        institutions: vec![Choice::new("1", "Our archive")],
        pager: Pager {
            page: 1,
            per_page: 25,
            shown: 3,
            total: 3,
            at_least: false,
            export: "/api/v1/deletions?format=csv".into(),
        },
        rows: vec![
            line(3, "Needs a second person", Tone::Warn, "1 object", "The donor took it back."),
            line(2, "Being deleted", Tone::Busy, "2 objects, 1 file", LONG),
            line(1, "Completed", Tone::Good, "1 file", RTL),
        ],
        ..DeletionsPage::default()
    }
}

pub(crate) fn deletion() -> DeletionPage {
    DeletionPage {
        id: 3,
        state: badge("Needs a second person", Tone::Warn),
        next: "A second administrator of archive.local has to agree.".into(),
        reason: "The donor took it back.\nSee letter 12.".into(),
        facts: vec![
            Fact::text("Asked by", "Ann Archer"),
            Fact::new("Size", FactValue::Bytes(9_120_004_211)),
        ],
        parts: vec![
            DeletionPartLine {
                what: Link::new("/objects/archive.local/letters", "archive.local/letters"),
                file_count: 1203,
                size: 9_120_000_000,
                state: badge("Held", Tone::Calm),
                item: None,
            },
            DeletionPartLine {
                what: Link::new("/files/7", LONG),
                file_count: 1,
                size: 4211,
                state: badge("Held", Tone::Calm),
                item: Some(Link::new("/items/44", "Item 44")),
            },
        ],
        parts_unshown_count: 12,
        verdict: Some(Verdict {
            words: "delete 1,204 files".into(),
            asks_password: true,
            asks_code: true,
            may_cancel: true,
            problem: Some("To agree, type the words.".into()),
            ..Verdict::default()
        }),
        moves: false,
        has_certificate: false,
    }
}

pub(crate) fn deleted() -> DeletionPage {
    DeletionPage {
        state: badge("Completed", Tone::Good),
        next: "It is gone from every replica.".into(),
        verdict: None,
        has_certificate: true,
        ..deletion()
    }
}

pub(crate) fn entered() -> DeletionPage {
    let verdict = Verdict {
        confirms: true,
        asks_password: true,
        may_cancel: true,
        problem: Some("That is not the password of this account.".into()),
        ..Verdict::default()
    };
    DeletionPage { verdict: Some(verdict), ..deletion() }
}

pub(crate) fn code() -> CodePage {
    let problem = Some("The code is not right, or was used already.".into());
    CodePage { to: "/deletions/3".into(), problem }
}

pub(crate) fn email() -> EmailPage {
    let change = Some(("archer@archive.example".into(), "0123456789abcdef".repeat(4)));
    EmailPage { email: "ann@archive.example".into(), change }
}

pub(crate) fn own() -> OwnPage {
    OwnPage {
        name: "Ann Archer".into(),
        phone_number: "+14345551234".into(),
        email: "ann@archive.example".into(),
        changes_email: true,
        pending_email: Some("archer@archive.example".into()),
        facts: vec![Fact::new("E-mail", FactValue::Code("ann@archive.example".into()))],
        has_factor: true,
        sessions: vec![
            SessionLine {
                id: 4,
                address: "192.0.2.7".into(),
                browser: LONG.into(),
                created: "2026-11-16T07:20:41.000Z".into(),
                seen: "2026-11-16T08:20:41.000Z".into(),
                is_this: true,
            },
            SessionLine { id: 3, created: "2026-11-15T07:20:41.000Z".into(), ..Default::default() },
        ],
        tokens: vec![
            TokenLine {
                id: 2,
                name: RTL.into(),
                scope: "Reading".into(),
                manages: false,
                state: badge("Works", Tone::Good),
                expires: "2027-02-14T07:20:41.000Z".into(),
                used: None,
                works: true,
            },
            TokenLine {
                id: 1,
                name: "nightly report".into(),
                scope: "Deleting, changing users, and everything else".into(),
                manages: true,
                state: badge("Revoked", Tone::Calm),
                expires: "2027-02-14T07:20:41.000Z".into(),
                used: Some("2026-11-14T07:20:41.000Z".into()),
                works: false,
            },
        ],
        made_token: Some("strongroom_0123456789abcdef".repeat(3)),
        problem: None,
    }
}

pub(crate) fn enrolling() -> FactorPage {
    FactorPage {
        is_owed: true,
        pending: Some(PendingFactor {
            secret: "GEZD GNBV GY3T QOJQ GEZD GNBV GY3T QOJQ".into(),
            uri: "otpauth://totp/Strongroom:ann@archive.example?secret=GEZDGNBVGY3TQOJQ".into(),
        }),
        problem: Some("The code is not right.".into()),
        ..FactorPage::default()
    }
}

pub(crate) fn half_enrolled() -> FactorPage {
    FactorPage { is_pending: true, ..FactorPage::default() }
}

pub(crate) fn enrolled() -> FactorPage {
    FactorPage { has_factor: true, codes_left: 7, ..FactorPage::default() }
}

pub(crate) fn codes() -> FactorPage {
    FactorPage {
        has_factor: true,
        codes: (0..10).map(|at| format!("ABCD-EFGH-IJKL-MNO{at}")).collect(),
        ..FactorPage::default()
    }
}

fn roles() -> Vec<Choice> {
    vec![Choice::new("institutional_user", "User"), Choice::new("admin", "Administrator")]
}

pub(crate) fn users() -> UsersPage {
    let line = |id, name: &str| UserLine {
        id,
        name: name.into(),
        email: "ann@archive.example".into(),
        role: "Administrator".into(),
        institution: "archive.local".into(),
        state: badge("May come in", Tone::Good),
    };
    UsersPage {
        roles: roles(),
        institutions: vec![Choice::new("1", "Our archive")],
        waiting: vec![Link::new("/users/3", "bob@archive.example")],
        rows: vec![line(1, "Ann Archer"), line(2, LONG), line(3, RTL)],
        pager: Pager {
            page: 1,
            per_page: 25,
            shown: 3,
            total: 3,
            at_least: false,
            export: "/api/v1/users?format=csv".into(),
        },
        ..UsersPage::default()
    }
}

fn form() -> UserForm {
    UserForm {
        name: "Ann Archer".into(),
        email: "ann@archive.example".into(),
        role: "admin".into(),
        roles: roles(),
        ..UserForm::default()
    }
}

pub(crate) fn user() -> UserPage {
    UserPage {
        id: 1,
        name: "Ann Archer".into(),
        state: badge("May come in", Tone::Good),
        facts: vec![Fact::text("Second factor", "Yes")],
        form: Some(form()),
        is_let_in: true,
        has_factor: true,
        link: Some("/password?token=00".into()),
        problem: Some("Phone_number must be + and 11 digits.".into()),
    }
}

pub(crate) fn new_user() -> NewUserPage {
    NewUserPage {
        form: form(),
        institution: "archive.local".into(),
        institutions: vec![Choice::new("archive.local", "Our archive")],
        problem: None,
    }
}

pub(crate) fn institutions() -> InstitutionsPage {
    InstitutionsPage {
        rows: vec![InstitutionLine {
            id: 1,
            name: "Our archive".into(),
            identifier: "archive.local".into(),
            kind: "Member".into(),
            state: badge("Takes part", Tone::Good),
        }],
        pager: Pager {
            page: 1,
            per_page: 25,
            shown: 1,
            total: 1,
            at_least: false,
            export: "/api/v1/institutions?format=csv".into(),
        },
        may_add: true,
        ..InstitutionsPage::default()
    }
}

pub(crate) fn institution() -> InstitutionPage {
    InstitutionPage {
        id: 1,
        name: "Our archive".into(),
        state: badge("Takes part", Tone::Good),
        facts: vec![Fact::new("Identifier", FactValue::Code("archive.local".into()))],
        accounts: vec![Link::new("/institutions/2", "Map room")],
        spot_restore_days: 90,
        asks_second_factor: true,
        may_choose: true,
        may_keep: true,
        is_active: true,
        problem: None,
    }
}

pub(crate) fn audit() -> AuditPage {
    let line = |who: &str, detail: &str| AuditLine {
        at: "2026-11-16T07:20:41.000Z".into(),
        who: who.into(),
        how: "session, 192.0.2.7".into(),
        deed: "shut out user".into(),
        about: "user bob@archive.example".into(),
        outcome: badge("done", Tone::Good),
        detail: detail.into(),
    };
    AuditPage {
        deeds: vec![Choice::new("sign-in", "sign in")],
        outcomes: vec![Choice::new("done", "done")],
        rows: vec![line("ann@archive.example", LONG), line(RTL, "")],
        pager: Pager {
            page: 1,
            per_page: 50,
            shown: 2,
            total: 2,
            at_least: false,
            export: "/api/v1/audit?format=csv".into(),
        },
        ..AuditPage::default()
    }
}
