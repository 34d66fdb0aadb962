//! Who may come in: second factors, tokens, sessions, what is changed of users and institutions, and
//! the log that says so.

use std::time::Duration;

use rusqlite::Connection;
use storage::clock::Timestamp;
use storage::registry::{
    AUDIT, AuditHow, AuditOutcome, Deed, Error, InstitutionChange, InstitutionKind, NewInstitution,
    NewNote, NewToken, NewUser, Origin, Query, Registry, Role, SecretDigest, Sessions, Sight, User,
    UserChange,
};
use tempfile::TempDir;

const NOW: Timestamp = Timestamp(1_794_813_641_123);
const RULES: Sessions = Sessions {
    idle: Duration::from_secs(3600),
    most: Duration::from_secs(7200),
    note_after: Duration::from_secs(60),
};

fn later(seconds: u64) -> Timestamp {
    NOW.after(Duration::from_secs(seconds))
}

fn secret(number: u8) -> SecretDigest {
    SecretDigest([number; 32])
}

struct House {
    dir: TempDir,
    registry: Registry,
    archive: i64,
    library: i64,
}

impl House {
    fn new() -> House {
        let dir = tempfile::tempdir().unwrap();
        let registry = Registry::open(&dir.path().join("registry.sqlite"), NOW).unwrap();
        let made = |name: &str| {
            let new = NewInstitution {
                name: format!("The {name}"),
                identifier: format!("{name}.example"),
                kind: InstitutionKind::Member,
                member_institution_id: None,
                receiving_bucket: format!("receiving/{name}"),
                restore_bucket: format!("restore/{name}"),
            };
            registry.create_institution(&new, NOW).unwrap().id
        };
        House { archive: made("archive"), library: made("library"), dir, registry }
    }

    fn user(&self, name: &str, institution_id: i64, role: Role) -> User {
        let email = format!("{name}@{institution_id}.example");
        let new = NewUser { name: name.into(), email, phone_number: None, institution_id, role };
        self.registry.create_user_with_password(&new, "$argon2id$", NOW).unwrap()
    }

    fn token(&self, number: u8, user: &User) -> Result<i64, Error> {
        let name = format!("token {number}");
        let new = NewToken { user_id: user.id, name, scope: "read", expires_at: later(3600) };
        self.registry
            .create_token(&secret(number), &new, storage::registry::without_note, NOW)
            .map(|token| token.id)
    }

    fn uses(&self, number: u8, at: Timestamp) -> bool {
        self.registry.live_token(&secret(number), at, Duration::from_secs(300)).unwrap().is_some()
    }
}

fn note(who: &User, outcome: AuditOutcome) -> NewNote {
    NewNote {
        user_id: Some(who.id),
        who: who.email.clone(),
        how: AuditHow::Session,
        token_id: None,
        address: "127.0.0.1".into(),
        deed: Deed::ChangeUser,
        about: ("user".into(), "bob\n@x".into()),
        about_user_id: None,
        institution_id: Some(who.institution_id),
        outcome,
        detail: "x".repeat(5000),
    }
}

#[test]
fn a_token_works_until_it_expires_or_is_revoked_and_its_use_is_noted_now_and_then() {
    let house = House::new();
    let ann = house.user("ann", house.archive, Role::Admin);
    let id = house.token(1, &ann).unwrap();
    assert!(house.uses(1, NOW) && !house.uses(2, NOW));
    let used = || house.registry.token(id).unwrap().unwrap().used_at;
    assert_eq!(used(), Some(NOW));
    assert!(house.uses(1, later(299)));
    assert_eq!(used(), Some(NOW), "a request must not cost a sync");
    assert!(house.uses(1, later(300)));
    assert_eq!(used(), Some(later(300)));
    assert!(!house.uses(1, later(3600)), "it expires");
    assert!(house.registry.revoke_token(id, NOW).unwrap());
    assert!(!house.registry.revoke_token(id, NOW).unwrap(), "once is for good");
    assert!(!house.uses(1, NOW));
    for name in ["", &"x".repeat(101), "two\nlines"] {
        let new =
            NewToken { user_id: ann.id, name: name.into(), scope: "read", expires_at: later(1) };
        let made =
            house.registry.create_token(&secret(9), &new, storage::registry::without_note, NOW);
        assert!(matches!(made, Err(Error::Invalid { field: "name", .. })), "{name:?}");
    }
    for number in 100..200 {
        house.token(number, &ann).unwrap();
    }
    assert!(
        matches!(house.token(200, &ann), Err(Error::Refused { .. })),
        "their number is bounded"
    );
}

