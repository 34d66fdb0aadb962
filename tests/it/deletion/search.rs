//! A seeded search over sequences of acts on accounts, against a plain model that knows persons.
//!
//! A person has an account of their own, and maybe the command line or accounts of the appliance's
//! administrators besides, also such as gave that role up less than a week before. Whatever account one of these acts on, the person can act as it from then on. The
//! model knows nothing of the log that the program keeps, nor of its rule: it says only that nobody may
//! ask and approve. `STRONGROOM_SEED=7` replays one search.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use storage::clock::Timestamp;
use storage::registry::{DeletionId, Role, User};
use strongroom::accounts::redeem_link;
use strongroom::desk::{NewTokenWish, UserEdit};
use strongroom::rights::{Proof, TokenScope};

use super::hands::{COMMAND, DAY, House, add, edit, give_role};
use super::{COOLING, sweep};
use crate::house::PASSWORD;

/// Files that can be asked for.
const FILES: usize = 40;
const WEEK: Duration = Duration::from_secs(7 * 86_400);

/// What the model knows.
#[derive(Default)]
struct Model {
    /// Who did something to whose account, and when.
    touched: Vec<(Timestamp, i64, i64)>,
    /// Who changed their own e-mail, and when.
    own_emails: Vec<(Timestamp, i64)>,
    /// Who shut out whom.
    shut_out: Vec<(i64, i64)>,
    /// Who took which administrator's role from whom, and when.
    demoted: Vec<(Timestamp, i64, i64, Role)>,
    requests: BTreeMap<i64, Asked>,
}

struct Asked {
    by: i64,
    at: Timestamp,
    /// Whether somebody else entered it and the requester has not confirmed it.
    needs_confirmation: bool,
    approved_at: Option<Timestamp>,
    is_cancelled: bool,
}

impl Asked {
    fn is_waiting(&self, now: Timestamp) -> bool {
        self.approved_at.is_none() && !self.is_cancelled && now < self.at.after(30 * DAY)
    }

    fn is_cooling_off(&self, now: Timestamp) -> bool {
        !self.is_cancelled && self.approved_at.is_some_and(|at| now < at.after(COOLING))
    }

    fn is_erased(&self, now: Timestamp) -> bool {
        !self.is_cancelled && self.approved_at.is_some_and(|at| at.after(COOLING) <= now)
    }
}

/// What the model says of an approval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Says {
    Yes,
    No,
    /// Nobody could have done both, and some act on accounts may make the program careful.
    Maybe,
}

impl Model {
    /// Whether this approval is that of a second person.
    fn judges(&self, house: &House, request: i64, approver: i64) -> Says {
        let asked = &self.requests[&request];
        let (now, user) = (house.now(), house.user(approver));
        let since = asked.at.before(WEEK);
        let is_admin = user.role == Role::InstitutionalAdmin && user.deactivated_at.is_none();
        if !asked.is_waiting(now) || !is_admin {
            return Says::No;
        }
        let other_now =
            |account: i64| self.own_emails.iter().any(|(at, who)| *who == account && *at >= since);
        if other_now(asked.by) || other_now(approver) {
            return Says::No;
        }
        let recent = || self.touched.iter().filter(|(at, ..)| *at >= since);
        if asked.by != approver {
            let both = [asked.by, approver];
            let has_both =
                |person: &BTreeSet<i64>| both.iter().all(|account| person.contains(account));
            if asked.needs_confirmation || self.persons(house, since).iter().any(has_both) {
                return Says::No;
            }
            let is_touched =
                recent().any(|(_, who, account)| both.contains(who) || both.contains(account));
            return if is_touched { Says::Maybe } else { Says::Yes };
        }
        let alone = self.is_alone(house, approver, since);
        let touched_others =
            recent().any(|(_, who, account)| *who == approver && *account != approver);
        let was_touched =
            recent().any(|(_, who, account)| *account == approver && *who != approver);
        let is_admin = |account: i64| house.user(account).role == Role::InstitutionalAdmin;
        let made_alone =
            self.shut_out.iter().any(|(who, whom)| *who == approver && is_admin(*whom))
                || self
                    .demotions(Role::InstitutionalAdmin, Timestamp(0))
                    .any(|(who, whom)| who == approver && whom != approver);
        let was_staff = self.demotions(Role::Admin, since).any(|(_, whom)| whom == approver);
        let may = alone && !touched_others && !was_touched && !made_alone && !was_staff;
        if may { Says::Yes } else { Says::No }
    }

