//! Work for researchers, and what they tell.

use std::time::Duration;

use axum::extract::Path;
use axum::http::HeaderMap;

use crate::desk::{
    BeatWish, FinishTold, FinishWish, ResultBatch, ResultBatchResponse, ResultWish, WorkTold,
    WorkWish,
};
use crate::http::Visit;
use crate::http::api::{Answer, ask, read_body};
use crate::research::{Beat, Demand, Receipt};

/// The longest wait for work: below the patience of those between us and the researcher.
const WAIT_MAX_S: u32 = 20;
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Work, as soon as there is some and no later than was asked for. A wait holds no thread.
pub(super) async fn work(visit: Visit, headers: HeaderMap, body: String) -> Answer<WorkTold> {
    let wish: WorkWish = read_body(&body)?;
    let mut looks = wait_s(&headers).min(WAIT_MAX_S);
    loop {
        let asked = wish.clone();
        let told = ask(&visit, move |desk| Ok(desk.next_work(&asked)?)).await?;
        if told.0.work.is_some() || looks == 0 {
            return Ok(told);
        }
        looks -= 1;
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

/// How long a client prefers to wait (RFC 7240); not at all when it does not say.
fn wait_s(headers: &HeaderMap) -> u32 {
    let said = headers.get_all("prefer").iter().filter_map(|value| value.to_str().ok());
    let mut wishes = said.flat_map(|value| value.split(','));
    let wait = wishes.find_map(|wish| wish.trim().strip_prefix("wait=")?.trim().parse().ok());
    wait.unwrap_or(0)
}

pub(super) async fn heartbeat(visit: Visit, body: String) -> Answer<Beat> {
    let wish: BeatWish = read_body(&body)?;
    ask(&visit, move |desk| Ok(desk.research_beat(&wish)?)).await
}

pub(super) async fn result(visit: Visit, body: String) -> Answer<Receipt> {
    let wish: ResultWish = read_body(&body)?;
    ask(&visit, move |desk| Ok(desk.record_result(&wish)?)).await
}

pub(super) async fn results(visit: Visit, body: String) -> Answer<ResultBatchResponse> {
    let batch: ResultBatch = read_body(&body)?;
    ask(&visit, move |desk| Ok(desk.record_results(&batch)?)).await
}

pub(super) async fn demand(visit: Visit) -> Answer<Demand> {
    ask(&visit, |desk| Ok(desk.research_demand()?)).await
}

pub(super) async fn finish(
    visit: Visit,
    Path(lease): Path<String>,
    body: String,
) -> Answer<FinishTold> {
    let wish: FinishWish = read_body(&body)?;
    ask(&visit, move |desk| Ok(desk.finish_work(&lease, &wish)?)).await
}
