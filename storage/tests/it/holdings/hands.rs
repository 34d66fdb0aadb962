//! Two accounts in one hand delete nothing together, and nothing is erased before its time.

use std::time::Duration;

use storage::clock::Timestamp;
use storage::registry::{
    AuditHow, AuditOutcome, Deed, DeletionId, DeletionPart, DeletionPartId, DeletionState,
    DeletionTarget, EmailChange, Error, NewDeletion, NewNote, ObjectId, Role, SecretDigest, User,
    UserChange,
};

use super::archive::{Archive, NONE, NOW, later, telling, uuid};

const FILES: &[(&str, &str)] = &[("data/a", "1"), ("data/b", "22")];
const DAY: u64 = 86_400_000;
const COOLING: Duration = Duration::from_secs(72 * 3600);

/// Long after everybody was made.
const ASKED: Timestamp = Timestamp(NOW.0 + 30 * DAY);

fn days(count: u64) -> Timestamp {
    Timestamp(ASKED.0 + count * DAY)
}

fn refused<T: std::fmt::Debug>(answer: Result<T, Error>, words: &str) {
    let error = answer.expect_err(words);
    assert!(matches!(error, Error::Refused { .. }), "{error:?}");
    assert!(error.to_string().contains(words), "{words}: {error}");
}

/// An archive that holds one object.
fn holding() -> (Archive, ObjectId) {
    let archive = Archive::new();
    let object = archive.deposit("one", 1, FILES);
    (archive, object)
}

impl Archive {
    /// A request of this user, at the usual moment.
    fn asked(&self, object: ObjectId, requested_by: i64) -> DeletionId {
        let new = NewDeletion {
            uuid: uuid("asked"),
            requested_by,
            targets: vec![DeletionTarget::Object(object)],
            expires_at: days(20),
            ..self.wish(ASKED)
        };
        self.registry.request_deletion(&new, ASKED).unwrap().id
    }

    /// Writes an act into the log as the program does: by whom, to whose account.
    fn act(&self, deed: Deed, (hand, account): (Option<i64>, i64), at: Timestamp) {
        let user = self.registry.user(account).unwrap().unwrap();
        self.registry.note(&Archive::line(deed, (hand, account), &user), at).unwrap();
    }

    fn line(deed: Deed, (hand, account): (Option<i64>, i64), user: &User) -> NewNote {
        let how = if hand.is_some() { AuditHow::Session } else { AuditHow::Command };
        NewNote {
            user_id: hand,
            who: "somebody".into(),
            how,
            token_id: None,
            address: String::new(),
            deed,
            about: ("user".into(), user.email.clone()),
            about_user_id: Some(account),
            institution_id: Some(user.institution_id),
            outcome: AuditOutcome::Done,
            detail: String::new(),
        }
    }

    fn rename(&self, user: i64, email: &str) {
        let change = UserChange { email: Some(email.to_owned()), ..UserChange::default() };
        self.registry.change_user(user, &change, storage::registry::without_note, ASKED).unwrap();
    }

    fn part(&self, id: DeletionId) -> DeletionPart {
        self.registry.deletion_parts(id, DeletionPartId(0), 9).unwrap().remove(0)
    }
}

/// Every act that lets one person act as an account.
const JOINING: [Deed; 8] = [
    Deed::AddUser,
    Deed::ChangeUser,
    Deed::ChangeEmail,
    Deed::LetInUser,
    Deed::ShutOutUser,
    Deed::MakeLink,
    Deed::MakeToken,
    Deed::ResetFactor,
];

#[test]
fn every_act_on_an_account_joins_it_to_whoever_acted() {
    for deed in JOINING {
        for by_requester in [true, false] {
            let (archive, object) = holding();
            let (ann, bob) = (archive.admin("ann"), archive.admin("bob"));
            let (hand, account) = if by_requester { (ann, bob) } else { (bob, ann) };
            archive.act(deed, (Some(hand), account), days(0));
            let id = archive.asked(object, ann);
            let approved = archive.registry.approve_deletion(id, bob, (NONE, days(1)));
            refused(approved, "one of them");
            // Somebody whom nobody touched can.
            let carl = archive.admin("carl");
            archive.registry.approve_deletion(id, carl, (NONE, days(1))).unwrap();
        }
    }
}