    /// Who took this role from whom, since a moment.
    fn demotions(&self, role: Role, since: Timestamp) -> impl Iterator<Item = (i64, i64)> {
        let taken = self.demoted.iter().filter(move |(at, .., was)| *at >= since && *was == role);
        taken.map(|(_, who, whom, _)| (*who, *whom))
    }

    /// Everybody there could be, as the accounts that they can act as by what was done since a moment.
    fn persons(&self, house: &House, since: Timestamp) -> Vec<BTreeSet<i64>> {
        let everybody = accounts(house);
        let staff = everybody.iter().filter(|it| it.role == Role::Admin).map(|it| it.id);
        let was_staff = self.demotions(Role::Admin, since).map(|(_, whom)| whom);
        let staff: BTreeSet<i64> = staff.chain(was_staff).collect();
        let mut persons = Vec::new();
        for own in &everybody {
            let mut sets = vec![BTreeSet::from([own.id])];
            for besides in staff.iter().chain([&COMMAND]) {
                let with = sets.iter().map(|set| set | &BTreeSet::from([*besides]));
                sets.extend(with.collect::<Vec<_>>());
            }
            for mut person in sets {
                // Acts are in the order of time: what is gained is used from then on.
                for (_, hand, account) in self.touched.iter().filter(|(at, ..)| *at >= since) {
                    if person.contains(hand) {
                        person.insert(*account);
                    }
                }
                persons.push(person);
            }
        }
        persons
    }

    fn is_alone(&self, house: &House, admin: i64, since: Timestamp) -> bool {
        accounts(house).into_iter().all(|user| {
            let is_other = user.id != admin && user.role == Role::InstitutionalAdmin;
            !is_other || user.deactivated_at.is_some_and(|at| at < since)
        }) && self.demotions(Role::InstitutionalAdmin, since).all(|(_, whom)| whom == admin)
    }

    /// Notes what became of an account whose role was changed.
    fn changed_role(&mut self, now: Timestamp, hand: i64, (before, after): (&User, Role)) {
        self.touch(now, hand, before.id);
        let is_staff = matches!(before.role, Role::InstitutionalAdmin | Role::Admin);
        if is_staff && after != before.role {
            self.demoted.push((now, hand, before.id, before.role));
        }
    }

    fn touch(&mut self, now: Timestamp, hand: i64, account: i64) {
        if hand != account {
            self.touched.push((now, hand, account));
        }
    }
}

fn accounts(house: &House) -> Vec<User> {
    (1..).map_while(|id| house.app().registry.user(id).unwrap()).collect()
}

