//! Where preserved bytes lie, over HTTP.

use axum::http::HeaderMap;
use axum::response::Response;
use web::{Here, OptionLine, ReplicaPanel, StoragePage, storage_page};

use crate::desk::{OptionTold, ReplicaDetail, ReplicaTold, StorageTold};
use crate::http::api::{Answer, ask};
use crate::http::refusal::Refusal;
use crate::http::shell::{answer, shell};
use crate::http::{Visit, replicas};

pub(super) async fn page(visit: Visit, headers: HeaderMap) -> Result<Response, Refusal> {
    visit
        .aside(move |visit| {
            let shell = shell(visit, "Storage", Here::Storage, &headers);
            Ok(answer(&shell, storage_page(&shell, &value(visit)?)))
        })
        .await
}

pub(super) async fn told(visit: Visit) -> Answer<StorageTold> {
    ask(&visit, |desk| Ok(desk.storage()?)).await
}

fn value(visit: &Visit) -> Result<StoragePage, Refusal> {
    let told = visit.desk().storage()?;
    let panels = told.replicas.into_iter().filter_map(|mut replica| {
        let detail = replica.detail.take()?;
        Some(panel(replica, detail))
    });
    Ok(StoragePage {
        replicas: panels.collect(),
        standings: replicas::rows(visit),
        options: told.options.into_iter().map(option).collect(),
        exposed: told.exposed,
    })
}

fn option(told: OptionTold) -> OptionLine {
    OptionLine {
        name: told.name,
        replicas: told.replicas,
        retention_days: told.minimum_retention_days.into(),
        warnings: told.warnings,
    }
}

fn panel(replica: ReplicaTold, detail: ReplicaDetail) -> ReplicaPanel {
    ReplicaPanel {
        state: replicas::badge(&replica.standing),
        since: replica.since.filter(|_| detail.why.is_some()),
        name: replica.name,
        place: replica.place,
        class: replica.class,
        why: detail.why,
        url: detail.url,
        endpoint: detail.endpoint,
        object_count: detail.object_count,
        copy_count: detail.copy_count,
        size: detail.size,
        room: detail.free_bytes.zip(detail.total_bytes),
        set_aside: detail.set_aside_bytes,
        set_aside_is_more: detail.set_aside_is_more,
        retention_days: detail.minimum_retention_days.into(),
        priority: detail.restore_priority.into(),
        check_days: detail.fixity_every_days,
        waiting: detail.waiting,
    }
}
