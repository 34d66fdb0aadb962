//! Strongroom: a digital preservation repository in one program. In reading order:
//!
//! [`config`] and [`fault`] say what was asked for and what failure means. [`work`] is the engine
//! that walks items through stages. [`app`] holds the tools a stage may use; [`upkeep`] is a flow
//! built of them; [`flows`] lists everything that runs. [`premis`] tells what is known about an
//! object. [`desk`] offers what people may do, [`http`] and [`cli`] are two ways to it, and
//! [`appliance`] starts and stops it all.

pub mod accounts;
pub mod alerts;
pub mod app;
pub mod appliance;
pub mod arrivals;
pub mod assess;
pub mod atlas;
pub mod certificate;
mod checkup;
pub mod chronicle;
pub mod cli;
pub mod config;
pub mod curator;
pub mod custody;
pub mod deletion;
pub mod desk;
pub mod doorstep;
pub mod exposure;
pub mod fault;
pub mod fixity;
pub mod flows;
pub mod health;
pub mod heap;
pub mod http;
pub mod ingest;
pub mod ledger;
pub mod maintenance;
pub mod ndsa;
pub mod outbox;
pub mod outside;
pub mod premis;
mod replacement;
pub mod reports;
pub mod research;
pub mod researcher;
pub mod restore;
pub mod rights;
pub mod signature_store;
pub mod sqs;
pub mod telemetry;
pub mod upkeep;
pub mod vaults;
pub mod work;
