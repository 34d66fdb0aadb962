//! What to do about a file that no hot replica has an intact copy of: one sentence for alerts, items,
//! pages and commands.

/// What to do about lost files; `page` says where the page of one of them is. `in_cold` names, for each
/// of them, a cold replica that has a copy, if there is one.
pub fn lost_advice<'c>(page: &str, in_cold: impl IntoIterator<Item = Option<&'c str>>) -> String {
    let in_cold: Vec<Option<&str>> = in_cold.into_iter().collect();
    let cold = in_cold.iter().flatten().next();
    if let Some(cold) = cold.filter(|_| in_cold.iter().all(Option::is_some)) {
        return cold_advice(page, cold);
    }
    let plain = format!(
        "Get the file from the depositor or from another archive. Then choose Replace from a file on \
         its page ({page}): the digest of what you send is compared, and every hot replica is repaired \
         with it. Or deposit the object again with that file."
    );
    match cold {
        None => plain,
        Some(cold) => format!(
            "{plain} Of some of these files replica {cold} in cold storage has a copy: their pages say \
             so, and how to restore them from there."
        ),
    }
}

/// What to do about a lost file that a replica in cold storage has a copy of.
pub fn cold_advice(page: &str, cold: &str) -> String {
    format!(
        "Replica {cold} in cold storage has a copy. Choose Restore on the page of the file ({page}); \
         when that item stops because the copy is cold, requeue it for Glacier Restore. Then choose \
         Replace from a file on the same page and send the file that was restored: its digest is \
         compared, and every hot replica is repaired with it."
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