#[test]
fn two_accounts_that_one_person_touched_are_one_hand_whoever_that_is() {
    for role in [Some(Role::InstitutionalAdmin), Some(Role::Admin), None] {
        let approved = |touches_both: bool| {
            let (archive, object) = holding();
            let (ann, bob) = (archive.admin("ann"), archive.admin("bob"));
            // Without a role it is the command line.
            let hand = role.map(|role| archive.user("hand", role, archive.institution()));
            archive.act(Deed::MakeLink, (hand, ann), ASKED);
            let id = archive.asked(object, ann);
            if touches_both {
                archive.act(Deed::AddUser, (hand, bob), days(1));
            }
            archive.registry.approve_deletion(id, bob, (NONE, days(1)))
        };
        match role {
            Some(Role::InstitutionalAdmin) => drop(approved(false).unwrap()),
            // The command line and the appliance's administrators may be Bob.
            _ => refused(approved(false), "who may be anybody"),
        }
        refused(approved(true), "the same person");
    }
}

#[test]
fn a_chain_of_accounts_is_one_hand_and_other_e_mails_do_not_break_it() {
    let (archive, object) = holding();
    let (ann, bob, carl) = (archive.admin("ann"), archive.admin("bob"), archive.admin("carl"));
    archive.act(Deed::AddUser, (Some(ann), carl), days(0));
    archive.act(Deed::AddUser, (Some(carl), bob), days(0));
    for (user, email) in [(carl, "c@example.edu"), (bob, "b@example.edu"), (ann, "a@example.edu")] {
        archive.rename(user, email);
    }
    // The e-mails of before are now those of others.
    archive.user("carl", Role::InstitutionalUser, archive.institution());
    archive.user("bob", Role::InstitutionalUser, archive.institution());
    let id = archive.asked(object, ann);
    refused(archive.registry.approve_deletion(id, bob, (NONE, days(1))), "one of them");
}

#[test]
fn an_administrator_of_the_appliance_who_gives_the_role_up_after_an_act_is_none_the_less_one() {
    let (archive, object) = holding();
    let (ann, bob) = (archive.admin("ann"), archive.admin("bob"));
    let root = archive.user("root", Role::Admin, archive.institution());
    archive.act(Deed::MakeLink, (Some(root), bob), days(0));
    let id = archive.asked(object, ann);
    let change = UserChange { role: Some(Role::InstitutionalAdmin), ..UserChange::default() };
    let user = archive.registry.user(root).unwrap().unwrap();
    let note = |_: &(User, User)| Some(Archive::line(Deed::ChangeUser, (Some(root), root), &user));
    archive.registry.change_user(root, &change, note, days(1)).unwrap();
    refused(archive.registry.approve_deletion(id, bob, (NONE, days(1))), "who may be anybody");
}

#[test]
fn what_was_done_more_than_seven_days_before_joins_nobody() {
    let (archive, object) = holding();
    let (ann, bob) = (archive.admin("ann"), archive.admin("bob"));
    archive.act(Deed::AddUser, (Some(ann), bob), Timestamp(ASKED.0 - 7 * DAY - 1));
    let id = archive.asked(object, ann);
    archive.registry.approve_deletion(id, bob, (NONE, days(1))).unwrap();
}

#[test]
fn who_changed_their_own_e_mail_neither_requests_nor_approves_for_seven_days() {
    for is_requester in [true, false] {
        let (archive, object) = holding();
        let (ann, bob) = (archive.admin("ann"), archive.admin("bob"));
        let own = if is_requester { ann } else { bob };
        let id = archive.asked(object, ann);
        archive.act(Deed::ChangeEmail, (Some(own), own), days(1));
        let approved = archive.registry.approve_deletion(id, bob, (NONE, days(1)));
        refused(approved, "changed the e-mail of this account");
    }
}

