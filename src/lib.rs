//! Strongroom, in reading order.

pub mod config;
pub mod fault;
pub mod telemetry;
pub mod work;
