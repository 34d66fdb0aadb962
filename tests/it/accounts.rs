//! Who is let in, and until when: passwords, locks, sessions and links, with time in our hands.

use std::time::Duration;

use storage::clock::Timestamp;
use storage::registry::{InstitutionKind, NewInstitution, NewUser, Registry, Role, User};
use strongroom::accounts::{
    AccountError, NewAdmin, Welcome, begin_session, change_password, end_session, link_user,
    make_link, person, redeem_link, sign_in,
};
use tempfile::TempDir;

const START: Timestamp = Timestamp(1_794_813_641_000);
const PASSWORD: &str = "correct horse battery";

fn later(seconds: u64) -> Timestamp {
    START.after(Duration::from_secs(seconds))
}

struct House {
    registry: Registry,
    institution: i64,
    dir: TempDir,
}

impl House {
    fn new() -> House {
        let dir = tempfile::tempdir().unwrap();
        let registry = Registry::open(&dir.path().join("registry.sqlite"), START).unwrap();
        let made = registry.create_institution(
            &NewInstitution {
                name: "Our archive".into(),
                identifier: "archive.local".into(),
                kind: InstitutionKind::Member,
                member_institution_id: None,
                receiving_bucket: "receiving/archive.local".into(),
                restore_bucket: "restore/archive.local".into(),
            },
            START,
        );
        House { institution: made.unwrap().id, registry, dir }
    }

    fn user(&self, email: &str, role: Role) -> User {
        let new = NewUser {
            name: "Somebody".into(),
            email: email.into(),
            phone_number: None,
            institution_id: self.institution,
            role,
        };
        self.registry.create_user(&new, START).unwrap()
    }

    /// A user who has set a password.
    fn known(&self, email: &str, role: Role) -> User {
        let user = self.user(email, role);
        let (link, _) = make_link(&self.registry, &user, START).unwrap();
        redeem_link(&self.registry, &link.text(), PASSWORD, START).unwrap();
        user
    }

    fn tries(&self, email: &str, password: &str, at: Timestamp) -> bool {
        match sign_in(&self.registry, email, password, at) {
            Ok(user) => {
                assert!(user.email.eq_ignore_ascii_case(email.trim()));
                true
            }
            Err(AccountError::NotKnown) => false,
            Err(error) => panic!("{error}"),
        }
    }

    fn is_in(&self, session: &str, at: Timestamp) -> bool {
        person(&self.registry, session, at).unwrap().is_some()
    }
}

#[test]
fn after_five_wrong_passwords_the_right_one_has_to_wait_and_longer_each_time() {
    let house = House::new();
    house.known("ann@archive.example", Role::InstitutionalAdmin);
    let (ann, wrong) = ("Ann@Archive.example ", "wrong horse battery");
    for _ in 0..4 {
        assert!(!house.tries(ann, wrong, START));
    }
    assert!(house.tries(ann, PASSWORD, START), "four are free, and the right one sets them back");
    for _ in 0..5 {
        assert!(!house.tries(ann, wrong, START));
    }
    assert!(!house.tries(ann, PASSWORD, later(59)));
    // What is tried while it is locked does not make the wait longer.
    for second in 0..20 {
        assert!(!house.tries(ann, wrong, later(second)));
    }
    assert!(!house.tries(ann, wrong, later(61)), "the sixth that was looked at");
    assert!(!house.tries(ann, PASSWORD, later(61 + 119)));
    assert!(house.tries(ann, PASSWORD, later(61 + 120)));
}

#[test]
fn whoever_cannot_come_in_hears_the_same() {
    let house = House::new();
    let bob = house.known("bob@archive.example", Role::InstitutionalUser);
    house.user("new@archive.example", Role::InstitutionalUser);
    house.registry.deactivate_user(bob.id, START).unwrap();
    let long = "x".repeat(100_000);
    for (email, password) in [
        ("nobody@archive.example", PASSWORD),
        ("bob@archive.example", PASSWORD),
        ("new@archive.example", ""),
        ("", ""),
        (&long, PASSWORD),
        ("bob@archive.example", &long),
    ] {
        assert!(!house.tries(email, password, START), "{:.30}", email);
    }
    house.registry.reactivate_user(bob.id, START).unwrap();
    assert!(house.tries("bob@archive.example", PASSWORD, START));
}

#[test]
fn a_session_ends_by_idleness_by_age_and_by_signing_out() {
    let house = House::new();
    let ann = house.known("ann@archive.example", Role::InstitutionalAdmin);
    let begin = |at| begin_session(&house.registry, &ann, at).unwrap().text();
    let hour = 3600;
    let idle = begin(START);
    assert!(house.is_in(&idle, later(7 * hour)));
    assert!(house.is_in(&idle, later(14 * hour)), "each look counts as a sign of life");
    assert!(!house.is_in(&idle, later(22 * hour)));

    let busy = begin(START);
    let week = 7 * 24 * hour;
    for at in (0..week).step_by(4 * 3600) {
        assert!(house.is_in(&busy, later(at)), "{at}");
    }
    assert!(!house.is_in(&busy, later(week)));

    let left = begin(START);
    end_session(&house.registry, &left, START).unwrap();
    assert!(!house.is_in(&left, START));
    for forged in ["", "x", &"0".repeat(64), &left.to_uppercase()] {
        assert!(!house.is_in(forged, START), "{forged}");
    }
}

