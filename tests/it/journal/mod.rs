//! The journal of the registry in the replicas: attacked, grown, and read back by a rebuild.

mod forged;
mod growth;
mod rebuilt;
