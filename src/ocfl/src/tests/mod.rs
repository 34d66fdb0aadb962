//! The vault from the outside: real folders, a real S3 server on loopback, an independent
//! validator, processes that are really killed, and a medium that fails at every step in turn.

mod bucket;
mod care;
mod crash;
mod expunge;
mod faults;
mod faulty;
mod folder;
mod measure;
#[path = "../../../../tests/it/peer.rs"]
mod peer;
mod rig;
mod server;