#[test]
fn a_factor_counts_when_it_is_confirmed_and_nothing_of_it_is_used_twice() {
    let house = House::new();
    let ann = house.user("ann", house.archive, Role::Admin);
    let registry = &house.registry;
    registry.offer_factor(ann.id, &[1; 20], NOW).unwrap();
    registry.offer_factor(ann.id, &[2; 20], NOW).unwrap();
    assert!(!registry.use_step(ann.id, 7).unwrap(), "it was not confirmed");
    let codes = [secret(1), secret(2)];
    assert!(registry.confirm_factor((ann.id, 7), &codes, NOW).unwrap());
    assert!(!registry.confirm_factor((ann.id, 8), &codes, NOW).unwrap());
    assert!(matches!(registry.offer_factor(ann.id, &[3; 20], NOW), Err(Error::Refused { .. })));
    let kept = registry.factor(ann.id).unwrap().unwrap();
    assert_eq!((kept.secret, kept.confirmed_at, kept.last_step), (Some([2; 20]), Some(NOW), 7));
    assert!(!registry.use_step(ann.id, 7).unwrap() && !registry.use_step(ann.id, 6).unwrap());
    assert!(registry.use_step(ann.id, 8).unwrap() && !registry.use_step(ann.id, 8).unwrap());
    assert!(registry.use_backup_code(ann.id, &secret(1), NOW).unwrap());
    assert!(!registry.use_backup_code(ann.id, &secret(1), NOW).unwrap());
    assert_eq!(registry.backup_codes_left(ann.id).unwrap(), 1);
    registry.replace_backup_codes(ann.id, &[secret(3)]).unwrap();
    assert!(!registry.use_backup_code(ann.id, &secret(2), NOW).unwrap(), "they go as a set");
    registry.open_session(&secret(50), (ann.id, &Origin::default()), (RULES, NOW)).unwrap();
    assert!(registry.drop_factor(ann.id, None, (None, NOW)).unwrap());
    assert!(registry.factor(ann.id).unwrap().is_none());
    assert_eq!(registry.backup_codes_left(ann.id).unwrap(), 0);
    assert!(registry.session_user(&secret(50), (RULES, NOW)).unwrap().is_none());
}

#[test]
fn sessions_have_numbers_and_all_keys_end_with_their_user() {
    let house = House::new();
    house.user("root", house.library, Role::Admin);
    let ann = house.user("ann", house.archive, Role::InstitutionalAdmin);
    let bob = house.user("bob", house.archive, Role::InstitutionalUser);
    let registry = &house.registry;
    let origin = Origin { address: "10.1.2.3".into(), browser: "y".repeat(1000) };
    for number in 1..=60 {
        registry.open_session(&secret(number), (ann.id, &origin), (RULES, NOW)).unwrap();
    }
    let sessions = registry.sessions_of(ann.id, (RULES, NOW)).unwrap();
    assert_eq!(sessions.len(), 50, "the oldest made room");
    assert_eq!((&*sessions[0].address, sessions[0].browser.len()), ("10.1.2.3", 300));
    let (user, number) = registry.session_user(&secret(60), (RULES, NOW)).unwrap().unwrap();
    assert_eq!((user.id, number), (ann.id, sessions[0].id));
    assert!(!registry.end_session_number(bob.id, number).unwrap(), "it is not theirs");
    assert!(registry.end_session_number(ann.id, number).unwrap());
    assert!(registry.session_user(&secret(60), (RULES, NOW)).unwrap().is_none());
    assert!(registry.sessions_of(ann.id, (RULES, later(3600))).unwrap().is_empty(), "idle");
    let open = |number| {
        registry.open_half(&secret(number), ann.id, (NOW, later(300))).unwrap();
        registry.keep_link(&secret(number), (ann.id, None), (NOW, later(300))).unwrap();
    };
    let is_open = |number| {
        let half = registry.half_user(&secret(number), NOW).unwrap();
        (half.is_some(), registry.link_user(&secret(number), NOW).unwrap().is_some())
    };
    open(70);
    assert!(registry.half_user(&secret(70), later(300)).unwrap().is_none(), "it is short-lived");
    registry.deactivate_user(ann.id, None, NOW).unwrap();
    assert_eq!(is_open(70), (false, false));
    registry.reactivate_user(ann.id, None, NOW).unwrap();
    open(71);
    registry.deactivate_institution(house.archive, NOW).unwrap();
    assert_eq!(is_open(71), (false, false));
    assert!(registry.active_user(ann.id).unwrap().is_none());
    registry.reactivate_institution(house.archive, NOW).unwrap();
    assert!(registry.active_user(ann.id).unwrap().is_some());
    open(72);
    registry.set_password(ann.id, "$argon2id$", NOW).unwrap();
    assert_eq!(is_open(72), (false, false));
}

#[test]
fn the_last_administrator_can_not_be_made_less() {
    let house = House::new();
    let ann = house.user("ann", house.archive, Role::Admin);
    let demote = UserChange { role: Some(Role::InstitutionalUser), ..UserChange::default() };
    let refused = house.registry.change_user(ann.id, &demote, storage::registry::without_note, NOW);
    assert!(matches!(refused, Err(Error::Refused { .. })));
    assert_eq!(house.registry.user(ann.id).unwrap().unwrap().role, Role::Admin);
    house.user("bea", house.archive, Role::Admin);
    assert_eq!(
        house
            .registry
            .change_user(ann.id, &demote, storage::registry::without_note, NOW)
            .unwrap()
            .role,
        demote.role.unwrap()
    );
    let bad = |change: UserChange| {
        house.registry.change_user(ann.id, &change, storage::registry::without_note, NOW)
    };
    let phone = Some(Some("12".to_owned()));
    assert!(bad(UserChange { phone_number: phone, ..UserChange::default() }).is_err());
    assert!(bad(UserChange { email: Some("no".into()), ..UserChange::default() }).is_err());
    let taken = UserChange { email: Some("BEA@1.example".into()), ..UserChange::default() };
    assert!(matches!(bad(taken), Err(Error::Conflict(_))));
    let none = UserChange { role: Some(Role::None), ..UserChange::default() };
    house.registry.open_session(&secret(1), (ann.id, &Origin::default()), (RULES, NOW)).unwrap();
    house.registry.change_user(ann.id, &none, storage::registry::without_note, NOW).unwrap();
    assert!(house.registry.session_user(&secret(1), (RULES, NOW)).unwrap().is_none());
}

