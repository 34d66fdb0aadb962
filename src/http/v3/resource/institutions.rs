//! Institutions.

use axum::extract::Path;
use serde::Serialize;
use storage::clock::Timestamp;
use storage::registry::{Institution, InstitutionKind, Standing, moment};

use crate::http::Visit;
use crate::http::refusal::Refusal;
use crate::http::v3::answer::{Told, one, tell};
use crate::http::v3::asked::{Asked, Envelope};

/// An institution, with the member that it is an account of.
#[derive(Debug, Serialize)]
pub(in crate::http::v3) struct InstitutionView {
    id: i64,
    name: String,
    identifier: String,
    state: Standing,
    r#type: InstitutionKind,
    member_institution_id: Option<i64>,
    #[serde(with = "moment::option")]
    deactivated_at: Option<Timestamp>,
    otp_enabled: bool,
    receiving_bucket: String,
    restore_bucket: String,
    spot_restore_frequency: i64,
    last_spot_restore_work_item_id: Option<i64>,
    #[serde(with = "moment")]
    created_at: Timestamp,
    #[serde(with = "moment")]
    updated_at: Timestamp,
    parent_id: Option<i64>,
    parent_name: Option<String>,
    parent_identifier: Option<String>,
    parent_state: Option<Standing>,
    #[serde(with = "moment::option")]
    parent_deactivated_at: Option<Timestamp>,
}

impl InstitutionView {
    fn of(visit: &Visit, row: Institution) -> Result<InstitutionView, Refusal> {
        let parent = match row.member_institution_id {
            Some(parent) => visit.registry.institution(parent)?,
            None => None,
        };
        let parent = parent.as_ref();
        Ok(InstitutionView {
            parent_id: parent.map(|it| it.id),
            parent_name: parent.map(|it| it.name.clone()),
            parent_identifier: parent.map(|it| it.identifier.clone()),
            parent_state: parent.map(|it| it.state),
            parent_deactivated_at: parent.and_then(|it| it.deactivated_at),
            id: row.id,
            name: row.name,
            identifier: row.identifier,
            state: row.state,
            r#type: row.kind,
            member_institution_id: row.member_institution_id,
            deactivated_at: row.deactivated_at,
            otp_enabled: row.otp_enabled,
            receiving_bucket: row.receiving_bucket,
            restore_bucket: row.restore_bucket,
            spot_restore_frequency: row.spot_restore_frequency,
            last_spot_restore_work_item_id: row.last_spot_restore_work_item_id,
            created_at: row.created_at,
            updated_at: row.updated_at,
        })
    }
}

pub(in crate::http::v3) async fn list(
    visit: Visit,
    asked: Asked,
) -> Told<Envelope<InstitutionView>> {
    tell(&visit, move |visit| {
        let list = visit.desk().institutions(&asked.pairs)?;
        let of = |row| InstitutionView::of(visit, row);
        let rows = list.institutions.into_iter().map(of).collect::<Result<_, _>>()?;
        Ok(asked.envelope((list.count, list.next_cursor.is_some()), rows))
    })
    .await
}

/// The one with this number or identifier.
pub(in crate::http::v3) async fn show(
    visit: Visit,
    Path(which): Path<String>,
) -> Told<InstitutionView> {
    one(&visit, move |visit, desk| {
        InstitutionView::of(visit, desk.institution(&which)?.institution)
    })
    .await
}
