//! Pages and API. The whole table of routes on one screen.
//!
//! A handler reads, builds a value and renders it; what it changes, it asks the desk for, exactly
//! as the command line does.

mod accounts;
mod alerts;
mod api;
mod asked;
mod assessments;
mod assets;
mod bodies;
mod contract;
mod csrf;
mod deletions;
mod deposits;
mod doors;
mod entrance;
mod etag;
mod filters;
mod fixity;
mod flash;
mod framed;
mod gate;
mod health;
mod held;
mod help;
mod holdings;
mod item_steps;
mod item_value;
mod items;
mod items_value;
mod keeping;
mod listed;
mod live;
mod metrics;
mod origin;
mod overview;
mod own;
mod people;
mod proxy;
mod queues;
mod rate;
mod refusal;
mod refused;
mod replicas;
mod reports;
mod research;
mod restorations;
mod search;
mod server;
mod shell;
mod stream;
mod v3;
mod visit;

use std::sync::Arc;

use axum::http::Uri;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::{get, post};
use tokio::sync::Semaphore;

pub use axum::Router;
pub use doors::{DOORS, Door};
pub use gate::Gate;
pub use refusal::Refusal;
pub use server::{Limits, Listening, Tls, serve};

use self::proxy::Proxies;
use self::rate::Rates;
use self::stream::{Places, Spools};
use self::visit::Visit;
use crate::app::App;

/// What every handler can reach.
#[derive(Clone)]
pub struct Site {
    /// The application.
    pub app: Arc<App>,
    /// Who may come in.
    pub gate: Arc<Gate>,
    /// Places for live connections.
    live: Arc<Semaphore>,
    /// Turns for those who sign in.
    sign_ins: Arc<Semaphore>,
    /// Turns for those of them who come from where they have signed in before.
    known_sign_ins: Arc<Semaphore>,
    /// How much each client may ask for.
    rates: Arc<Rates>,
    /// Answers that are sent piece by piece.
    places: Arc<Places>,
    /// The files of exports that are being read.
    spools: Arc<Spools>,
    /// Turns to open a recording.
    recordings: Arc<Semaphore>,
    /// Turns to read and judge the boundary of a site.
    boundaries: Arc<Semaphore>,
    /// Turns to read a file of episodes or clips.
    imports: Arc<Semaphore>,
    /// Whether pages get a thread and a connection to the registry.
    probe: Arc<health::Probe>,
}

impl Site {
    /// A site over an application.
    pub fn new(app: Arc<App>, gate: Gate) -> Site {
        let live = Arc::new(Semaphore::new(live::PLACES));
        let sign_ins = Arc::new(Semaphore::new(accounts::AT_ONCE));
        let known_sign_ins = Arc::new(Semaphore::new(accounts::KNOWN_AT_ONCE));
        let rates = Rates::new(app.config.http.rates, Arc::clone(&app.shop.clock));
        let (places, spools) = (
            Places::new(app.config.http.streams),
            Spools::new(app.config.http.streams.spool_bytes),
        );
        let (gate, rates, spools) = (Arc::new(gate), Arc::new(rates), Arc::new(spools));
        let recordings = Arc::new(Semaphore::new(research::OPENED_AT_ONCE));
        let boundaries = Arc::new(Semaphore::new(assessments::JUDGED_AT_ONCE));
        let imports = Arc::new(Semaphore::new(research::IMPORTED_AT_ONCE));
        let probe = Arc::default();
        Site {
            app,
            gate,
            live,
            sign_ins,
            known_sign_ins,
            rates,
            places,
            spools,
            recordings,
            boundaries,
            imports,
            probe,
        }
    }
}

