//! One person does not delete, whatever they do to accounts: each act by itself.

use std::cell::RefCell;
use std::collections::HashMap;
use std::time::Duration;

use storage::clock::{Clock, Timestamp};
use storage::registry::{Role, User};
use strongroom::accounts::{ConfirmedUser, confirm_factor, offer_factor};
use strongroom::app::App;
use strongroom::desk::{Desk, DeskError, NewTokenWish, UserEdit, UserWish};
use strongroom::flows::FLOWS;
use strongroom::rights::{Caller, Person, Proof, TokenScope};

use super::{COOLING, LETTERS, give_password, proved, sweep, user};
use crate::device::code;
use crate::harness::Rig;
use crate::house::PASSWORD;
use crate::ingest::{INSTITUTION, bag, deposit, rig_configured, write_tar};

const TOML: &str = "[http]\npublic_url = \"https://archive.example\"\n[mail]\nspool = \"mail\"\n";
pub(super) const DAY: Duration = Duration::from_secs(86_400);

/// The command line, among the numbers of users.
pub(super) const COMMAND: i64 = 0;

/// An appliance that holds files enough for a search, and its people.
pub(super) struct House {
    pub(super) rig: Rig<App>,
    /// What the devices of users were told.
    devices: RefCell<HashMap<i64, String>>,
}

impl House {
    /// With so many files in one object.
    pub(super) fn new(count: usize) -> House {
        let rig = rig_configured(FLOWS, TOML.into());
        let names: Vec<String> = (0..count).map(|n| format!("{n}.txt")).collect();
        let bytes: Vec<Vec<u8>> = (0..count).map(|n| n.to_string().into_bytes()).collect();
        let files: Vec<(&str, &[u8])> =
            names.iter().zip(&bytes).map(|(name, it)| (name.as_str(), it.as_slice())).collect();
        deposit(&rig, "letters.tar", |path| write_tar(path, "letters", &bag(&files))).unwrap();
        rig.drain_all();
        let owner = rig.app().registry.institution_by_identifier(INSTITUTION).unwrap().unwrap().id;
        for (name, role) in [
            ("ann", Role::InstitutionalAdmin),
            ("bob", Role::InstitutionalAdmin),
            ("carl", Role::InstitutionalAdmin),
            ("una", Role::InstitutionalUser),
            ("root", Role::Admin),
            ("rose", Role::Admin),
        ] {
            let made = user(rig.app(), name, role, owner);
            give_password(rig.app(), made);
        }
        rig.clock.advance(30 * DAY);
        House { rig, devices: RefCell::default() }
    }

    pub(super) fn app(&self) -> &App {
        self.rig.app()
    }

    pub(super) fn now(&self) -> Timestamp {
        self.rig.clock.now()
    }

    pub(super) fn named(&self, name: &str) -> i64 {
        let email = format!("{name}@example.edu");
        self.app().registry.user_by_email(&email).unwrap().unwrap().id
    }

    pub(super) fn user(&self, id: i64) -> User {
        self.app().registry.user(id).unwrap().unwrap()
    }

