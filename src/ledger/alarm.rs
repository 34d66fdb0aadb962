//! What was found in the journal of a replica that nobody but a person can explain.

/// A page that is not what this appliance wrote, or that is in no replica any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alarm {
    /// The replica; none where it is about all of them.
    pub replica: Option<String>,
    /// What was found, in a sentence.
    pub what: String,
    /// Where the page is kept, as a path in the replica.
    pub kept: Option<String>,
    /// Tells two findings apart.
    pub mark: String,
}
