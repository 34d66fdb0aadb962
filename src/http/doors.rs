//! Every address, and what it asks of whoever wants in. An address that is not in this table opens
//! to nobody.

use axum::http::Method;

use crate::rights::Right;

/// What an address asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Door {
    /// Nothing: health, and the ways to sign in.
    Open,
    /// To come from this machine, or to look after the appliance: numbers for monitors.
    Local,
    /// A right.
    Asks(Right),
}

use Door::{Asks, Local, Open};
use Right::{
    Assess, Check, Delete, Deposit, DoResearch, KeepHouse, KeepInstitution, KeepInstitutions,
    KeepResearch, KeepUsers, KeepWork, OwnAccount, Read, ReadAlerts, Research, Restore, SeeAudit,
    SeeDeletions,
};

/// Addresses as they are routed, with their method and door. `HEAD` goes where `GET` goes.
pub const DOORS: &[(&str, &str, Door)] = &[
    ("GET", "/health", Open),
    ("GET", "/health/live", Open),
    ("GET", "/health/ready", Open),
    ("GET", "/health/pools", Open),
    ("GET", "/version", Open),
    ("GET", "/metrics", Local),
    ("GET", "/assets/{name}", Open),
    // Coming in.
    ("GET", "/sign-in", Open),
    ("POST", "/sign-in", Open),
    ("GET", "/sign-in/code", Open),
    ("POST", "/sign-in/code", Open),
    ("POST", "/sign-out", Open),
    ("GET", "/forgotten", Open),
    ("POST", "/forgotten", Open),
    ("GET", "/password", Open),
    ("POST", "/password", Open),
    ("GET", "/welcome", Open),
    ("POST", "/welcome", Open),
    // Pages.
    ("GET", "/", Asks(Read)),
    ("GET", "/fragments/overview", Asks(Read)),
    ("GET", "/live", Asks(Read)),
    ("GET", "/items", Asks(Read)),
    ("GET", "/fragments/items", Asks(Read)),
    ("GET", "/items/{id}", Asks(Read)),
    ("GET", "/fragments/items/{id}", Asks(Read)),
    ("GET", "/items/{id}/report.txt", Asks(Read)),
    ("POST", "/items/requeue", Asks(KeepWork)),
    ("POST", "/items/{id}/requeue", Asks(KeepWork)),
    ("GET", "/items/{id}/cancel", Asks(KeepWork)),
    ("POST", "/items/{id}/cancel", Asks(KeepWork)),
    ("GET", "/queues", Asks(KeepWork)),
    ("GET", "/fragments/queues", Asks(KeepWork)),
    ("POST", "/queues/pause", Asks(KeepWork)),
    ("POST", "/queues/resume", Asks(KeepWork)),
    ("POST", "/queues/{topic}/pause", Asks(KeepWork)),
    ("POST", "/queues/{topic}/resume", Asks(KeepWork)),
    ("GET", "/queues/{topic}/empty", Asks(KeepWork)),
    ("POST", "/queues/{topic}/empty", Asks(KeepWork)),
    ("GET", "/search", Asks(Read)),
    ("GET", "/objects", Asks(Read)),
    ("GET", "/objects/{*which}", Asks(Read)),
    ("GET", "/files", Asks(Read)),
    ("GET", "/files/{*which}", Asks(Read)),
    ("GET", "/events", Asks(Read)),
    ("GET", "/events/{*which}", Asks(Read)),
    ("GET", "/deposits", Asks(Deposit)),
    ("POST", "/deposits", Asks(Deposit)),
    ("GET", "/fragments/deposits", Asks(Deposit)),
    ("GET", "/fixity", Asks(Read)),
    ("GET", "/fragments/fixity", Asks(Read)),
    ("POST", "/fixity/check", Asks(KeepHouse)),
    ("POST", "/fixity/objects/{id}/check", Asks(Check)),
    ("GET", "/restorations", Asks(Restore)),
    ("POST", "/restorations", Asks(Restore)),
    ("GET", "/fragments/restorations", Asks(Restore)),
    ("GET", "/restorations/{item}/download", Asks(Restore)),
    ("GET", "/deletions", Asks(SeeDeletions)),
    ("POST", "/deletions", Asks(Delete)),
    ("GET", "/deletions/new", Asks(Delete)),
    ("GET", "/deletions/{id}", Asks(SeeDeletions)),
    ("GET", "/fragments/deletions/{id}", Asks(SeeDeletions)),
    ("POST", "/deletions/{id}/approve", Asks(Delete)),
    ("POST", "/deletions/{id}/cancel", Asks(Delete)),
    ("GET", "/deletions/{id}/certificate.txt", Asks(SeeDeletions)),
    ("GET", "/deletions/{id}/certificate.json", Asks(SeeDeletions)),
    ("GET", "/alerts", Asks(ReadAlerts)),
    ("POST", "/alerts/read", Asks(ReadAlerts)),
    ("GET", "/alerts/{id}", Asks(ReadAlerts)),
    ("POST", "/alerts/{id}/read", Asks(ReadAlerts)),
    ("POST", "/alerts/{id}/unread", Asks(ReadAlerts)),
    ("GET", "/reports", Asks(Read)),
    ("GET", "/reports/deposits", Asks(Read)),
    ("GET", "/reports/growth", Asks(Read)),
    ("GET", "/reports/formats", Asks(Read)),
    ("GET", "/reports/storage", Asks(Read)),
    ("GET", "/reports/ndsa", Asks(Read)),
    ("GET", "/reports/ndsa/declare", Asks(KeepHouse)),
    ("POST", "/reports/ndsa/declare", Asks(KeepHouse)),
    ("POST", "/reports/ndsa/declarations/{id}/withdraw", Asks(KeepHouse)),
    ("GET", "/research", Asks(Research)),
    ("GET", "/fragments/research", Asks(Research)),
    ("GET", "/research/episodes", Asks(Research)),
    ("POST", "/research/episodes", Asks(KeepResearch)),
    ("POST", "/research/episodes/import", Asks(KeepResearch)),
    ("POST", "/research/episodes/from-object", Asks(KeepResearch)),
    ("GET", "/research/episodes/{id}", Asks(Research)),
    ("POST", "/research/episodes/{id}/again", Asks(KeepResearch)),
    ("POST", "/research/episodes/{id}/retry", Asks(KeepResearch)),
    ("GET", "/research/clips", Asks(Research)),
    ("POST", "/research/clips", Asks(KeepResearch)),
    ("POST", "/research/clips/import", Asks(KeepResearch)),
    ("POST", "/research/clips/from-object", Asks(KeepResearch)),
    ("GET", "/research/clips/{id}", Asks(Research)),
    ("POST", "/research/clips/{id}/again", Asks(KeepResearch)),
    ("POST", "/research/clips/{id}/retry", Asks(KeepResearch)),
    ("GET", "/research/feeds", Asks(Research)),
    ("POST", "/research/feeds", Asks(KeepResearch)),
    ("POST", "/research/feeds/{id}/remove", Asks(KeepResearch)),
    ("POST", "/research/feeds/{id}/read", Asks(KeepResearch)),
    ("GET", "/research/leases", Asks(Research)),
    ("GET", "/fragments/leases", Asks(Research)),
    ("GET", "/research/leases/{lease}/revoke", Asks(KeepResearch)),
    ("POST", "/research/leases/{lease}/revoke", Asks(KeepResearch)),
    ("GET", "/research/researchers", Asks(Research)),
    ("GET", "/fragments/researchers", Asks(Research)),
    ("GET", "/assessments", Asks(Assess)),
    ("POST", "/assessments", Asks(Assess)),
    ("GET", "/assessments/new", Asks(Assess)),
    ("POST", "/assessments/check", Asks(Assess)),
    ("GET", "/assessments/{which}", Asks(Assess)),
    ("GET", "/fragments/assessments/{which}", Asks(Assess)),
    ("POST", "/assessments/{which}/again", Asks(Assess)),
    ("POST", "/assessments/{which}/send", Asks(Assess)),
    ("GET", "/reference-data", Asks(Assess)),
    ("GET", "/fragments/reference-data", Asks(Assess)),
    ("POST", "/reference-data/load", Asks(KeepHouse)),
    ("GET", "/reference-data/roll-back", Asks(KeepHouse)),
    ("POST", "/reference-data/roll-back", Asks(KeepHouse)),
    ("GET", "/account", Asks(OwnAccount)),
    ("POST", "/account", Asks(OwnAccount)),
    ("POST", "/account/tokens", Asks(OwnAccount)),
    ("POST", "/account/tokens/{id}/revoke", Asks(OwnAccount)),
    ("POST", "/account/sessions/{id}/end", Asks(OwnAccount)),
    ("GET", "/account/second-factor", Asks(OwnAccount)),
    ("POST", "/account/second-factor/begin", Asks(OwnAccount)),
    ("POST", "/account/second-factor/confirm", Asks(OwnAccount)),
    ("POST", "/account/second-factor/codes", Asks(OwnAccount)),
    ("POST", "/account/second-factor/end", Asks(OwnAccount)),
    ("GET", "/users", Asks(KeepUsers)),
    ("POST", "/users", Asks(KeepUsers)),
    ("GET", "/users/new", Asks(KeepUsers)),
    ("GET", "/users/{which}", Asks(KeepUsers)),
    ("POST", "/users/{which}", Asks(KeepUsers)),
    ("POST", "/users/{which}/reset", Asks(KeepUsers)),
    ("POST", "/users/{which}/reset-factor", Asks(KeepUsers)),
    ("POST", "/users/{which}/deactivate", Asks(KeepUsers)),
    ("POST", "/users/{which}/reactivate", Asks(KeepUsers)),
    ("GET", "/institutions", Asks(KeepInstitution)),
    ("POST", "/institutions", Asks(KeepInstitutions)),
    ("GET", "/institutions/new", Asks(KeepInstitutions)),
    ("GET", "/institutions/{which}", Asks(KeepInstitution)),
    ("POST", "/institutions/{which}", Asks(KeepInstitution)),
    ("POST", "/institutions/{which}/deactivate", Asks(KeepInstitutions)),
    ("POST", "/institutions/{which}/reactivate", Asks(KeepInstitutions)),
    ("GET", "/audit", Asks(SeeAudit)),
    ("GET", "/maintenance", Asks(KeepHouse)),
    ("POST", "/maintenance", Asks(KeepHouse)),
    ("GET", "/settings", Asks(KeepHouse)),
    ("GET", "/storage", Asks(Read)),
    ("GET", "/schedules", Asks(KeepWork)),
    ("POST", "/schedules/{name}/run", Asks(KeepWork)),
    ("POST", "/filters", Asks(OwnAccount)),
    ("POST", "/filters/{id}/remove", Asks(OwnAccount)),
    ("GET", "/help", Asks(Read)),
    ("GET", "/help/accessibility", Asks(Read)),
    ("GET", "/api/v1/openapi.json", Open),
    ("GET", "/api/v1/items", Asks(Read)),
    ("GET", "/api/v1/items/{id}", Asks(Read)),
    ("GET", "/api/v1/items/{id}/report", Asks(Read)),
    ("POST", "/api/v1/items/requeue", Asks(KeepWork)),
    ("POST", "/api/v1/items/{id}/requeue", Asks(KeepWork)),
    ("POST", "/api/v1/items/{id}/cancel", Asks(KeepWork)),
    ("GET", "/api/v1/queues", Asks(KeepWork)),
    ("POST", "/api/v1/queues/pause", Asks(KeepWork)),
    ("POST", "/api/v1/queues/resume", Asks(KeepWork)),
    ("POST", "/api/v1/queues/empty", Asks(KeepWork)),
    ("POST", "/api/v1/queues/{topic}/pause", Asks(KeepWork)),
    ("POST", "/api/v1/queues/{topic}/resume", Asks(KeepWork)),
    ("POST", "/api/v1/queues/{topic}/empty", Asks(KeepWork)),
    ("GET", "/api/v1/maintenance", Asks(KeepHouse)),
    ("POST", "/api/v1/maintenance", Asks(KeepHouse)),
    ("GET", "/api/v1/settings", Asks(KeepHouse)),
    ("GET", "/api/v1/storage", Asks(Read)),
    ("GET", "/api/v1/schedules", Asks(KeepWork)),
    ("POST", "/api/v1/schedules/{name}/run", Asks(KeepWork)),
    ("GET", "/api/v1/doctor", Asks(KeepHouse)),
    ("POST", "/api/v1/doctor", Asks(KeepHouse)),
    ("GET", "/api/v1/export/{part}", Asks(KeepHouse)),
    ("GET", "/api/v1/search", Asks(Read)),
    ("GET", "/api/v1/objects", Asks(Read)),
    ("GET", "/api/v1/objects/{*which}", Asks(Read)),
    // Which of the two it is stands in the tail of the address; the handler asks for the other.
    ("POST", "/api/v1/objects/{*which}", Asks(Restore)),
    ("GET", "/api/v1/files", Asks(Read)),
    ("GET", "/api/v1/files/{*which}", Asks(Read)),
    ("POST", "/api/v1/files/{*which}", Asks(Restore)),
    ("GET", "/api/v1/events", Asks(Read)),
    ("GET", "/api/v1/events/{*which}", Asks(Read)),
    ("GET", "/api/v1/deposits", Asks(Deposit)),
    ("PUT", "/api/v1/deposits/{institution}/{name}", Asks(Deposit)),
    ("GET", "/api/v1/deposits/{institution}/{name}/check", Asks(Deposit)),
    ("GET", "/api/v1/fixity", Asks(Read)),
    ("GET", "/api/v1/fixity/due", Asks(KeepHouse)),
    ("POST", "/api/v1/fixity/check", Asks(KeepHouse)),
    ("GET", "/api/v1/fixity/report.csv", Asks(Read)),
    ("GET", "/api/v1/fixity/unsound.csv", Asks(KeepHouse)),
    ("GET", "/api/v1/restorations", Asks(Restore)),
    ("GET", "/api/v1/restorations/{item}/content", Asks(Restore)),
    ("GET", "/api/v1/deletions", Asks(SeeDeletions)),
    ("POST", "/api/v1/deletions", Asks(Delete)),
    ("GET", "/api/v1/deletions/{id}", Asks(SeeDeletions)),
    ("POST", "/api/v1/deletions/{id}/approve", Asks(Delete)),
    ("POST", "/api/v1/deletions/{id}/cancel", Asks(Delete)),
    ("GET", "/api/v1/deletions/{id}/certificate", Asks(SeeDeletions)),
    ("GET", "/api/v1/alerts", Asks(ReadAlerts)),
    ("POST", "/api/v1/alerts/read", Asks(ReadAlerts)),
    ("GET", "/api/v1/alerts/{id}", Asks(ReadAlerts)),
    ("GET", "/api/v1/research", Asks(Research)),
    ("POST", "/api/v1/research/again", Asks(KeepResearch)),
    ("GET", "/api/v1/research/episodes", Asks(Research)),
    ("POST", "/api/v1/research/episodes", Asks(KeepResearch)),
    ("GET", "/api/v1/research/episodes/{id}", Asks(Research)),
    ("GET", "/api/v1/research/episodes/{id}/media", Asks(DoResearch)),
    ("POST", "/api/v1/research/episodes/{id}/again", Asks(KeepResearch)),
    ("POST", "/api/v1/research/episodes/{id}/retry", Asks(KeepResearch)),
    ("GET", "/api/v1/research/episodes/{id}/occurrences.json", Asks(Research)),
    ("GET", "/api/v1/research/episodes/{id}/occurrences.csv", Asks(Research)),
    ("GET", "/api/v1/research/episodes/{id}/occurrences.vtt", Asks(Research)),
    ("GET", "/api/v1/research/episodes/{id}/occurrences.cue", Asks(Research)),
    ("POST", "/api/v1/research/episodes/from-object", Asks(KeepResearch)),
    ("GET", "/api/v1/research/clips", Asks(Research)),
    ("POST", "/api/v1/research/clips", Asks(KeepResearch)),
    ("GET", "/api/v1/research/clips/{id}", Asks(Research)),
    ("GET", "/api/v1/research/clips/{id}/media", Asks(DoResearch)),
    ("POST", "/api/v1/research/clips/{id}/again", Asks(KeepResearch)),
    ("POST", "/api/v1/research/clips/{id}/retry", Asks(KeepResearch)),
    ("GET", "/api/v1/research/clips/{id}/occurrences.json", Asks(Research)),
    ("GET", "/api/v1/research/clips/{id}/occurrences.csv", Asks(Research)),
    ("POST", "/api/v1/research/clips/from-object", Asks(KeepResearch)),
    ("GET", "/api/v1/research/feeds", Asks(Research)),
    ("POST", "/api/v1/research/feeds", Asks(KeepResearch)),
    ("POST", "/api/v1/research/feeds/{id}/remove", Asks(KeepResearch)),
    ("POST", "/api/v1/research/feeds/{id}/read", Asks(KeepResearch)),
    ("GET", "/api/v1/research/leases", Asks(Research)),
    ("POST", "/api/v1/research/leases/{lease}/revoke", Asks(KeepResearch)),
    ("POST", "/api/v1/research/leases/{lease}/extend", Asks(KeepResearch)),
    ("POST", "/api/v1/research/leases/{lease}/finish", Asks(DoResearch)),
    ("GET", "/api/v1/research/history", Asks(Research)),
    ("GET", "/api/v1/research/researchers", Asks(Research)),
    ("POST", "/api/v1/research/work", Asks(DoResearch)),
    ("POST", "/api/v1/research/heartbeat", Asks(DoResearch)),
    ("POST", "/api/v1/research/results", Asks(DoResearch)),
    ("GET", "/api/v1/reports/deposits", Asks(Read)),
    ("GET", "/api/v1/reports/deposits.csv", Asks(Read)),
    ("GET", "/api/v1/reports/growth", Asks(Read)),
    ("GET", "/api/v1/reports/growth.csv", Asks(Read)),
    ("GET", "/api/v1/reports/formats", Asks(Read)),
    ("GET", "/api/v1/reports/formats.csv", Asks(Read)),
    ("GET", "/api/v1/reports/storage", Asks(Read)),
    ("GET", "/api/v1/reports/storage.csv", Asks(Read)),
    ("GET", "/api/v1/reports/ndsa", Asks(Read)),
    ("GET", "/api/v1/reports/ndsa.csv", Asks(Read)),
    ("GET", "/api/v1/reports/ndsa.txt", Asks(Read)),
    ("GET", "/api/v1/reports/ndsa/declarations", Asks(KeepHouse)),
    ("POST", "/api/v1/reports/ndsa/declarations", Asks(KeepHouse)),
    ("POST", "/api/v1/reports/ndsa/declarations/{id}/withdraw", Asks(KeepHouse)),
    ("GET", "/api/v1/assessments", Asks(Assess)),
    ("POST", "/api/v1/assessments", Asks(Assess)),
    ("GET", "/api/v1/assessments/{which}", Asks(Assess)),
    // Opens to whoever has the token that was given to the asker.
    ("GET", "/api/v1/assessments/{which}/poll", Open),
    ("GET", "/api/v1/assessments/{which}/result.json", Asks(Assess)),
    ("GET", "/api/v1/assessments/{which}/result.csv", Asks(Assess)),
    ("GET", "/api/v1/assessments/{which}/result.geojson", Asks(Assess)),
    ("POST", "/api/v1/assessments/{which}/again", Asks(Assess)),
    ("POST", "/api/v1/assessments/{which}/send", Asks(Assess)),
    ("POST", "/api/v1/check-boundary", Asks(Assess)),
    ("POST", "/api/v1/treatment-works/nearby", Asks(Assess)),
    ("GET", "/api/v1/reference-data", Asks(Assess)),
    ("POST", "/api/v1/reference-data", Asks(KeepHouse)),
    ("POST", "/api/v1/reference-data/roll-back", Asks(KeepHouse)),
    ("GET", "/api/v1/users", Asks(KeepUsers)),
    ("POST", "/api/v1/users", Asks(KeepUsers)),
    ("GET", "/api/v1/users/{which}", Asks(KeepUsers)),
    ("PATCH", "/api/v1/users/{which}", Asks(KeepUsers)),
    ("POST", "/api/v1/users/{which}/reset", Asks(KeepUsers)),
    ("POST", "/api/v1/users/{which}/reset-factor", Asks(KeepUsers)),
    ("GET", "/api/v1/users/{which}/tokens", Asks(KeepUsers)),
    ("POST", "/api/v1/users/{which}/tokens", Asks(KeepUsers)),
    ("POST", "/api/v1/users/{which}/deactivate", Asks(KeepUsers)),
    ("POST", "/api/v1/users/{which}/reactivate", Asks(KeepUsers)),
    ("GET", "/api/v1/institutions", Asks(Read)),
    ("POST", "/api/v1/institutions", Asks(KeepInstitutions)),
    ("GET", "/api/v1/institutions/{which}", Asks(Read)),
    ("PATCH", "/api/v1/institutions/{which}", Asks(KeepInstitution)),
    ("POST", "/api/v1/institutions/{which}/deactivate", Asks(KeepInstitutions)),
    ("POST", "/api/v1/institutions/{which}/reactivate", Asks(KeepInstitutions)),
    ("GET", "/api/v1/tokens", Asks(OwnAccount)),
    ("POST", "/api/v1/tokens", Asks(OwnAccount)),
    // Of the caller's own, or of somebody they look after; the desk asks which.
    ("POST", "/api/v1/tokens/{id}/revoke", Asks(Read)),
    ("GET", "/api/v1/sessions", Asks(OwnAccount)),
    ("POST", "/api/v1/sessions/{id}/end", Asks(OwnAccount)),
    ("GET", "/api/v1/audit", Asks(SeeAudit)),
    ("GET", "/api/v1/audit.csv", Asks(SeeAudit)),
    // The described registry, for its members.
    ("GET", "/member-api/v3/alerts", Asks(ReadAlerts)),
    ("GET", "/member-api/v3/alerts/show/{id}/{user}", Asks(ReadAlerts)),
    ("GET", "/member-api/v3/checksums", Asks(Read)),
    ("GET", "/member-api/v3/checksums/show/{id}", Asks(Read)),
    ("GET", "/member-api/v3/deletions", Asks(SeeDeletions)),
    ("GET", "/member-api/v3/deletions/show/{id}", Asks(SeeDeletions)),
    ("GET", "/member-api/v3/files", Asks(Read)),
    ("GET", "/member-api/v3/files/show/{*which}", Asks(Read)),
    ("GET", "/member-api/v3/objects", Asks(Read)),
    ("GET", "/member-api/v3/objects/show/{*which}", Asks(Read)),
    ("GET", "/member-api/v3/events", Asks(Read)),
    ("GET", "/member-api/v3/events/show/{*which}", Asks(Read)),
    ("GET", "/member-api/v3/items", Asks(Read)),
    ("GET", "/member-api/v3/items/show/{id}", Asks(Read)),
    // The described registry, for who looks after the appliance.
    ("GET", "/admin-api/v3/alerts", Asks(KeepHouse)),
    ("GET", "/admin-api/v3/alerts/show/{id}/{user}", Asks(KeepHouse)),
    ("GET", "/admin-api/v3/checksums", Asks(KeepHouse)),
    ("GET", "/admin-api/v3/checksums/show/{id}", Asks(KeepHouse)),
    ("GET", "/admin-api/v3/deletions", Asks(KeepHouse)),
    ("GET", "/admin-api/v3/deletions/show/{id}", Asks(KeepHouse)),
    ("GET", "/admin-api/v3/files", Asks(KeepHouse)),
    ("GET", "/admin-api/v3/files/show/{*which}", Asks(KeepHouse)),
    ("GET", "/admin-api/v3/objects", Asks(KeepHouse)),
    ("GET", "/admin-api/v3/objects/show/{*which}", Asks(KeepHouse)),
    ("GET", "/admin-api/v3/events", Asks(KeepHouse)),
    ("GET", "/admin-api/v3/events/show/{*which}", Asks(KeepHouse)),
    ("GET", "/admin-api/v3/items", Asks(KeepHouse)),
    ("GET", "/admin-api/v3/items/show/{id}", Asks(KeepHouse)),
    ("GET", "/admin-api/v3/institutions", Asks(KeepHouse)),
    ("GET", "/admin-api/v3/institutions/show/{id}", Asks(KeepHouse)),
    ("GET", "/admin-api/v3/storage_records", Asks(KeepHouse)),
    ("GET", "/admin-api/v3/storage_records/show/{id}", Asks(KeepHouse)),
    ("POST", "/admin-api/v3/alerts/generate_failed_fixity_alerts", Asks(KeepHouse)),
    ("POST", "/admin-api/v3/objects/init_restore/{id}", Asks(KeepHouse)),
    ("POST", "/admin-api/v3/objects/init_batch_delete", Asks(KeepHouse)),
    ("PUT", "/admin-api/v3/items/requeue/{id}", Asks(KeepHouse)),
    ("DELETE", "/admin-api/v3/items/redis_delete/{id}", Asks(KeepHouse)),
    ("POST", "/admin-api/v3/checksums/create/{institution}", Asks(KeepHouse)),
    ("POST", "/admin-api/v3/files/create/{institution}", Asks(KeepHouse)),
    ("POST", "/admin-api/v3/files/create_batch/{institution}", Asks(KeepHouse)),
    ("PUT", "/admin-api/v3/files/update/{id}", Asks(KeepHouse)),
    ("DELETE", "/admin-api/v3/files/delete/{id}", Asks(KeepHouse)),
    ("POST", "/admin-api/v3/objects/create/{institution}", Asks(KeepHouse)),
    ("PUT", "/admin-api/v3/objects/update/{id}", Asks(KeepHouse)),
    ("DELETE", "/admin-api/v3/objects/delete/{id}", Asks(KeepHouse)),
    ("POST", "/admin-api/v3/events/create", Asks(KeepHouse)),
    ("POST", "/admin-api/v3/storage_records/create/{institution}", Asks(KeepHouse)),
    ("POST", "/admin-api/v3/items/create/{institution}", Asks(KeepHouse)),
    ("PUT", "/admin-api/v3/items/update/{id}", Asks(KeepHouse)),
];

