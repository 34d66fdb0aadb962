//! Who is let in, and until when: passwords, locks, sessions and links, with time in our hands.

use std::sync::LazyLock;
use std::time::Duration;

use storage::clock::Timestamp;
use storage::registry::{
    AUDIT, AuditHow, InstitutionChange, InstitutionKind, NewInstitution, NewUser, Origin, Query,
    Registry, Role, SignInSource, User,
};
use strongroom::accounts::{
    AccountError, Entered, NewAdmin, Secret, Source, TokenWish, Welcome, begin_session,
    change_password, confirm_factor, end_factor, end_session, enter, finish, has_factor,
    has_pending_factor, know_browser, link_user, make_link, make_token, offer_factor, owes_factor,
    password_caller, person, pharos_caller, redeem_link, renew_codes, reset_factor, revoke_token,
    sign_in, sign_in_from, token_caller,
};
use strongroom::rights::{Caller, Person, Proof, TokenScope};
use tempfile::TempDir;

use crate::device::code;

const START: Timestamp = Timestamp(1_794_813_641_000);
const PASSWORD: &str = "correct horse battery";
const HERE: &str = "127.0.0.1";

fn how() -> (AuditHow, &'static Origin) {
    static ORIGIN: LazyLock<Origin> =
        LazyLock::new(|| Origin { address: HERE.into(), browser: String::new() });
    (AuditHow::Password, &ORIGIN)
}

