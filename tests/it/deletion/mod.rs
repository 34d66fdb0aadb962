//! Deletions from the request to the certificate, with real vaults, registry and work state.

mod cooling;
mod done;
mod hands;
pub(crate) mod kill;
mod refused;
mod search;
mod stages;
mod waiting;

use std::path::{Path, PathBuf};
use std::time::Duration;

use storage::registry::{DeletionId, NewUser, Role};
use storage::work::item::ItemId;
use strongroom::accounts::{
    ConfirmedUser, IdentityProof, confirm_identity, make_link, redeem_link,
};
use strongroom::app::App;
use strongroom::deletion::DeletionsDue;
use strongroom::desk::{DeletionDetail, DeletionWish, DeskError};
use strongroom::rights::Caller;
use strongroom::work::Sweep;

use crate::harness::Rig;
use crate::house::PASSWORD;
use crate::ingest::{INSTITUTION, deposit_letters};

/// The object that most tests delete.
const LETTERS: &str = "archive.local/letters";

/// An appliance's two administrators, made when asked for first.
struct People {
    ann: i64,
    bob: i64,
}

impl People {
    fn of(app: &App) -> People {
        let owner = app.registry.institution_by_identifier(INSTITUTION).unwrap().unwrap().id;
        let [ann, bob] =
            ["ann", "bob"].map(|name| user(app, name, Role::InstitutionalAdmin, owner));
        People { ann, bob }
    }
}

fn user(app: &App, name: &str, role: Role, institution_id: i64) -> i64 {
    let email = format!("{name}@example.edu");
    if let Some(user) = app.registry.user_by_email(&email).unwrap() {
        return user.id;
    }
    let new = NewUser { name: name.to_owned(), email, phone_number: None, institution_id, role };
    app.registry
        .create_user(&new, storage::registry::without_note, app.shop.clock.now())
        .unwrap()
        .id
}

fn wish(objects: &[&str], files: &[&str]) -> DeletionWish {
    let own = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    DeletionWish { reason: "no longer ours".into(), objects: own(objects), files: own(files) }
}

/// Ann asks.
fn ask(app: &App, objects: &[&str], files: &[&str]) -> Result<DeletionDetail, DeskError> {
    app.desk().request_deletion(People::of(app).ann, &wish(objects, files))
}

/// Somebody who has just given their password, which is set when asked for first.
pub(crate) fn confirmed(app: &App, user: i64) -> ConfirmedUser {
    give_password(app, user);
    proved(app, user, None)
}

/// Sets somebody's password, unless they have one.
fn give_password(app: &App, user: i64) {
    let (registry, now) = (&app.registry, app.shop.clock.now());
    let user = registry.user(user).unwrap().unwrap();
    if registry.credential(user.id).unwrap().is_none() {
        let (link, _) = make_link(registry, &Caller::Stranger, &user, now).unwrap();
        redeem_link(registry, (&link.text(), PASSWORD), "", now).unwrap();
    }
}

/// Somebody who gives their password, and a code where there is one.
fn proved(app: &App, user: i64, code: Option<String>) -> ConfirmedUser {
    let (registry, now) = (&app.registry, app.shop.clock.now());
    let user = registry.user(user).unwrap().unwrap();
    let given = IdentityProof { password: Some(PASSWORD.into()), code };
    confirm_identity(registry, &user, (&given, ""), (now, now)).unwrap()
}

/// Somebody approves.
fn approve(app: &App, request: i64, user: i64) -> Result<DeletionDetail, DeskError> {
    app.desk().approve_deletion(request, confirmed(app, user))
}

/// The time that an approved deletion waits, unless configured.
const COOLING: Duration = Duration::from_secs(72 * 3600);

/// Ann asks, Bob approves, and the cooling-off period goes by; the items that follow from it.
pub(crate) fn agree(rig: &Rig<App>, objects: &[&str], files: &[&str]) -> (i64, Vec<ItemId>) {
    let app = rig.app();
    let id = ask(app, objects, files).unwrap().deletion.id.0;
    approve(app, id, People::of(app).bob).unwrap();
    rig.clock.advance(COOLING);
    sweep(rig);
    let detail = app.desk().deletion(id).unwrap();
    let items = detail.parts.iter().map(|part| {
        let item = part.item_id.expect("every part has its item");
        ItemId(u64::try_from(item).unwrap())
    });
    (id, items.collect())
}

/// An appliance that holds the letters, and nothing is under way.
fn with_letters(rig: &Rig<App>) {
    let id = deposit_letters(rig);
    rig.drain_all();
    assert_eq!(rig.word(id), "finished", "{:#?}", rig.history(id));
}

fn declined<T: std::fmt::Debug>(answer: Result<T, DeskError>, words: &str) {
    match answer {
        Err(DeskError::Declined(why)) => assert!(why.contains(words), "{words}: {why}"),
        other => panic!("{words}: {other:?}"),
    }
}

/// Lets the sweep look for approved parts without an item.
fn sweep(rig: &Rig<App>) -> usize {
    DeletionsDue.sweep(rig.app(), 1000).unwrap().made
}

fn state_of(rig: &Rig<App>, id: i64) -> String {
    let now = rig.app().shop.clock.now();
    let row = rig.app().registry.deletion(DeletionId(id), now).unwrap().unwrap();
    row.state.name().to_owned()
}

fn vaults(rig: &Rig<App>) -> [PathBuf; 2] {
    let vault = rig.app().config.data.join("vault");
    [vault.join("a"), vault.join("b")]
}

/// Where an item is, also when it has ended and left the work state.
fn word(rig: &Rig<App>, id: ItemId) -> String {
    rig.app().copy().unwrap();
    rig.app().registry.item(i64::try_from(id.0).unwrap()).unwrap().unwrap().state
}

/// Whether a file below a folder holds these bytes and nothing else.
fn is_somewhere(folder: &Path, bytes: &[u8]) -> bool {
    std::fs::read_dir(folder).unwrap().any(|entry| {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => is_somewhere(&path, bytes),
            false => std::fs::read(&path).unwrap() == bytes,
        }
    })
}