/// The door of an address, and whether the address is known at all.
pub(super) fn door(method: &Method, path: &str) -> Result<Door, Unmapped> {
    let asked = if method == Method::HEAD { "GET" } else { method.as_str() };
    let mut here = DOORS.iter().filter(|(_, known, _)| *known == path).peekable();
    if here.peek().is_none() {
        return Err(Unmapped::Nowhere);
    }
    here.find(|(method, ..)| *method == asked).map(|(.., door)| *door).ok_or(Unmapped::OtherMethod)
}

/// What can be asked for at the end of an address whose tail is an identifier.
const WISHES: [&str; 2] = ["/restore", "/check"];

/// The methods of an address, as the header `Allow` names them: by the table, and where one address
/// takes all that begins alike, by how the one that was asked for ends.
pub(super) fn methods(path: &str, asked: &str) -> String {
    let here = DOORS.iter().filter(|(_, known, _)| *known == path).map(|(method, ..)| *method);
    let wish = WISHES.iter().any(|wish| asked.ends_with(wish));
    let here = here.filter(|method| !path.ends_with("{*which}") || (*method == "POST") == wish);
    let named =
        here.flat_map(|method| if method == "GET" { vec![method, "HEAD"] } else { vec![method] });
    named.collect::<Vec<_>>().join(", ")
}

/// Why there is no door.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unmapped {
    /// The address is not in the table.
    Nowhere,
    /// It is, with other methods.
    OtherMethod,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_address_stands_once() {
        for (index, (method, path, _)) in DOORS.iter().enumerate() {
            let again = DOORS[..index].iter().any(|it| (it.0, it.1) == (*method, *path));
            assert!(!again, "{method} {path}");
        }
    }

    #[test]
    fn what_is_not_in_the_table_is_no_door() {
        assert_eq!(door(&Method::GET, "/secret"), Err(Unmapped::Nowhere));
        assert_eq!(door(&Method::DELETE, "/objects"), Err(Unmapped::OtherMethod));
        assert_eq!(door(&Method::HEAD, "/objects"), Ok(Asks(Read)));
    }

    #[test]
    fn what_an_address_takes_is_told_by_the_table_and_by_its_end() {
        let one = "/api/v1/objects/{*which}";
        assert_eq!(methods("/api/v1/users", "/api/v1/users"), "GET, HEAD, POST");
        assert_eq!(methods(one, "/api/v1/objects/1"), "GET, HEAD");
        assert_eq!(methods(one, "/api/v1/objects/a.b/c/restore"), "POST");
    }
}