/// Every route.
pub fn routes(site: Site) -> Router {
    let http = &site.app.config.http;
    let proxies = Proxies { trusted: http.trusted_proxies.clone(), forwarding: http.forwarding };
    let most = http.body_limit_bytes;
    Router::new()
        .route("/", get(overview::page))
        .route("/queues", get(queues::page))
        .route("/queues/pause", post(queues::pause_all))
        .route("/queues/resume", post(queues::resume_all))
        .route("/queues/{topic}/pause", post(queues::pause))
        .route("/queues/{topic}/resume", post(queues::resume))
        .route("/queues/{topic}/empty", get(queues::ask_empty).post(queues::empty))
        .route("/items", get(items::page))
        .route("/items/requeue", post(items::requeue_all))
        .route("/items/{id}", get(items::one))
        .route("/items/{id}/report.txt", get(items::report))
        .route("/items/{id}/requeue", post(items::requeue))
        .route("/items/{id}/cancel", get(items::ask_cancel).post(items::cancel))
        .route("/items/{id}/remove-deposit", post(items::remove_deposit))
        .route("/items/{id}/take-again", post(items::take_again))
        .merge(holdings::routes())
        .merge(alerts::pages())
        .route("/fragments/overview", get(overview::fragment))
        .route("/fragments/queues", get(queues::fragment))
        .route("/fragments/items", get(items::fragment))
        .route("/fragments/items/{id}", get(items::one_fragment))
        .merge(deposits::pages())
        .merge(fixity::pages())
        .merge(accounts::pages())
        .merge(people::pages())
        .merge(deletions::pages())
        .merge(restorations::pages())
        .merge(reports::pages())
        .merge(research::pages())
        .merge(assessments::pages())
        .merge(search::pages())
        .merge(keeping::pages())
        .merge(filters::pages())
        .merge(help::pages())
        .route("/live", get(live::stream))
        .route("/assets/{name}", get(assets::asset))
        .merge(health_routes())
        .route("/metrics", get(metrics::text))
        .nest("/api/v1", api::routes())
        .nest("/member-api/v3", v3::member())
        .nest("/admin-api/v3", v3::admin())
        .fallback(|uri: Uri| async move { Refusal::no_such_page(&uri) })
        .method_not_allowed_fallback(|uri: Uri| async move { Refusal::wrong_method(&uri) })
        .layer(from_fn(refusal::reword))
        .layer(from_fn(csrf::check))
        .layer(from_fn_with_state(site.clone(), entrance::check))
        .layer(from_fn_with_state(Arc::clone(&site.gate), gate::guard))
        .layer(from_fn_with_state(most, bodies::bound))
        .layer(from_fn_with_state(Arc::clone(&site.rates), rate::limit))
        .layer(from_fn(gate::harden))
        .layer(from_fn_with_state(Arc::new(proxies), proxy::know))
        .with_state(site)
}

/// What the extra health port serves: health, and nothing else.
pub fn health_only(site: Site) -> Router {
    health_routes()
        .fallback(|uri: Uri| async move { Refusal::no_such_page(&uri).as_json() })
        .method_not_allowed_fallback(
            |uri: Uri| async move { Refusal::wrong_method(&uri).as_json() },
        )
        .layer(from_fn(gate::harden))
        .with_state(site)
}

fn health_routes() -> Router<Site> {
    Router::new()
        .route("/health", get(health::health))
        .route("/health/live", get(health::live))
        .route("/health/ready", get(health::ready))
        .route("/health/pools", get(health::pools))
        .route("/version", get(health::version))
}

/// Runs what waits for disks on a thread that may, for no caller in particular.
async fn aside<T: Send + 'static>(
    site: &Site,
    work: impl FnOnce(&App) -> Result<T, Refusal> + Send + 'static,
) -> Result<T, Refusal> {
    let app = Arc::clone(&site.app);
    on_thread(move || work(&app)).await
}

/// Runs it where waiting holds up nobody, and turns a panic there into a refusal.
async fn on_thread<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Refusal> + Send + 'static,
) -> Result<T, Refusal> {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(error) => {
            tracing::error!(error = %error, "a request ended by a mistake in the program");
            Err(Refusal::mistake())
        }
    }
}