    /// Does something at the desk as this user, or at the command line.
    pub(super) fn does<T>(&self, hand: i64, act: impl FnOnce(Desk<'_>) -> T) -> T {
        if hand == COMMAND {
            return act(self.app().desk());
        }
        self.does_by(hand, Proof::Session, act)
    }

    fn does_by<T>(&self, hand: i64, proof: Proof, act: impl FnOnce(Desk<'_>) -> T) -> T {
        let (user, address) = (self.user(hand), String::new());
        act(self.app().desk_for(&Caller::Person(Box::new(Person { user, proof, address }))))
    }

    /// Sets up a second factor, as who knows the password does.
    pub(super) fn enrol(&self, hand: i64) {
        give_password(self.app(), hand);
        let (registry, now) = (&self.app().registry, self.now());
        let (user, address) = (self.user(hand), String::new());
        let person = Person { user, proof: Proof::Session, address };
        let letters = offer_factor(registry, &person, (PASSWORD, "House"), now).unwrap().secret;
        confirm_factor(registry, &person, &code(&letters, now), now).unwrap();
        self.devices.borrow_mut().insert(hand, letters);
    }

    /// The second factor of a user was taken away.
    pub(super) fn lost_device(&self, user: i64) {
        self.devices.borrow_mut().remove(&user);
    }

    pub(super) fn request(&self, hand: i64, file: usize) -> Result<i64, DeskError> {
        self.enter(hand, hand, file)
    }

    /// Requests a deletion in the name of a user, as the batch deletion of the described API does.
    pub(super) fn enter(&self, hand: i64, user: i64, file: usize) -> Result<i64, DeskError> {
        let wish = super::wish(&[], &[&format!("{LETTERS}/data/{file}.txt")]);
        Ok(self.does(hand, |desk| desk.request_deletion(user, &wish))?.deletion.id.0)
    }

    /// Confirms a request that was entered in another's name.
    pub(super) fn confirm(&self, hand: i64, request: i64) -> Result<(), DeskError> {
        let proved = self.proves(hand);
        self.does(hand, |desk| desk.confirm_deletion(request, proved)).map(drop)
    }

    pub(super) fn approve(&self, hand: i64, request: i64) -> Result<(), DeskError> {
        self.approve_by(hand, Proof::Session, request)
    }

    pub(super) fn approve_by(
        &self,
        hand: i64,
        proof: Proof,
        request: i64,
    ) -> Result<(), DeskError> {
        let proved = self.proves(hand);
        self.does_by(hand, proof, |desk| desk.approve_deletion(request, proved)).map(drop)
    }

    /// Gives the password, and a code where there is a device.
    fn proves(&self, hand: i64) -> ConfirmedUser {
        give_password(self.app(), hand);
        // No code works twice.
        self.rig.clock.advance(Duration::from_secs(30));
        let devices = self.devices.borrow();
        let code = devices.get(&hand).map(|letters| code(letters, self.now()));
        proved(self.app(), hand, code)
    }

    /// The secret of the newest link that was mailed.
    pub(super) fn mailed(&self) -> String {
        let letters = self.app().registry.due_letters(self.now(), 10_000).unwrap();
        let text =
            &letters.iter().rev().find(|it| it.content.contains("/account/email")).unwrap().content;
        let secret = text.split_once("token=").unwrap().1;
        secret.split_whitespace().next().unwrap().to_owned()
    }
}

pub(super) fn add(desk: Desk<'_>, name: &str, role: Role) -> Result<i64, DeskError> {
    let wish = UserWish {
        name: name.to_owned(),
        email: format!("{name}@example.edu"),
        phone_number: None,
        role,
        institution: INSTITUTION.into(),
    };
    Ok(desk.add_user(&wish)?.user.id)
}

pub(super) fn edit(desk: Desk<'_>, account: i64, edit: &UserEdit) -> Result<(), DeskError> {
    desk.edit_user(&account.to_string(), edit).map(drop)
}

/// Acts that could put an account into another's hands, by name.
const ACTS: [&str; 9] = [
    "make a user",
    "edit a name",
    "change an e-mail",
    "give a role",
    "reset by a link",
    "deactivate and reactivate",
    "make a token for another",
    "reset a second factor",
    "make a user and change both e-mails after",
];

/// Does the act to Bob's account, or to one that is made by it; the account that may approve then.
fn act(house: &House, act: &str, hand: i64) -> i64 {
    let bob = house.named("bob");
    let which = bob.to_string();
    let admin = Role::InstitutionalAdmin;
    match act {
        "make a user" => return house.does(hand, |desk| add(desk, "puppet", admin)).unwrap(),
        "edit a name" => {
            let change = UserEdit { name: Some("Robert".into()), ..UserEdit::default() };
            house.does(hand, |desk| edit(desk, bob, &change)).unwrap();
        }
        "change an e-mail" => {
            let email = Some("mine@example.edu".into());
            let change = UserEdit { email, ..UserEdit::default() };
            house.does(hand, |desk| edit(desk, bob, &change)).unwrap();
        }
        "give a role" => {
            let una = house.named("una");
            let change = UserEdit { role: Some(admin), ..UserEdit::default() };
            house.does(hand, |desk| edit(desk, una, &change)).unwrap();
            return una;
        }
        "reset by a link" => drop(house.does(hand, |desk| desk.reset_user(&which)).unwrap()),
        "deactivate and reactivate" => {
            house.does(hand, |desk| desk.admit_user(&which, false)).unwrap();
            house.does(hand, |desk| desk.admit_user(&which, true)).unwrap();
        }
        "make a token for another" => {
            // Nobody but the command line can; it is counted all the same.
            let wish = NewTokenWish { name: "x".into(), scope: TokenScope::Manage, days: 1 };
            let refused = house.does(hand, |desk| desk.make_token(Some(&which), &wish));
            assert!(matches!(refused, Err(DeskError::NotAllowed { .. })));
            let ann = house.named("ann").to_string();
            for of in [which, ann] {
                house.does(COMMAND, |desk| desk.make_token(Some(&of), &wish)).unwrap();
            }
        }
        "reset a second factor" => {
            let registry = &house.app().registry;
            registry.offer_factor(bob, &[7; 20], house.now()).unwrap();
            registry.confirm_factor((bob, 1), &[], house.now()).unwrap();
            house.does(hand, |desk| desk.reset_factor(&which)).unwrap();
        }
        "make a user and change both e-mails after" => {
            let puppet = house.does(hand, |desk| add(desk, "puppet", admin)).unwrap();
            let root = house.named("root");
            for (account, email) in [(puppet, "p@example.edu"), (hand, "a@example.edu")] {
                let change = UserEdit { email: Some(email.into()), ..UserEdit::default() };
                house.does(root, |desk| edit(desk, account, &change)).unwrap();
            }
            return puppet;
        }
        other => panic!("{other}"),
    }
    bob
}

#[test]
fn no_act_on_an_account_lets_one_person_request_and_approve() {
    for name in ACTS {
        let house = House::new(1);
        let (ann, carl) = (house.named("ann"), house.named("carl"));
        let request = house.request(ann, 0).unwrap();
        let account = act(&house, name, ann);
        let refused = house.approve(account, request).expect_err(name).to_string();
        assert!(
            refused.contains("seven days") && refused.contains("nothing was changed"),
            "{refused}"
        );
        house.rig.clock.advance(COOLING);
        assert_eq!(sweep(&house.rig), 0, "{name}");
        let by_carl = house.approve(carl, request);
        // Whom nobody touched can approve it, unless somebody who may be anybody has touched Ann.
        let touches_ann = [ACTS[6], ACTS[8]].contains(&name);
        assert_eq!(by_carl.is_err(), touches_ann, "{name}: {by_carl:?}");
    }
}

#[test]
fn the_console_that_touches_only_the_approver_is_no_second_person() {
    for hand in ["console", "root"] {
        for touched in ["ann", "bob"] {
            let house = House::new(3);
            let (ann, bob, carl) = (house.named("ann"), house.named("bob"), house.named("carl"));
            let hand = if hand == "console" { COMMAND } else { house.named("root") };
            // Before the request or after it.
            house.does(hand, |desk| desk.reset_user(&house.named(touched).to_string())).unwrap();
            let free = house.now().after(7 * DAY).to_minute();
            let before = house.request(ann, 0).unwrap();
            let refused = house.approve(bob, before).unwrap_err().to_string();
            let account = format!("the account of {touched}@example.edu");
            assert!(
                refused.contains(&account) && refused.contains("nothing was changed"),
                "{refused}"
            );
            assert!(refused.contains(&format!("again after {free}")), "{refused}");
            house.rig.clock.advance(DAY);
            assert!(house.approve(bob, before).is_err());
            assert_eq!(house.approve(carl, before).is_ok(), touched == "bob");

            // Two administrators who have no third wait, and then go on as before.
            house.rig.clock.advance(6 * DAY + Duration::from_secs(1));
            let anew = house.request(ann, 1).unwrap();
            house.approve(bob, anew).unwrap();
            let after = house.request(ann, 2).unwrap();
            house.does(hand, |desk| desk.reset_user(&house.named(touched).to_string())).unwrap();
            assert!(house.approve(bob, after).is_err());
        }
    }
}

/// Gives an account a role.
pub(super) fn give_role(desk: Desk<'_>, account: i64, role: Role) -> Result<(), DeskError> {
    edit(desk, account, &UserEdit { role: Some(role), ..UserEdit::default() })
}

#[test]
fn whoever_demotes_the_others_makes_nobody_a_sole_administrator_at_once() {
    for hand in ["console", "root"] {
        let house = House::new(3);
        let (ann, bob, carl) = (house.named("ann"), house.named("bob"), house.named("carl"));
        let hand = if hand == "console" { COMMAND } else { house.named("root") };
        let demote =
            |who| house.does(hand, |desk| give_role(desk, who, Role::InstitutionalUser)).unwrap();
        demote(carl);
        house.rig.clock.advance(8 * DAY);
        let before = house.request(ann, 0).unwrap();
        demote(bob);
        house.rig.clock.advance(DAY);
        let after = house.request(ann, 1).unwrap();
        for request in [before, after] {
            let refused = house.approve(ann, request).unwrap_err().to_string();
            let why = "there was one within seven days before it";
            assert!(refused.contains(why) && refused.contains("nothing was changed"), "{refused}");
        }
        // After a week as the only one, Ann is.
        house.rig.clock.advance(7 * DAY);
        let alone = house.request(ann, 2).unwrap();
        house.approve(ann, alone).unwrap();
    }
}

#[test]
fn who_gives_up_the_appliance_s_administration_is_nobody_s_second_person_for_a_week() {
    let house = House::new(4);
    let (ann, root) = (house.named("ann"), house.named("root"));
    let request = house.request(ann, 0).unwrap();
    house.does(root, |desk| give_role(desk, root, Role::InstitutionalAdmin)).unwrap();
    let free = house.now().after(7 * DAY).to_minute();
    let own = house.request(root, 1).unwrap();
    for (approver, request) in [(root, request), (ann, own)] {
        let refused = house.approve(approver, request).unwrap_err().to_string();
        assert!(refused.contains("the account of root@example.edu"), "{refused}");
        assert!(refused.contains(&format!("again after {free}")), "{refused}");
    }
    house.rig.clock.advance(7 * DAY + Duration::from_secs(1));
    let anew = house.request(ann, 2).unwrap();
    house.approve(root, anew).unwrap();
    let other = house.request(root, 3).unwrap();
    house.approve(ann, other).unwrap();
}

#[test]
fn who_gives_up_the_appliance_s_administration_approves_alone_after_a_week_only() {
    let house = House::new(2);
    let root = house.named("root");
    for name in ["ann", "bob", "carl"] {
        let other = house.named(name);
        house.does(COMMAND, |desk| give_role(desk, other, Role::InstitutionalUser)).unwrap();
    }
    house.rig.clock.advance(8 * DAY);
    house.does(root, |desk| give_role(desk, root, Role::InstitutionalAdmin)).unwrap();
    let request = house.request(root, 0).unwrap();
    let refused = house.approve(root, request).unwrap_err().to_string();
    assert!(refused.contains("became the only one by an act of their own"), "{refused}");
    house.rig.clock.advance(8 * DAY);
    let request = house.request(root, 1).unwrap();
    house.approve(root, request).unwrap();
}

#[test]
fn after_a_rebuild_an_administrator_is_not_alone_while_others_wait_to_be_confirmed() {
    let house = House::new(2);
    house.app().registry.distrust_rebuilt(house.now()).unwrap();
    let [ann, bob, carl] = ["ann", "bob", "carl"].map(|name| house.named(name));
    house.does(COMMAND, |desk| give_role(desk, ann, Role::InstitutionalAdmin)).unwrap();
    house.rig.clock.advance(8 * DAY);
    let request = house.request(ann, 0).unwrap();
    let refused = house.approve(ann, request).unwrap_err().to_string();
    assert!(refused.contains("must be approved by another"), "{refused}");
    // Who was shut out for a week could not be asked.
    for other in [bob, carl] {
        house.does(COMMAND, |desk| desk.admit_user(&other.to_string(), false)).unwrap();
    }
    house.rig.clock.advance(8 * DAY);
    let alone = house.request(ann, 1).unwrap();
    house.approve(ann, alone).unwrap();
}

#[test]
fn who_took_an_administrator_s_role_never_approves_alone_however_long_the_names_are() {
    let house = House::new(1);
    let (ann, bob, carl) = (house.named("ann"), house.named("bob"), house.named("carl"));
    let role = Some(Role::InstitutionalUser);
    house.does(COMMAND, |desk| {
        edit(desk, carl, &UserEdit { role, ..UserEdit::default() }).unwrap();
    });
    // Each of these letters takes seven in a line of the log, which is cut at two thousand.
    let long = |first: &str| UserEdit {
        name: Some(format!("{first}{}", "\u{301}".repeat(99))),
        email: Some(format!("{first}{}@example.edu", "\u{301}".repeat(120))),
        ..UserEdit::default()
    };
    house.does(ann, |desk| edit(desk, bob, &long("a")).unwrap());
    house.does(ann, |desk| edit(desk, bob, &UserEdit { role, ..long("b") }).unwrap());
    house.rig.clock.advance(8 * DAY);
    let request = house.request(ann, 0).unwrap();
    let refused = house.approve(ann, request).unwrap_err().to_string();
    assert!(refused.contains("became the only one by an act of their own"), "{refused}");
}

#[test]
fn no_act_that_puts_an_account_into_another_s_hands_is_done_without_its_line_in_the_log() {
    let house = House::new(1);
    let bob = house.named("bob");
    let registry = &house.app().registry;
    registry.offer_factor(bob, &[7; 20], house.now()).unwrap();
    registry.confirm_factor((bob, 1), &[], house.now()).unwrap();
    house.does(bob, |desk| desk.ask_own_email("new@example.edu")).unwrap();
    let secret = house.mailed();
    let file = rusqlite::Connection::open(house.app().home.registry()).unwrap();
    file.execute_batch(
        "CREATE TRIGGER log_is_full BEFORE INSERT ON audit WHEN NEW.outcome = 'done'
         BEGIN SELECT RAISE(ABORT, 'there is no room'); END",
    )
    .unwrap();
    let stands = || -> Vec<String> {
        let sql = "SELECT id || name || email || role || coalesce(deactivated_at, '') FROM users
            UNION ALL SELECT 'token ' || id FROM tokens
            UNION ALL SELECT 'link ' || hex(token_sha256) FROM one_time_links
            UNION ALL SELECT 'factor ' || user_id FROM factors
            UNION ALL SELECT 'e-mail ' || email FROM email_changes";
        let mut found = file.prepare(sql).unwrap();
        let rows = found.query_map([], |row| row.get(0)).unwrap();
        rows.map(Result::unwrap).collect()
    };
    let before = stands();
    let which = bob.to_string();
    let wish = NewTokenWish { name: "x".into(), scope: TokenScope::Manage, days: 1 };
    let name = UserEdit { name: Some("Robert".into()), ..UserEdit::default() };
    let role = UserEdit { role: Some(Role::InstitutionalUser), ..UserEdit::default() };
    type Refused<'r> = &'r dyn Fn(Desk<'_>) -> bool;
    let acts: [(&str, Refused<'_>); 8] = [
        ("add", &|desk| add(desk, "puppet", Role::InstitutionalAdmin).is_err()),
        ("edit", &|desk| edit(desk, bob, &name).is_err()),
        ("demote", &|desk| edit(desk, bob, &role).is_err()),
        ("link", &|desk| desk.reset_user(&which).is_err()),
        ("token", &|desk| desk.make_token(Some(&which), &wish).is_err()),
        ("shut out", &|desk| desk.admit_user(&which, false).is_err()),
        ("let in", &|desk| desk.admit_user(&which, true).is_err()),
        ("factor", &|desk| desk.reset_factor(&which).is_err()),
    ];
    for (name, act) in acts {
        assert!(house.does(COMMAND, act), "{name} is refused");
        assert_eq!(stands(), before, "{name} changes nothing");
    }
    assert!(house.does(bob, |desk| desk.confirm_own_email(&secret)).is_err());
    assert_eq!(stands(), before, "the own e-mail stays");
    file.execute_batch("DROP TRIGGER log_is_full").unwrap();
    for (name, act) in acts {
        assert!(!house.does(COMMAND, act), "{name}");
    }
}

#[test]
fn a_user_who_changed_the_own_e_mail_is_nobody_s_second_person() {
    let house = House::new(1);
    let (ann, bob) = (house.named("ann"), house.named("bob"));
    let request = house.request(ann, 0).unwrap();
    house.does(bob, |desk| desk.ask_own_email("new@example.edu")).unwrap();
    assert_eq!(house.user(bob).email, "bob@example.edu", "it stays until it is confirmed");
    let secret = house.mailed();
    assert!(house.does(ann, |desk| desk.confirm_own_email(&secret)).is_err(), "it is Bob's link");
    house.does(bob, |desk| desk.confirm_own_email(&secret)).unwrap();
    assert_eq!(house.user(bob).email, "new@example.edu");
    assert!(house.does(bob, |desk| desk.confirm_own_email(&secret)).is_err(), "it works once");
    let refused = house.approve(bob, request).unwrap_err().to_string();
    assert!(refused.contains("changed the e-mail"), "{refused}");
}

#[test]
fn the_appliance_s_administrator_does_not_delete_in_others_names() {
    let house = House::new(1);
    let (ann, bob, root) = (house.named("ann"), house.named("bob"), house.named("root"));
    let request = house.enter(root, ann, 0).unwrap();
    house.does(root, |desk| desk.reset_user(&bob.to_string())).unwrap();
    let refused = house.approve(bob, request).unwrap_err().to_string();
    assert!(refused.contains("the same person"), "{refused}");
}

#[test]
fn a_request_that_was_entered_in_another_s_name_waits_until_that_person_confirms_it() {
    let house = House::new(3);
    let [ann, bob, root] = ["ann", "bob", "root"].map(|name| house.named(name));
    let request = house.enter(root, ann, 0).unwrap();
    // Who looks after the appliance may have Bob's account besides.
    let refused = house.approve(bob, request).unwrap_err().to_string();
    let why = "in the name of ann@example.edu, who has to confirm it";
    assert!(refused.contains(why) && refused.contains("nothing was changed"), "{refused}");
    let confirms = |who: i64, request: i64| house.confirm(who, request).unwrap_err().to_string();
    assert!(confirms(bob, request).contains("ann@example.edu, who alone can confirm it"));
    assert!(confirms(root, request).contains("is no administrator of archive.local"));
    assert!(house.approve(bob, request).is_err());
    house.confirm(ann, request).unwrap();
    assert!(confirms(ann, request).contains("was confirmed already"));
    house.approve(bob, request).unwrap();

    let own = house.request(ann, 1).unwrap();
    assert!(confirms(ann, own).contains("needs no confirmation"));
    // A confirmation by an account that whoever entered the request has acted on counts for nothing.
    let other = house.enter(root, ann, 2).unwrap();
    house.does(root, |desk| desk.reset_user(&ann.to_string())).unwrap();
    house.confirm(ann, other).unwrap();
    let refused = house.approve(bob, other).unwrap_err().to_string();
    assert!(refused.contains("the account of ann@example.edu"), "{refused}");
    house.does(bob, |desk| desk.cancel_deletion(other, bob)).unwrap();
    assert!(confirms(ann, other).contains("was cancelled"));
}

#[test]
fn a_confirmation_whose_line_cannot_be_written_to_the_log_is_none() {
    let house = House::new(1);
    let [ann, bob, root] = ["ann", "bob", "root"].map(|name| house.named(name));
    let request = house.enter(root, ann, 0).unwrap();
    let file = rusqlite::Connection::open(house.app().home.registry()).unwrap();
    let full = "CREATE TRIGGER log_is_full BEFORE INSERT ON audit
        WHEN NEW.deed = 'confirm-deletion' BEGIN SELECT RAISE(ABORT, 'there is no room'); END";
    file.execute_batch(full).unwrap();
    assert!(house.confirm(ann, request).is_err());
    assert!(house.app().desk().deletion(request).unwrap().needs_confirmation);
    assert!(house.approve(bob, request).is_err());
    file.execute_batch("DROP TRIGGER log_is_full").unwrap();
    house.confirm(ann, request).unwrap();
    assert!(!house.app().desk().deletion(request).unwrap().needs_confirmation);
    house.approve(bob, request).unwrap();
}

#[test]
fn a_sole_administrator_approves_what_was_entered_in_their_name() {
    let house = House::new(1);
    let [ann, root] = ["ann", "root"].map(|name| house.named(name));
    for name in ["bob", "carl"] {
        let other = house.named(name);
        house.does(root, |desk| give_role(desk, other, Role::InstitutionalUser)).unwrap();
    }
    house.rig.clock.advance(8 * DAY);
    let request = house.enter(root, ann, 0).unwrap();
    house.approve(ann, request).unwrap();
}
