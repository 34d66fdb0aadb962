//! One person does not delete, whatever they do to accounts: each act by itself.

use std::time::Duration;

use storage::clock::{Clock, Timestamp};
use storage::registry::{Role, User};
use strongroom::app::App;
use strongroom::desk::{Desk, DeskError, NewTokenWish, UserEdit, UserWish};
use strongroom::flows::FLOWS;
use strongroom::rights::{Caller, Person, Proof, TokenScope};

use super::{COOLING, LETTERS, confirmed, sweep, user};
use crate::harness::Rig;
use crate::ingest::{INSTITUTION, bag, deposit, rig_configured, write_tar};

const TOML: &str = "[http]\npublic_url = \"https://archive.example\"\n[mail]\nspool = \"mail\"\n";
pub(super) const DAY: Duration = Duration::from_secs(86_400);

/// The command line, among the numbers of users.
pub(super) const COMMAND: i64 = 0;

/// An appliance that holds files enough for a search, and its people.
pub(super) struct House {
    pub(super) rig: Rig<App>,
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
        ] {
            let made = user(rig.app(), name, role, owner);
            confirmed(rig.app(), made);
        }
        rig.clock.advance(30 * DAY);
        House { rig }
    }

    pub(super) fn app(&self) -> &App {
        self.rig.app()
    }

    pub(super) fn now(&self) -> Timestamp {
        self.rig.clock.now()
    }

    fn named(&self, name: &str) -> i64 {
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
        let (user, address) = (self.user(hand), String::new());
        let caller = Caller::Person(Box::new(Person { user, proof: Proof::Session, address }));
        act(self.app().desk_for(&caller))
    }

    pub(super) fn request(&self, hand: i64, file: usize) -> Result<i64, DeskError> {
        let wish = super::wish(&[], &[&format!("{LETTERS}/data/{file}.txt")]);
        Ok(self.does(hand, |desk| desk.request_deletion(hand, &wish))?.deletion.id.0)
    }

    pub(super) fn approve(&self, hand: i64, request: i64) -> Result<(), DeskError> {
        let confirmed = confirmed(self.app(), hand);
        self.does(hand, |desk| desk.approve_deletion(request, confirmed)).map(drop)
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
        // Whom nobody touched can approve it.
        house.approve(carl, request).unwrap();
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
    // As the batch deletion of the described API does.
    let wish = super::wish(&[], &[&format!("{LETTERS}/data/0.txt")]);
    let request = house.does(root, |desk| desk.request_deletion(ann, &wish)).unwrap();
    house.does(root, |desk| desk.reset_user(&bob.to_string())).unwrap();
    let refused = house.approve(bob, request.deletion.id.0).unwrap_err().to_string();
    assert!(refused.contains("the same person"), "{refused}");
}