#[test]
fn who_enters_a_request_for_another_is_a_hand_on_it() {
    let (archive, object) = holding();
    let (ann, bob) = (archive.admin("ann"), archive.admin("bob"));
    let root = archive.user("root", Role::Admin, archive.institution());
    let new = NewDeletion {
        requested_by: ann,
        entered_by: Some(root),
        targets: vec![DeletionTarget::Object(object)],
        ..archive.wish(ASKED)
    };
    let row = archive.registry.request_deletion(&new, ASKED).unwrap();
    assert_eq!(row.entered_by_id, Some(root));
    archive.act(Deed::MakeLink, (Some(root), bob), ASKED);
    refused(archive.registry.approve_deletion(row.id, bob, (NONE, ASKED)), "the same person");
}

#[test]
fn who_became_the_only_administrator_by_an_act_of_their_own_never_approves_alone() {
    let alone = |prepare: &dyn Fn(&Archive, i64, i64)| {
        let (archive, object) = holding();
        let (ann, bob) = (archive.admin("ann"), archive.admin("bob"));
        prepare(&archive, ann, bob);
        let id = archive.asked(object, ann);
        archive.registry.approve_deletion(id, ann, (NONE, ASKED))
    };
    let long_ago = later(DAY);
    let gone =
        |archive: &Archive, bob| archive.registry.deactivate_user(bob, None, long_ago).unwrap();
    alone(&|archive, _, bob| gone(archive, bob)).unwrap();
    let by_ann = |archive: &Archive, ann, bob| {
        gone(archive, bob);
        archive.act(Deed::ShutOutUser, (Some(ann), bob), long_ago);
    };
    refused(alone(&by_ann), "by an act of their own");
    let touched = |archive: &Archive, ann, bob| {
        gone(archive, bob);
        archive.act(Deed::MakeLink, (None, ann), ASKED);
    };
    refused(alone(&touched), "somebody else within these days");
}

#[test]
fn nothing_is_erased_before_its_time_and_a_shorter_time_later_does_not_count() {
    let (archive, object) = holding();
    let registry = &archive.registry;
    let (ann, bob) = (archive.admin("ann"), archive.admin("bob"));
    let id = archive.asked(object, ann);
    let row = registry.approve_deletion(id, bob, (COOLING, ASKED)).unwrap();
    assert_eq!((row.state, row.erase_after), (DeletionState::Approved, Some(days(3))));
    let part = archive.part(id);
    let early = Timestamp(days(3).0 - 1);
    assert!(!part.is_due(early) && part.is_due(days(3)));
    let due = |now| registry.undone_deletion_parts(DeletionPartId(0), 9, now).unwrap().len();
    assert_eq!((due(early), due(days(3))), (0, 1));
    refused(registry.note_gone(part.id, "a", early), "is not erased before");
    refused(registry.delete_object(part.id, &telling("x", early), early), "is not erased before");
    let moved = archive.sql().execute("UPDATE deletion_requests SET erase_after = '1'", []);
    assert!(moved.unwrap_err().to_string().contains("never changed"));
    assert!(registry.delete_object(part.id, &telling("x", days(3)), days(3)).unwrap());
}

#[test]
fn until_then_any_administrator_of_the_institution_or_the_appliance_cancels() {
    let (archive, object) = holding();
    let registry = &archive.registry;
    let (ann, bob, carl) = (archive.admin("ann"), archive.admin("bob"), archive.admin("carl"));
    let una = archive.user("una", Role::InstitutionalUser, archive.institution());
    let root = archive.user("root", Role::Admin, archive.institution());
    for who in [ann, bob, carl, root] {
        let id = archive.asked(object, ann);
        registry.approve_deletion(id, bob, (COOLING, ASKED)).unwrap();
        refused(registry.cancel_deletion(id, una, days(2)), "is no administrator");
        refused(registry.cancel_deletion(id, who, days(3)), "is erased from");
        let row = registry.cancel_deletion(id, who, days(2)).unwrap();
        assert_eq!((row.state, row.cancelled_by_id), (DeletionState::Cancelled, Some(who)));
        let part = archive.part(id);
        assert!(!part.is_due(days(9)));
        assert!(registry.undone_deletion_parts(DeletionPartId(0), 9, days(9)).unwrap().is_empty());
        assert_eq!(registry.approved_deletion_of(object).unwrap(), None);
        let erased = registry.delete_object(part.id, &telling("x", days(9)), days(9));
        refused(erased, "is not approved");
        archive.sql().execute("UPDATE deletion_requests SET uuid = randomblob(16)", []).unwrap();
    }
}

