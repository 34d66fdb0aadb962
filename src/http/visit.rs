//! One request of one caller: what its handler works with.
//!
//! A handler takes a [`Visit`] and nothing else leads it to the desk, so that whatever it reads or
//! changes is read and changed for whoever asks.

use std::ops::Deref;
use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::StatusCode;
use axum::http::request::Parts;
use byteio::cancel::Cancel;
use storage::registry::{Access, Origin, User};
use tokio::sync::Semaphore;

use super::Site;
use super::origin::origin;
use super::refusal::Refusal;
use crate::app::App;
use crate::desk::Desk;
use crate::rights::{Caller, Person, Right};

/// One request: the site, and who asks.
#[derive(Clone)]
pub(super) struct Visit {
    /// The site.
    pub(super) site: Site,
    /// Who asks; the door has let them in.
    pub(super) caller: Arc<Caller>,
    /// Where they come from.
    pub(super) origin: Arc<Origin>,
}

impl Visit {
    /// The desk, for this caller.
    pub(super) fn desk(&self) -> Desk<'_> {
        self.site.app.desk_for(&self.caller)
    }

    /// The person who asks, if it is one.
    pub(super) fn user(&self) -> Option<&User> {
        self.caller.user()
    }

    /// The person who asks; a key is none.
    pub(super) fn person(&self) -> Result<&User, Refusal> {
        self.user().ok_or_else(no_person)
    }

    /// The same, with how we know.
    pub(super) fn known_person(&self) -> Result<&Person, Refusal> {
        match &*self.caller {
            Caller::Person(person) => Ok(person),
            Caller::House | Caller::Stranger => Err(no_person()),
        }
    }

    /// Whether the caller may do it to what is theirs: pages offer nothing else.
    pub(super) fn may(&self, right: Right) -> bool {
        self.caller.may(right)
    }

    /// Whether the caller may do it to something of this owner and access.
    pub(super) fn keeps(&self, right: Right, owner: i64, access: Access) -> bool {
        self.may(right) && self.caller.sight().sees(owner, access.name())
    }

    /// Runs what waits for disks on a thread that may, and turns a panic there into a refusal.
    pub(super) async fn aside<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Visit) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        let visit = self.clone();
        super::on_thread(move || work(&visit)).await
    }

    /// The same for work that may take long. It waits for one of a few turns, so that threads are
    /// left for pages; it is told when its request has ended, and is not begun when it ended before.
    pub(super) async fn aside_while_wanted<T: Send + 'static>(
        &self,
        turns: &Arc<Semaphore>,
        work: impl FnOnce(&Visit, &Cancel) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        let turn = Arc::clone(turns).acquire_owned().await.map_err(|_| Refusal::mistake())?;
        let cancel = Cancel::default();
        let _ended = cancel.on_drop();
        let given = cancel.clone();
        self.aside(move |visit| {
            // The turn ends with the work, whether somebody waits for it or not.
            let _turn = turn;
            match given.is_cancelled() {
                false => work(visit, &given),
                true => Err(Refusal::mistake()),
            }
        })
        .await
    }
}

fn no_person() -> Refusal {
    Refusal::new(StatusCode::UNAUTHORIZED, "not-signed-in", "This takes a person.")
        .next("Sign in; a program sends a token of a person.")
}

/// The application's parts besides the desk: clock, configuration, health.
impl Deref for Visit {
    type Target = App;

    fn deref(&self) -> &App {
        &self.site.app
    }
}

impl FromRequestParts<Site> for Visit {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, site: &Site) -> Result<Visit, Refusal> {
        // The entrance leaves the caller here. A way around it would be a mistake of ours: nobody.
        let caller = parts.extensions.get::<Arc<Caller>>().cloned();
        let caller = caller.unwrap_or_else(|| Arc::new(Caller::Stranger));
        let origin = Arc::new(origin(&parts.extensions, &parts.headers));
        Ok(Visit { site: site.clone(), caller, origin })
    }
}
