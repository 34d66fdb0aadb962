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
        pager: Pager { page: 1, per_page: 25, shown: 3, total: 3, at_least: false },
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