#[test]
fn sessions_end_with_the_password_the_user_and_the_institution() {
    let house = House::new();
    house.known("root@archive.example", Role::InstitutionalUser);
    let ann = house.known("ann@archive.example", Role::InstitutionalAdmin);
    let begin = || begin_session(&house.registry, &ann, START).unwrap().text();

    let (here, there) = (begin(), begin());
    let passwords = (PASSWORD, "another horse battery");
    let wrong = ("not this one, no", "another horse battery");
    assert!(change_password(&house.registry, &ann, wrong, START).is_err());
    assert!(house.is_in(&here, START), "a failed change changes nothing");
    change_password(&house.registry, &ann, passwords, START).unwrap();
    assert!(!house.is_in(&here, START) && !house.is_in(&there, START));
    assert!(!house.tries("ann@archive.example", PASSWORD, START));
    assert!(house.tries("ann@archive.example", "another horse battery", START));

    let session = begin();
    house.registry.deactivate_user(ann.id, START).unwrap();
    assert!(!house.is_in(&session, START));
    house.registry.reactivate_user(ann.id, START).unwrap();
    assert!(!house.is_in(&session, START), "what ended stays ended");

    let session = begin();
    house.registry.deactivate_institution(house.institution, START).unwrap();
    assert!(!house.is_in(&session, START));
    assert!(!house.tries("ann@archive.example", "another horse battery", START));
}

#[test]
fn a_link_works_once_for_a_day_and_the_newest_only() {
    let house = House::new();
    let ann = house.user("ann@archive.example", Role::InstitutionalAdmin);
    let link = |at| make_link(&house.registry, &ann, at).unwrap().0.text();
    let redeem = |link: &str, at| redeem_link(&house.registry, link, PASSWORD, at);
    let dead = |link: &str, at| {
        assert!(matches!(link_user(&house.registry, link, at), Err(AccountError::DeadLink)));
        assert!(matches!(redeem(link, at), Err(AccountError::DeadLink)));
    };
    let first = link(START);
    let second = link(START);
    dead(&first, START);
    dead(&second, later(24 * 3600));
    let short = redeem_link(&house.registry, &second, "short", START);
    assert!(matches!(short, Err(AccountError::BadPassword(_))));
    redeem(&second, later(24 * 3600 - 1)).unwrap();
    dead(&second, START);
    dead("", START);
    dead(&"0".repeat(64), START);

    let third = link(START);
    house.registry.deactivate_user(ann.id, START).unwrap();
    dead(&third, START);
    assert!(matches!(
        make_link(&house.registry, &ann, START),
        Err(AccountError::Refused(why)) if why.contains("shut out")
    ));
}

#[test]
fn the_first_administrator_comes_in_once_and_the_last_one_stays() {
    let house = House::new();
    let welcome = Welcome::default();
    let admin = |password: &str| NewAdmin {
        name: "Ann Archer".into(),
        email: "ann@archive.example".into(),
        password: password.into(),
    };
    let accept = |welcome: &Welcome, secret: &str, password: &str| {
        let way = (secret, house.institution);
        welcome.accept(&house.registry, way, admin(password), START)
    };
    assert!(accept(&welcome, &"0".repeat(64), PASSWORD).is_err(), "nobody was invited");
    let link = welcome.invite(&house.registry).unwrap().unwrap().text();
    let elsewhere = Welcome::default();
    elsewhere.invite(&house.registry).unwrap().unwrap();
    assert!(accept(&elsewhere, &link, PASSWORD).is_err(), "a link of another run");
    assert!(matches!(accept(&welcome, &link, "short"), Err(AccountError::BadPassword(_))));
    let ann = accept(&welcome, &link, PASSWORD).unwrap();
    assert_eq!(ann.role, Role::Admin);
    assert!(matches!(accept(&welcome, &link, PASSWORD), Err(AccountError::DeadLink)));
    assert!(welcome.invite(&house.registry).unwrap().is_none());

    assert!(house.registry.deactivate_user(ann.id, START).is_err());
    assert!(house.registry.deactivate_institution(house.institution, START).is_err());
    assert!(house.tries("ann@archive.example", PASSWORD, START), "nothing of it was done");
    house.known("bea@archive.example", Role::Admin);
    house.registry.deactivate_user(ann.id, START).unwrap();
}

#[test]
fn no_secret_stands_in_the_file() {
    let house = House::new();
    let ann = house.known("ann@archive.example", Role::InstitutionalAdmin);
    let session = begin_session(&house.registry, &ann, START).unwrap();
    let (link, _) = make_link(&house.registry, &ann, START).unwrap();
    house.registry.checkpoint().unwrap();
    let file = std::fs::read(house.dir.path().join("registry.sqlite")).unwrap();
    let holds = |needle: &[u8]| file.windows(needle.len()).any(|window| window == needle);
    assert!(holds(b"$argon2id$") && holds(&session.digest().0) && holds(&link.digest().0));
    for secret in [PASSWORD, &session.text(), &link.text()] {
        assert!(!holds(secret.as_bytes()), "{secret} can be read");
    }
}