/// The user, signed in.
fn by(user: &User) -> Person {
    Person { user: user.clone(), proof: Proof::Session, address: HERE.into() }
}

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
        self.registry.create_user(&new, storage::registry::without_note, START).unwrap()
    }

    /// A user who has set a password.
    fn known(&self, email: &str, role: Role) -> User {
        let user = self.user(email, role);
        let (link, _) = make_link(&self.registry, &Caller::House, &user, START).unwrap();
        redeem_link(&self.registry, (&link.text(), PASSWORD), HERE, START).unwrap();
        user
    }

    fn tries(&self, email: &str, password: &str, at: Timestamp) -> bool {
        match sign_in(&self.registry, (email, password), HERE, at) {
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
    house.registry.deactivate_user(bob.id, None, START).unwrap();
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
    house.registry.reactivate_user(bob.id, None, START).unwrap();
    assert!(house.tries("bob@archive.example", PASSWORD, START));
}

#[test]
fn a_session_ends_by_idleness_by_age_and_by_signing_out() {
    let house = House::new();
    let ann = house.known("ann@archive.example", Role::InstitutionalAdmin);
    let begin = |at| begin_session(&house.registry, &ann, how(), at).unwrap().text();
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
    end_session(&house.registry, &left, HERE, START).unwrap();
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
    let begin = || begin_session(&house.registry, &ann, how(), START).unwrap().text();

    let (here, there) = (begin(), begin());
    let passwords = (PASSWORD, "another horse battery");
    let wrong = ("not this one, no", "another horse battery");
    assert!(change_password(&house.registry, &by(&ann), wrong, START).is_err());
    assert!(house.is_in(&here, START), "a failed change changes nothing");
    change_password(&house.registry, &by(&ann), passwords, START).unwrap();
    assert!(!house.is_in(&here, START) && !house.is_in(&there, START));
    assert!(!house.tries("ann@archive.example", PASSWORD, START));
    assert!(house.tries("ann@archive.example", "another horse battery", START));

    let session = begin();
    house.registry.deactivate_user(ann.id, None, START).unwrap();
    assert!(!house.is_in(&session, START));
    house.registry.reactivate_user(ann.id, None, START).unwrap();
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
    let link = |at| make_link(&house.registry, &Caller::House, &ann, at).unwrap().0.text();
    let redeem = |link: &str, at| redeem_link(&house.registry, (link, PASSWORD), HERE, at);
    let dead = |link: &str, at| {
        assert!(matches!(link_user(&house.registry, link, at), Err(AccountError::DeadLink)));
        assert!(matches!(redeem(link, at), Err(AccountError::DeadLink)));
    };
    let first = link(START);
    let second = link(START);
    dead(&first, START);
    dead(&second, later(24 * 3600));
    let short = redeem_link(&house.registry, (&second, "short"), HERE, START);
    assert!(matches!(short, Err(AccountError::BadPassword(_))));
    redeem(&second, later(24 * 3600 - 1)).unwrap();
    dead(&second, START);
    dead("", START);
    dead(&"0".repeat(64), START);

    let third = link(START);
    house.registry.deactivate_user(ann.id, None, START).unwrap();
    dead(&third, START);
    assert!(matches!(
        make_link(&house.registry, &Caller::House, &ann, START),
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
        welcome.accept(&house.registry, way, admin(password), (HERE, START))
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

    assert!(house.registry.deactivate_user(ann.id, None, START).is_err());
    assert!(house.registry.deactivate_institution(house.institution, START).is_err());
    assert!(house.tries("ann@archive.example", PASSWORD, START), "nothing of it was done");
    house.known("bea@archive.example", Role::Admin);
    house.registry.deactivate_user(ann.id, None, START).unwrap();
}

#[test]
fn no_secret_stands_in_the_file() {
    let house = House::new();
    let ann = house.known("ann@archive.example", Role::InstitutionalAdmin);
    let session = begin_session(&house.registry, &ann, how(), START).unwrap();
    let (link, _) = make_link(&house.registry, &Caller::House, &ann, START).unwrap();
    house.registry.checkpoint().unwrap();
    let file = std::fs::read(house.dir.path().join("registry.sqlite")).unwrap();
    let holds = |needle: &[u8]| file.windows(needle.len()).any(|window| window == needle);
    assert!(holds(b"$argon2id$") && holds(&session.digest().0) && holds(&link.digest().0));
    for secret in [PASSWORD, &session.text(), &link.text()] {
        assert!(!holds(secret.as_bytes()), "{secret} can be read");
    }
}

impl House {
    /// The letters that a device is told.
    fn offered(&self, user: &User, at: Timestamp) -> String {
        offer_factor(&self.registry, &by(user), (PASSWORD, "House"), at).unwrap().secret
    }

    /// A user with a second factor; also the letters that the device was told, and the codes.
    fn with_factor(&self, email: &str, role: Role) -> (User, String, Vec<String>) {
        let user = self.known(email, role);
        let letters = self.offered(&user, START);
        let codes = confirm_factor(&self.registry, &by(&user), &code(&letters, START), START);
        (user, letters, codes.unwrap())
    }

    /// The first step, which opens the second.
    fn half(&self, user: &User, at: Timestamp) -> String {
        match enter(&self.registry, user, how(), at).unwrap() {
            Entered::Half(secret) => secret.text(),
            Entered::Session(_) => panic!("the second step was left out"),
        }
    }

    fn finishes(&self, half: &str, code: &str, at: Timestamp) -> Result<Secret, AccountError> {
        finish(&self.registry, (half, code), how().1, at).map(|(_, secret)| secret)
    }

    /// The deeds in the log, newest first, with what came of them.
    fn log(&self) -> Vec<String> {
        let rows = self.registry.list_audit(&Query::all(&AUDIT)).unwrap().rows;
        rows.iter().map(|row| format!("{} {}", row.deed.word(), row.outcome.word())).collect()
    }
}

#[test]
fn a_second_factor_counts_from_its_first_code_and_no_code_works_twice() {
    let house = House::new();
    let ann = house.known("ann@archive.example", Role::InstitutionalAdmin);
    let begin = |given: &str| offer_factor(&house.registry, &by(&ann), (given, "House"), START);
    assert!(matches!(begin("wrong horse battery"), Err(AccountError::NotKnown)));
    assert!(!has_pending_factor(&house.registry, &ann).unwrap(), "a session alone begins nothing");
    let letters = begin(PASSWORD).unwrap().secret;
    assert!(has_pending_factor(&house.registry, &ann).unwrap());
    assert!(
        !has_factor(&house.registry, &ann).unwrap(),
        "nobody is locked out by a half-done form"
    );
    assert!(matches!(enter(&house.registry, &ann, how(), START), Ok(Entered::Session(_))));
    let confirm = |code: &str| confirm_factor(&house.registry, &by(&ann), code, START);
    assert!(matches!(confirm("000000"), Err(AccountError::WrongCode)));
    let now = code(&letters, START);
    let codes = confirm(&now).unwrap();
    assert_eq!(codes.len(), 10);
    assert!(!has_pending_factor(&house.registry, &ann).unwrap());

    let half = house.half(&ann, START);
    assert!(!house.is_in(&half, START), "a half-open sign-in opens nothing");
    let used = house.finishes(&half, &now, START);
    assert!(matches!(used, Err(AccountError::WrongCode)), "the first code is used up");
    let next = code(&letters, later(30));
    let session = house.finishes(&half, &next, later(30)).unwrap();
    assert!(house.is_in(&session.text(), later(30)));
    let again = house.finishes(&half, &code(&letters, later(60)), later(60));
    assert!(matches!(again, Err(AccountError::DeadHalf)), "so is the half-open sign-in");

    let half = house.half(&ann, later(60));
    house.finishes(&half, &codes[3].to_lowercase().replace('-', " "), later(60)).unwrap();
    let half = house.half(&ann, later(60));
    assert!(matches!(house.finishes(&half, &codes[3], later(60)), Err(AccountError::WrongCode)));
    let late = house.finishes(&half, &codes[4], later(60 + 300));
    assert!(matches!(late, Err(AccountError::DeadHalf)), "it does not wait for ever");
    for forged in ["", "x", &"0".repeat(64)] {
        let refused = house.finishes(forged, &codes[4], later(60));
        assert!(matches!(refused, Err(AccountError::DeadHalf)), "{forged}");
    }
}

#[test]
fn wrong_codes_lock_as_wrong_passwords_do_and_the_password_gives_no_new_tries() {
    let house = House::new();
    let (ann, letters, codes) = house.with_factor("ann@archive.example", Role::InstitutionalAdmin);
    for _ in 0..5 {
        assert!(house.tries("ann@archive.example", PASSWORD, START), "the password is right");
        let half = house.half(&ann, START);
        assert!(matches!(house.finishes(&half, "123456", START), Err(AccountError::WrongCode)));
    }
    assert!(!house.tries("ann@archive.example", PASSWORD, later(1)), "locked");
    let half = house.half(&ann, later(1));
    assert!(matches!(house.finishes(&half, &codes[0], later(1)), Err(AccountError::WrongCode)));
    assert!(house.log().iter().any(|line| line == "lock done"), "{:?}", house.log());
    let half = house.half(&ann, later(61));
    house.finishes(&half, &code(&letters, later(61)), later(61)).unwrap();
    assert!(house.tries("ann@archive.example", PASSWORD, later(62)));
}

#[test]
fn a_factor_goes_with_password_and_code_or_by_an_administrator() {
    let house = House::new();
    let (ann, letters, codes) = house.with_factor("ann@archive.example", Role::InstitutionalAdmin);
    let (registry, person) = (&house.registry, by(&ann));
    let basic = password_caller(registry, (&ann.email, PASSWORD), HERE, START);
    assert!(matches!(basic, Err(AccountError::NeedsToken)), "a password alone opens nothing");
    let half = house.half(&ann, START);
    let (here, there) = {
        let here = house.finishes(&half, &codes[0], START).unwrap();
        let half = house.half(&ann, START);
        (here, house.finishes(&half, &codes[1], START).unwrap())
    };
    let end = |password: &str, code: &str| {
        end_factor(registry, &person, (password, code, Some(&here)), later(30))
    };
    assert!(matches!(end("wrong horse battery", &codes[2]), Err(AccountError::NotKnown)));
    assert!(matches!(end(PASSWORD, "nonsense"), Err(AccountError::WrongCode)));
    let renewed = renew_codes(registry, &person, &code(&letters, later(30)), later(30)).unwrap();
    assert!(matches!(end(PASSWORD, &codes[2]), Err(AccountError::WrongCode)), "they went as a set");
    end(PASSWORD, &renewed[0]).unwrap();
    assert!(!has_factor(registry, &ann).unwrap());
    assert!(house.is_in(&here.text(), later(30)) && !house.is_in(&there.text(), later(30)));

    let (bob, ..) = house.with_factor("bob@archive.example", Role::InstitutionalUser);
    reset_factor(registry, &Caller::House, &bob, START).unwrap();
    assert!(!has_factor(registry, &bob).unwrap());
    assert!(reset_factor(registry, &Caller::House, &bob, START).is_err());
    assert!(house.log().iter().any(|line| line == "reset-factor done"), "{:?}", house.log());
}

#[test]
fn an_institution_or_the_house_may_ask_for_a_second_factor() {
    let house = House::new();
    let ann = house.known("ann@archive.example", Role::InstitutionalAdmin);
    let root = house.known("root@archive.example", Role::Admin);
    let owes = |user: &User, of_admins| owes_factor(&house.registry, user, of_admins).unwrap();
    assert!(!owes(&ann, true) && !owes(&root, false) && owes(&root, true));
    let asks = InstitutionChange { otp_enabled: Some(true), ..InstitutionChange::default() };
    house.registry.change_institution(house.institution, &asks, START).unwrap();
    assert!(owes(&ann, false) && owes(&root, false));
    let (bob, ..) = house.with_factor("bob@archive.example", Role::InstitutionalUser);
    assert!(!owes(&bob, true));
}

#[test]
fn a_token_is_its_owner_until_it_or_they_end() {
    let house = House::new();
    house.known("root@archive.example", Role::Admin);
    let ann = house.known("ann@archive.example", Role::InstitutionalAdmin);
    let registry = &house.registry;
    let wish = |days| TokenWish { name: "report".into(), scope: TokenScope::Read, days };
    let make = |days| make_token(registry, &Caller::House, (&ann, &wish(days)), START);
    for days in [0, 366] {
        assert!(matches!(make(days), Err(AccountError::BadField { field: "days", .. })), "{days}");
    }
    let (text, row) = make(90).unwrap();
    let works = |text: &str, at| token_caller(registry, text, HERE, at).unwrap();
    let person = works(&text, START).unwrap();
    assert_eq!((person.user.id, person.proof), (ann.id, Proof::Token(row.id, TokenScope::Read)));
    assert!(works(&text, later(90 * 24 * 3600)).is_none(), "it expires");
    let forged = format!("{}0", &text[..text.len() - 1]);
    for bad in ["", "strongroom_", &forged, &text.to_uppercase(), &"x".repeat(10_000)] {
        assert!(*bad == text || works(bad, START).is_none(), "{bad:.40}");
    }
    let pharos = |email: &str| pharos_caller(registry, (email, &text), HERE, START).unwrap();
    assert!(pharos(" Ann@archive.example").is_some() && pharos("root@archive.example").is_none());

    registry.deactivate_user(ann.id, None, START).unwrap();
    assert!(works(&text, START).is_none(), "its owner is shut out");
    registry.reactivate_user(ann.id, None, START).unwrap();
    assert!(works(&text, START).is_some());
    revoke_token(registry, &Caller::House, (&ann, &row), START).unwrap();
    assert!(works(&text, START).is_none());
    assert!(revoke_token(registry, &Caller::House, (&ann, &row), START).is_err());
    house.registry.checkpoint().unwrap();
    let file = std::fs::read(house.dir.path().join("registry.sqlite")).unwrap();
    assert!(!file.windows(text.len()).any(|window| window == text.as_bytes()));
}

#[test]
fn everything_that_happens_at_the_door_is_in_the_log() {
    let house = House::new();
    let ann = house.known("ann@archive.example", Role::InstitutionalAdmin);
    house.tries("ann@archive.example", "wrong horse battery", START);
    house.tries("nobody@archive.example", PASSWORD, START);
    let session = begin_session(&house.registry, &ann, how(), START).unwrap().text();
    let passwords = (PASSWORD, "another horse battery");
    end_session(&house.registry, &session, HERE, START).unwrap();
    change_password(&house.registry, &by(&ann), passwords, START).unwrap();
    let mut log = house.log();
    log.reverse();
    assert_eq!(
        log,
        [
            "make-link done",
            "set-password done",
            "sign-in failed",
            "sign-in failed",
            "sign-in done",
            "sign-out done",
            "set-password done",
        ]
    );
    let rows = house.registry.list_audit(&Query::all(&AUDIT)).unwrap().rows;
    let text = serde_json::to_string(&rows).unwrap();
    for secret in [PASSWORD, "another horse battery", "wrong horse battery", "nobody@"] {
        assert!(!text.contains(secret), "{secret} stands in the log");
    }
}

/// The bytes that letters (base32) stand for.
fn bytes_of(letters: &str) -> Vec<u8> {
    let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    let bits: String = letters
        .chars()
        .filter(|letter| !letter.is_whitespace())
        .map(|letter| format!("{:05b}", alphabet.find(letter).unwrap()))
        .collect();
    let whole = bits.as_bytes().chunks_exact(8);
    whole.map(|byte| u8::from_str_radix(std::str::from_utf8(byte).unwrap(), 2).unwrap()).collect()
}

impl House {
    /// Whether any file beside the registry holds these bytes.
    fn holds(&self, needle: &[u8]) -> bool {
        let files = std::fs::read_dir(self.dir.path()).unwrap().map(|it| it.unwrap().path());
        files.filter(|path| path.is_file()).any(|path| {
            std::fs::read(path).unwrap().windows(needle.len()).any(|window| window == needle)
        })
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.dir.path().join(name)
    }

    /// Closes the registry and opens it again.
    fn reopened(self) -> House {
        let House { registry, institution, dir } = self;
        registry.close().unwrap();
        let registry = Registry::open(&dir.path().join("registry.sqlite"), START).unwrap();
        House { registry, institution, dir }
    }
}

#[test]
fn the_secret_of_a_second_factor_stands_in_no_file_and_its_key_in_no_snapshot() {
    let house = House::new();
    let (ann, letters, _) = house.with_factor("ann@archive.example", Role::InstitutionalAdmin);
    let secret = bytes_of(&letters);
    assert_eq!(secret.len(), 20);
    assert!(!house.holds(&secret), "before it is written back");
    house.registry.snapshot(&house.path("copy.sqlite"), &mut |_, _| true).unwrap();
    house.registry.checkpoint().unwrap();
    assert!(!house.holds(&secret));
    let key = std::fs::read(house.path("second-factors.key")).unwrap();
    let copy = std::fs::read(house.path("copy.sqlite")).unwrap();
    assert!(key.len() >= 32 && !copy.windows(32).any(|window| key.starts_with(window)));
    let mode = std::fs::metadata(house.path("second-factors.key")).unwrap().permissions();
    assert_eq!(std::os::unix::fs::PermissionsExt::mode(&mode) & 0o777, 0o600);
    let house = house.reopened();
    let half = house.half(&ann, later(30));
    house.finishes(&half, &code(&letters, later(30)), later(30)).unwrap();
}

#[test]
fn secrets_that_stand_in_the_registry_plainly_are_sealed_when_it_is_opened() {
    let house = House::new();
    let ann = house.known("ann@archive.example", Role::InstitutionalAdmin);
    let (institution, House { registry, dir, .. }) = (house.institution, house);
    registry.close().unwrap();
    let plain = b"12345678901234567890";
    let letters = "GEZD GNBV GY3T QOJQ GEZD GNBV GY3T QOJQ";
    let path = dir.path().join("registry.sqlite");
    let file = rusqlite::Connection::open(&path).unwrap();
    let sql = "INSERT INTO factors (user_id, secret, created_at, confirmed_at)
        VALUES (?1, ?2, '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z')";
    file.execute(sql, rusqlite::params![ann.id, &plain[..]]).unwrap();
    file.close().unwrap();
    let registry = Registry::open(&path, START).unwrap();
    let house = House { registry, institution, dir };
    assert!(!house.holds(plain));
    let half = house.half(&ann, START);
    house.finishes(&half, &code(letters, START), START).unwrap();
    let house = house.reopened();
    assert!(!house.holds(plain));
    let half = house.half(&ann, later(60));
    house.finishes(&half, &code(letters, later(60)), later(60)).unwrap();
}

#[test]
fn a_lost_key_file_means_new_second_factors_and_is_told() {
    let house = House::new();
    let (ann, letters, codes) = house.with_factor("ann@archive.example", Role::InstitutionalAdmin);
    let (bob, bobs, _) = house.with_factor("bob@archive.example", Role::InstitutionalUser);
    std::fs::remove_file(house.path("second-factors.key")).unwrap();
    let house = house.reopened();
    let flaws = house.registry.check().unwrap();
    let told = flaws.iter().find(|it| it.code == "second-factors-unreadable").unwrap();
    for words in ["2 second factors", "second-factors.key", "reset-factor"] {
        assert!(told.sentence.contains(words), "{}", told.sentence);
    }
    // The factor still counts: losing a file does not open accounts.
    let half = house.half(&ann, later(30));
    let error = house.finishes(&half, &code(&letters, later(30)), later(30)).err().unwrap();
    let said = error.to_string();
    assert!(said.contains("key file") && said.contains("backup code"), "{said}");
    house.finishes(&half, &codes[0], later(30)).unwrap();
    // An administrator resets it, and it is set up anew under a new key.
    reset_factor(&house.registry, &Caller::House, &bob, later(60)).unwrap();
    let anew = house.offered(&bob, later(60));
    assert_ne!(anew, bobs);
    confirm_factor(&house.registry, &by(&bob), &code(&anew, later(60)), later(60)).unwrap();
    let house = house.reopened();
    let half = house.half(&bob, later(120));
    house.finishes(&half, &code(&anew, later(120)), later(120)).unwrap();
    let flaws = house.registry.check().unwrap();
    let told = flaws.iter().find(|it| it.code == "second-factors-unreadable").unwrap();
    assert!(told.sentence.contains("1 second factor "), "{}", told.sentence);
}

impl House {
    /// Whether a password is taken from this address and with this browser's secret.
    fn tries_from(&self, place: (&str, Option<&str>), password: &str) -> bool {
        self.tries_at(START, place, password)
    }

    /// The same, at some moment.
    fn tries_at(
        &self,
        now: Timestamp,
        (address, browser): (&str, Option<&str>),
        password: &str,
    ) -> bool {
        let source = Source::new(address, browser);
        let given = ("ann@archive.example", password);
        match sign_in_from(&self.registry, given, (&source, address), now) {
            Ok(_) => true,
            Err(AccountError::NotKnown) => false,
            Err(error) => panic!("{error}"),
        }
    }
}

#[test]
fn wrong_passwords_count_for_the_place_they_come_from_and_many_places_are_bounded_together() {
    let house = House::new();
    let ann = house.known("ann@archive.example", Role::InstitutionalAdmin);
    let (own, wrong) = ("198.51.100.7", "wrong horse battery");
    let browser = know_browser(&house.registry, &ann, (None, own), START).unwrap().text();
    for _ in 0..5 {
        assert!(!house.tries_from(("203.0.113.1", None), wrong));
    }
    assert!(!house.tries_from(("203.0.113.1", None), PASSWORD), "locked there");
    assert!(house.tries_from(("203.0.113.2", None), PASSWORD), "and nowhere else");
    // One household has one count, however many addresses it was given.
    for host in 0..5 {
        assert!(!house.tries_from((&format!("2001:db8::{host}"), None), wrong));
    }
    assert!(!house.tries_from(("2001:db8::ffff", None), PASSWORD));
    assert!(house.tries_from(("2001:db8:0:1::1", None), PASSWORD));
    // Many addresses, a try each: together they come to an end.
    for host in 0..60 {
        assert!(!house.tries_from((&format!("192.0.2.{host}"), None), wrong));
    }
    let file = rusqlite::Connection::open(house.path("registry.sqlite")).unwrap();
    let sql = "SELECT failure_count FROM sign_in_sources WHERE kind = 'others'";
    let looked_at: i64 = file.query_row(sql, [], |row| row.get(0)).unwrap();
    assert_eq!(looked_at, 50, "what comes after that is not looked at");
    assert!(!house.tries_from(("192.0.2.255", None), PASSWORD));
    assert!(!house.tries_from(("203.0.113.9", Some(&"0".repeat(64))), PASSWORD));
    // Who comes as before is not touched by any of it.
    assert!(house.tries_from((own, None), PASSWORD));
    assert!(house.tries_from(("203.0.113.1", Some(&browser)), PASSWORD));
    // Nor is who has signed in already, wherever they are now. A new password ends what is known.
    let passwords = (PASSWORD, "another horse battery");
    change_password(&house.registry, &by(&ann), passwords, START).unwrap();
    for _ in 0..5 {
        assert!(!house.tries_from(("203.0.113.1", Some(&browser)), wrong));
    }
    assert!(!house.tries_from(("203.0.113.1", Some(&browser)), passwords.1), "it is a stranger's");
}

#[test]
fn a_stranger_who_tries_once_an_hour_keeps_nobody_out_of_a_new_place() {
    let house = House::new();
    house.known("ann@archive.example", Role::InstitutionalAdmin);
    let wrong = "wrong horse battery";
    for host in 0..60 {
        house.tries_from((&format!("192.0.2.{host}"), None), wrong);
    }
    assert!(!house.tries_from(("203.0.113.9", None), PASSWORD), "many strangers are bounded");
    for hour in 1..=72 {
        let at = later(hour * 3600);
        house.tries_at(at, (&format!("198.51.100.{hour}"), None), wrong);
        let soon = later(hour * 3600 + 1);
        let place = format!("203.0.113.{hour}");
        assert!(house.tries_at(soon, (&place, None), PASSWORD), "from a new place, hour {hour}");
    }
}

#[test]
fn what_is_kept_of_the_places_of_sign_ins_is_bounded() {
    let house = House::new();
    let ann = house.known("ann@archive.example", Role::InstitutionalAdmin);
    let first = know_browser(&house.registry, &ann, (None, HERE), START).unwrap();
    let mut last = first.text();
    for number in 1..100 {
        let now = later(number);
        let address = format!("198.51.100.{number}");
        last = know_browser(&house.registry, &ann, (None, &address), now).unwrap().text();
    }
    let known = |secret: &str| {
        let digest = Secret::parse(secret).unwrap().digest();
        house.registry.is_known_browser(&digest).unwrap()
    };
    assert!(!known(&first.text()) && known(&last), "the oldest make room");
    let same = know_browser(&house.registry, &ann, (Some(&last), HERE), later(100)).unwrap();
    assert_eq!(same.text(), last, "a browser keeps what it is known by");
    let forged = "0".repeat(64);
    let given = know_browser(&house.registry, &ann, (Some(&forged), HERE), later(100)).unwrap();
    assert_ne!(given.text(), forged, "and chooses nothing itself");
    for number in 0..600 {
        let address = format!("10.0.{}.{}", number / 250, number % 250);
        let source = SignInSource { address, browser: None, is_signed_in: false };
        let (at, never) = (later(200 + number), Timestamp(0));
        let hour = Duration::from_secs(3600);
        house.registry.count_failure(ann.id, (&source, never), (at, hour), |_, _| None).unwrap();
    }
    let House { registry, dir, .. } = house;
    registry.close().unwrap();
    let file = rusqlite::Connection::open(dir.path().join("registry.sqlite")).unwrap();
    let count = |kind: &str| -> i64 {
        let sql = "SELECT count(*) FROM sign_in_sources WHERE kind = ?1";
        file.query_row(sql, [kind], |row| row.get(0)).unwrap()
    };
    assert_eq!((count("browser"), count("address"), count("others")), (20, 50 + 200, 1));
}