#[test]
fn an_institution_keeps_what_is_not_changed() {
    let house = House::new();
    let before = house.registry.institution(house.library).unwrap().unwrap();
    let change = InstitutionChange { otp_enabled: Some(true), ..InstitutionChange::default() };
    let after = house.registry.change_institution(house.library, &change, later(1)).unwrap();
    let wanted =
        storage::registry::Institution { otp_enabled: true, updated_at: later(1), ..before };
    assert_eq!(after, wanted);
    for bad in [
        InstitutionChange { name: Some("four".into()), ..InstitutionChange::default() },
        InstitutionChange { spot_restore_frequency: Some(-1), ..InstitutionChange::default() },
        InstitutionChange { spot_restore_frequency: Some(3651), ..InstitutionChange::default() },
    ] {
        assert!(house.registry.change_institution(house.library, &bad, NOW).is_err(), "{bad:?}");
    }
    assert!(house.registry.change_institution(99, &change, NOW).is_err());
}

#[test]
fn the_log_is_seen_by_its_institution_and_changed_by_nobody() {
    let house = House::new();
    let ann = house.user("ann", house.archive, Role::Admin);
    let lil = house.user("lil", house.library, Role::InstitutionalAdmin);
    house.registry.note(&note(&ann, AuditOutcome::Done), NOW).unwrap();
    house.registry.note(&note(&lil, AuditOutcome::Refused), later(1)).unwrap();
    house.registry.note(&note(&lil, AuditOutcome::Refused), later(2)).unwrap();
    let seen = |sight| {
        let rows = house.registry.list_audit(&Query::all(&AUDIT).seen_by(sight)).unwrap().rows;
        rows.into_iter().map(|row| row.who).collect::<Vec<_>>()
    };
    assert_eq!(seen(Sight::All), [lil.email.clone(), ann.email.clone()], "once a minute");
    let own = |institution| Sight::Own { institution, restricted: true };
    assert_eq!(seen(own(house.library)), [lil.email]);
    let row = &house.registry.list_audit(&Query::all(&AUDIT)).unwrap().rows[0];
    assert_eq!((row.about.as_str(), row.detail.len()), ("bob @x", 2000), "one line, bounded");
    let file = Connection::open(house.dir.path().join("registry.sqlite")).unwrap();
    for sql in ["UPDATE audit SET who = 'eve'", "DELETE FROM audit"] {
        let refused = file.execute(sql, []).unwrap_err().to_string();
        assert!(refused.contains("never changed"), "{refused}");
    }
    let untold = house.registry.untold(1000).unwrap();
    assert_eq!(untold.lines.iter().filter(|line| line.contains("\"table\":\"audit\"")).count(), 2);
    for secret in [
        "tokens",
        "sessions",
        "factors",
        "backup_codes",
        "letters",
        "half_sign_ins",
        "email_changes",
    ] {
        assert!(!storage::registry::EXPORTED_TABLES.contains(&secret), "{secret}");
    }
}

#[test]
fn a_letter_is_forgotten_when_it_was_sent_or_given_up() {
    let house = House::new();
    let registry = &house.registry;
    let words = ("A link", "https://archive.example/password?token=s3cret");
    registry.post_letter("ann@archive.example", words, NOW).unwrap();
    registry.post_letter("bob@archive.example", words, NOW).unwrap();
    let due = registry.due_letters(NOW, 10).unwrap();
    assert_eq!(due.len(), 2);
    registry.letter_failed(due[0].id, "no answer", Some(later(60)), NOW).unwrap();
    assert_eq!(registry.due_letters(NOW, 10).unwrap().len(), 1);
    let again = &registry.due_letters(later(60), 10).unwrap()[1];
    assert_eq!((again.id, again.attempts, &*again.content), (due[0].id, 1, words.1));
    registry.letter_failed(due[0].id, "no answer", None, NOW).unwrap();
    registry.letter_sent(due[1].id, NOW).unwrap();
    assert!(registry.due_letters(later(99), 10).unwrap().is_empty());
    let file = Connection::open(house.dir.path().join("registry.sqlite")).unwrap();
    let left: i64 = file
        .query_row("SELECT count(*) FROM letters WHERE content <> ''", [], |row| row.get(0))
        .unwrap();
    assert_eq!(left, 0);
}