#[test]
fn lines_of_before_numbers_were_kept_are_taken_in_and_find_their_account() {
    let (archive, object) = holding();
    let (ann, bob) = (archive.admin("ann"), archive.admin("bob"));
    archive.act(Deed::AddUser, (Some(ann), bob), ASKED);
    let id = archive.asked(object, ann);
    archive.registry.approve_deletion(id, archive.admin("carl"), (NONE, ASKED)).unwrap();
    let mut lines: Vec<(String, serde_json::Value)> = archive.exported();
    for (table, row) in &mut lines {
        let row = row.as_object_mut().unwrap();
        match table.as_str() {
            "audit" => drop(row.remove("about_user_id").unwrap()),
            "deletion_requests" => {
                row.remove("erase_after").unwrap();
                row.remove("entered_by_id").unwrap();
            }
            _ => {}
        }
    }
    let other = Archive::new();
    let kept =
        |table: &str| matches!(table, "institutions" | "users" | "audit" | "deletion_requests");
    let mut lines = lines.into_iter().filter(|(table, _)| kept(table));
    other.registry.retell::<Error>(&mut || Ok(lines.next())).unwrap();
    let about: i64 =
        other.sql().query_row("SELECT about_user_id FROM audit", [], |row| row.get(0)).unwrap();
    assert_eq!(about, bob);
    let row = other.registry.deletion(id, ASKED).unwrap().unwrap();
    assert_eq!(row.erase_after, Some(ASKED));
}

#[test]
fn an_own_e_mail_stays_until_its_change_is_confirmed_once() {
    let archive = Archive::new();
    let registry = &archive.registry;
    let (ann, link) = (archive.admin("ann"), SecretDigest([1; 32]));
    archive.admin("bob");
    let wish = |email: &str| EmailChange {
        user_id: ann,
        email: email.into(),
        created_at: NOW,
        expires_at: later(1000),
    };
    assert!(matches!(
        registry.keep_email_change(&link, &wish("BOB@example.edu")),
        Err(Error::Conflict(_))
    ));
    assert!(matches!(
        registry.keep_email_change(&link, &wish("nothing")),
        Err(Error::Invalid { .. })
    ));
    registry.keep_email_change(&link, &wish("new@example.edu")).unwrap();
    let email = || registry.user(ann).unwrap().unwrap().email;
    assert_eq!(email(), "ann@example.edu");
    assert_eq!(registry.email_change(ann, NOW).unwrap().unwrap().email, "new@example.edu");
    assert_eq!(
        registry.confirm_email_change(&link, storage::registry::without_note, later(1000)).unwrap(),
        None,
        "too late"
    );
    assert_eq!(
        registry
            .confirm_email_change(&SecretDigest([2; 32]), storage::registry::without_note, NOW)
            .unwrap(),
        None
    );
    let (before, after) = registry
        .confirm_email_change(&link, storage::registry::without_note, later(999))
        .unwrap()
        .unwrap();
    assert_eq!(
        (before.email.as_str(), after.email.as_str()),
        ("ann@example.edu", "new@example.edu")
    );
    assert_eq!(email(), "new@example.edu");
    assert_eq!(
        registry.confirm_email_change(&link, storage::registry::without_note, later(999)).unwrap(),
        None,
        "used up"
    );

    // A new password, a deactivation and another's change of the e-mail all end what waits.
    let ends: [&dyn Fn(); 3] = [
        &|| registry.set_password(ann, "$argon2id$", NOW).unwrap(),
        &|| registry.deactivate_user(ann, None, NOW).unwrap(),
        &|| archive.rename(ann, "third@example.edu"),
    ];
    for end in ends {
        registry.keep_email_change(&link, &wish("later@example.edu")).unwrap();
        end();
        assert_eq!(registry.email_change(ann, NOW).unwrap(), None);
    }
}
