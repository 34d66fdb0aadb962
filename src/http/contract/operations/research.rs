//! Research: the catalogue, work for researchers, and what they found.

use serde_json::{Value, json};
use storage::registry::{Added, FeedRow, NewFeed, Recording};

use crate::desk::{
    AgainWish, BeatWish, CatalogueTold, CatalogueWish, ExtendWish, FinishTold, FinishWish,
    LeaseList, ObjectWish, OccurrenceList, ROWS_MAX, RecordingList, ResultBatch,
    ResultBatchResponse, ResultWish, WorkTold, WorkWish,
};
use crate::http::contract::operation::{Operation, get, post};
use crate::research::{
    Beat, ClipResults, Demand, EpisodeResults, Holding, Present, Progress, Receipt,
};

/// What recordings are sent as.
const MEDIA: &[&str] = &["audio/*", "application/octet-stream"];

fn limit() -> Value {
    json!({"type": "integer", "minimum": 1, "maximum": ROWS_MAX})
}

fn paged(operation: Operation, from: &str) -> Operation {
    operation.asks("limit", limit(), "Rows at most.").asks(
        from,
        json!({"type": "integer", "minimum": 0}),
        "What an earlier page gave as next.",
    )
}

pub(super) fn operations() -> Vec<Operation> {
    let mut operations = work();
    operations.extend(found());
    operations.extend(feeds());
    operations
}

/// Feeds that are read from time to time.
fn feeds() -> Vec<Operation> {
    vec![
        get("/research/feeds", "Feeds that are read, in the order they were added.")
            .gives::<Vec<FeedRow>>(),
        post("/research/feeds", "Adds a feed, which is read at once and from time to time.")
            .takes::<NewFeed>()
            .gives::<FeedRow>(),
        post("/research/feeds/{id}/remove", "Removes a feed; what it has listed stays.")
            .gives::<FeedRow>(),
        post("/research/feeds/{id}/read", "Has a feed read at once.").gives::<FeedRow>(),
    ]
}

/// What was found, as files, and objects whose files are recordings.
fn found() -> Vec<Operation> {
    vec![
        get("/research/episodes/{id}/occurrences.json", "What was found in an episode.")
            .gives::<OccurrenceList>(),
        get("/research/episodes/{id}/occurrences.csv", "What was found in it, as a table.")
            .sends(&["text/csv; charset=utf-8"]),
        get("/research/episodes/{id}/occurrences.vtt", "What was found in it, as WebVTT.")
            .sends(&["text/vtt; charset=utf-8"]),
        get("/research/episodes/{id}/occurrences.cue", "What was found in it, as a cue sheet.")
            .sends(&["application/x-cue"]),
        get("/research/clips/{id}/occurrences.json", "Where a clip was found.")
            .gives::<OccurrenceList>(),
        get("/research/clips/{id}/occurrences.csv", "Where it was found, as a table.")
            .sends(&["text/csv; charset=utf-8"]),
        post("/research/episodes/from-object", "Adds the audio files of an object as episodes.")
            .takes::<ObjectWish>()
            .gives::<Added>()
            .refuses(&[404]),
        post("/research/clips/from-object", "Adds the audio files of an object as clips.")
            .takes::<ObjectWish>()
            .gives::<Added>()
            .refuses(&[404]),
    ]
}

/// The catalogue, and work for researchers.
fn work() -> Vec<Operation> {
    vec![
        get("/research", "How far research has come.").gives::<Progress>(),
        post("/research/again", "Has everything looked at again that older analysts looked at.")
            .may_take::<AgainWish>()
            .gives::<Progress>(),
        paged(get("/research/episodes", "Episodes by number."), "after").gives::<RecordingList>(),
        post("/research/episodes", "Adds episodes, by title and date aired.")
            .takes::<CatalogueWish>()
            .gives::<CatalogueTold>(),
        get("/research/episodes/{id}", "An episode, and which clips occur in it where.")
            .gives::<EpisodeResults>(),
        get("/research/episodes/{id}/media", "The recording, or a range of it.")
            .sends(MEDIA)
            .refuses(&[409, 416, 424]),
        post("/research/episodes/{id}/again", "Has an episode looked at again.")
            .may_take::<AgainWish>()
            .gives::<Progress>(),
        post("/research/episodes/{id}/retry", "Lets an episode that has failed be tried at once.")
            .gives::<Recording>(),
        post("/research/episodes/{id}/remove", "Takes an episode off, with what was found in it.")
            .gives::<Recording>(),
        paged(get("/research/clips", "Clips by number."), "after").gives::<RecordingList>(),
        post("/research/clips", "Adds clips, by title.")
            .takes::<CatalogueWish>()
            .gives::<CatalogueTold>(),
        get("/research/clips/{id}", "A clip, and where it occurs.").gives::<ClipResults>(),
        get("/research/clips/{id}/media", "The recording, or a range of it.")
            .sends(MEDIA)
            .refuses(&[409, 416, 424]),
        post("/research/clips/{id}/again", "Has a clip looked for again.")
            .may_take::<AgainWish>()
            .gives::<Progress>(),
        post("/research/clips/{id}/retry", "Lets a clip that has failed be tried at once.")
            .gives::<Recording>(),
        post("/research/clips/{id}/remove", "Takes a clip off, with where it was found.")
            .gives::<Recording>(),
        get("/research/leases", "What is out, the soonest to end first.").gives::<Vec<Holding>>(),
        post("/research/leases/{lease}/revoke", "Ends a lease, whoever holds it.")
            .gives::<Holding>(),
        post("/research/leases/{lease}/extend", "Lets a lease stand for longer.")
            .takes::<ExtendWish>()
            .gives::<Holding>(),
        post("/research/leases/{lease}/finish", "Ends a lease for its holder, who winds down.")
            .takes::<FinishWish>()
            .gives::<FinishTold>(),
        paged(get("/research/history", "Who held what, and how it ended."), "before")
            .gives::<LeaseList>(),
        get("/research/researchers", "Who is there.").gives::<Vec<Present>>(),
        post("/research/work", "Work for a researcher; `Prefer: wait=20` waits for some.")
            .takes::<WorkWish>()
            .gives::<WorkTold>(),
        post("/research/heartbeat", "A sign of life, which extends a lease.")
            .takes::<BeatWish>()
            .gives::<Beat>(),
        post("/research/results", "One result; recorded whoever sends it, whenever.")
            .takes::<ResultWish>()
            .gives::<Receipt>(),
        post("/research/results/batch", "Up to 100 results, each recorded or rejected for itself.")
            .takes::<ResultBatch>()
            .gives::<ResultBatchResponse>(),
        get("/research/demand", "Pairs left, what is out and who is there, for autoscalers.")
            .gives::<Demand>(),
    ]
}
