//! What to do about a file that no hot replica has an intact copy of: one sentence for alerts, items,
//! pages and commands.

/// What to do about lost files; `page` says where the page of one of them is.
pub fn lost_advice(page: &str) -> String {
    format!(
        "Get the file from the depositor or from another archive. Then choose Replace from a file on \
         its page ({page}): the digest of what you send is compared, and every replica is repaired \
         with it. Or deposit the object again with that file."
    )
}

/// What to do where what describes an object is lost: that is made and kept by Strongroom, and nobody
/// else has it.
pub fn lost_frame_advice(object_page: &str) -> String {
    format!(
        "Bring back a replica that is away and has it, then ask for a check on the page of the object \
         ({object_page})."
    )
}