/// One sequence of acts: what the program lets happen is what the model says.
#[expect(
    clippy::too_many_lines,
    clippy::collapsible_match,
    reason = "one arm for each act, each of the same shape"
)]
fn search(seed: u64, steps: usize) {
    let mut dice = fastrand::Rng::with_seed(seed);
    let (house, mut model) = (House::new(FILES + 1), Model::default());
    let two = [house.named("ann"), house.named("bob")];
    let mut files = 0;
    for step in 0..steps {
        let everybody = accounts(&house);
        let active: Vec<&User> =
            everybody.iter().filter(|it| it.deactivated_at.is_none()).collect();
        let any = |dice: &mut fastrand::Rng| everybody[dice.usize(..everybody.len())].id;
        let hand = match dice.u8(..6) {
            0 => COMMAND,
            _ => active[dice.usize(..active.len())].id,
        };
        let (account, now) = (any(&mut dice), house.now());
        let which = account.to_string();
        let told = format!("seed {seed}, step {step}: {hand} to {account}");
        match dice.u8(..20) {
            0 => {
                let role = [Role::InstitutionalAdmin, Role::InstitutionalUser][dice.usize(..2)];
                let made = house.does(hand, |desk| add(desk, &format!("new-{step}"), role));
                if let Ok(made) = made {
                    model.touch(now, hand, made);
                }
            }
            1 => {
                let name = Some(format!("Name {step}"));
                let change = UserEdit { name, ..UserEdit::default() };
                if house.does(hand, |desk| edit(desk, account, &change)).is_ok() {
                    model.touch(now, hand, account);
                }
            }
            2 => {
                let email = Some(format!("mail-{step}@example.edu"));
                let change = UserEdit { email, ..UserEdit::default() };
                if house.does(hand, |desk| edit(desk, account, &change)).is_ok() {
                    model.touch(now, hand, account);
                }
            }
            3 if hand != COMMAND => {
                let email = format!("own-{step}@example.edu");
                house.does(hand, |desk| desk.ask_own_email(&email)).unwrap();
                assert_ne!(house.user(hand).email, email, "{told}");
                if dice.bool() {
                    let secret = house.mailed();
                    house.does(hand, |desk| desk.confirm_own_email(&secret)).unwrap();
                    model.own_emails.push((now, hand));
                }
            }
            4 | 5 => {
                let role = [Role::InstitutionalAdmin, Role::InstitutionalUser][dice.usize(..2)];
                let before = house.user(account);
                if house.does(hand, |desk| give_role(desk, account, role)).is_ok() {
                    model.changed_role(now, hand, (&before, role));
                }
            }
            6 => {
                if let Ok(made) = house.does(hand, |desk| desk.reset_user(&which)) {
                    model.touch(now, hand, account);
                    // Who printed the link may set the password, and sign in with it.
                    if let Some(path) = made.path.filter(|_| dice.bool()) {
                        let secret = path.split_once("token=").unwrap().1;
                        let given = (secret, PASSWORD);
                        redeem_link(&house.app().registry, given, "", now).unwrap();
                    }
                }
            }
            7 => {
                let wish = NewTokenWish { name: "x".into(), scope: TokenScope::Manage, days: 1 };
                let own = hand != COMMAND;
                let of = (!own).then_some(which.as_str());
                if house.does(hand, |desk| desk.make_token(of, &wish)).is_ok() && !own {
                    model.touch(now, hand, account);
                }
            }
            8 => {
                if house.does(hand, |desk| desk.admit_user(&which, false)).is_ok() {
                    model.touch(now, hand, account);
                    model.shut_out.extend((hand != account).then_some((hand, account)));
                }
            }
            9 => {
                if house.does(hand, |desk| desk.admit_user(&which, true)).is_ok() {
                    model.touch(now, hand, account);
                }
            }
            10 => house.rig.clock.advance(DAY * dice.u32(1..5)),
            11 if hand != COMMAND && files < FILES => {
                let by = if house.user(hand).role == Role::Admin { account } else { hand };
                if let Ok(id) = house.enter(hand, by, files) {
                    let asked = Asked {
                        by,
                        at: now,
                        needs_confirmation: by != hand,
                        approved_at: None,
                        is_cancelled: false,
                    };
                    model.requests.insert(id, asked);
                    files += 1;
                }
            }
            12..=14 if hand != COMMAND && !model.requests.is_empty() => {
                let request = dice.choice(model.requests.keys().copied()).unwrap();
                if house.app().registry.active_user(hand).unwrap().is_none() {
                    continue;
                }
                let by_token = Proof::Token(1, TokenScope::Manage);
                let proof = if dice.bool() { by_token } else { Proof::Session };
                let done = house.approve_by(hand, proof, request);
                let said = model.judges(&house, request, hand);
                let agrees = said == Says::Maybe || (said == Says::Yes) == done.is_ok();
                assert!(agrees, "{told}, request {request}: {said:?}, and {done:?}");
                if done.is_ok() {
                    model.requests.get_mut(&request).unwrap().approved_at = Some(house.now());
                }
            }
            16 if hand != COMMAND => {
                let kept = house.app().registry.factor(hand).unwrap();
                if kept.is_none() {
                    house.enrol(hand);
                }
            }
            17 => {
                if house.does(hand, |desk| desk.reset_factor(&which)).is_ok() {
                    house.lost_device(account);
                    model.touch(now, hand, account);
                }
            }
            19 if !model.requests.is_empty() => {
                let request = dice.choice(model.requests.keys().copied()).unwrap();
                let asked = model.requests.get_mut(&request).unwrap();
                let user = house.user(asked.by);
                let expected = asked.needs_confirmation
                    && asked.is_waiting(now)
                    && user.role == Role::InstitutionalAdmin
                    && user.deactivated_at.is_none();
                if house.app().registry.active_user(user.id).unwrap().is_some() {
                    let done = house.confirm(user.id, request);
                    assert_eq!(done.is_ok(), expected, "{told}, request {request}: {done:?}");
                    asked.needs_confirmation &= !expected;
                }
            }
            // One administrator is left.
            18 => {
                let role = Role::InstitutionalUser;
                for other in everybody.iter().filter(|it| it.role == Role::InstitutionalAdmin) {
                    let is_done = other.id != account
                        && house.does(hand, |desk| give_role(desk, other.id, role)).is_ok();
                    if is_done {
                        model.changed_role(now, hand, (other, role));
                    }
                }
            }
            15 if hand != COMMAND && !model.requests.is_empty() => {
                let request = dice.choice(model.requests.keys().copied()).unwrap();
                let role = house.user(hand).role;
                let asked = model.requests.get_mut(&request).unwrap();
                let expected = matches!(role, Role::InstitutionalAdmin | Role::Admin)
                    && (asked.is_waiting(now) || asked.is_cooling_off(now));
                let done = house.does(hand, |desk| desk.cancel_deletion(request, hand));
                assert_eq!(done.is_ok(), expected, "{told}, request {request}: {done:?}");
                asked.is_cancelled |= expected;
            }
            _ => {}
        }
        if step % 10 == 9 {
            erased(&house, &model, &told);
        }
    }
    house.rig.clock.advance(30 * DAY);
    erased(&house, &model, &format!("seed {seed}, at the end"));
    two_people_delete(&house, two, FILES);
}

