//! What the appliance does for research by itself.

mod due;

pub use due::ResearchDue;