/// Whatever was done to their accounts: after a quiet week two administrators delete.
fn two_people_delete(house: &House, [ann, bob]: [i64; 2], file: usize) {
    for account in [ann, bob] {
        // It may be active already.
        drop(house.does(COMMAND, |desk| desk.admit_user(&account.to_string(), true)));
        house.does(COMMAND, |desk| give_role(desk, account, Role::InstitutionalAdmin)).unwrap();
    }
    house.rig.clock.advance(8 * DAY);
    let request = house.request(ann, file).unwrap();
    house.approve(bob, request).unwrap();
}

/// Lets everything run that is due: erased is what two people agreed on, in time, and nothing else.
fn erased(house: &House, model: &Model, told: &str) {
    sweep(&house.rig);
    house.rig.drain();
    for (id, asked) in &model.requests {
        let row = house.app().registry.deletion(DeletionId(*id), house.now()).unwrap().unwrap();
        let expected = asked.is_erased(house.now());
        assert_eq!(row.completed_at.is_some(), expected, "{told}, request {id}: {row:?}");
    }
}

#[test]
fn no_sequence_of_account_acts_lets_one_person_delete() {
    let number = |name: &str| std::env::var(name).ok().and_then(|it| it.parse::<u64>().ok());
    let first = number("STRONGROOM_SEED").unwrap_or(0x5eed);
    let rounds = number("STRONGROOM_SOAK_ROUNDS").unwrap_or(2);
    for seed in first..first + rounds {
        println!("STRONGROOM_SEED={seed} replays this");
        search(seed, 150);
    }
}
