//! The items: the list, one of them, and what people do to them.

use axum::extract::{Form, Path, Query};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use serde::Deserialize;
use web::{
    ConfirmPage, Here, Link, confirm_page, counted, item_fragment, item_page, items_fragment,
    items_page,
};

use super::filters::with_saved;
use super::flash::see;
use super::refusal::Refusal;
use super::shell::{answer, shell};
use super::{Visit, item_value, items_value};

type Pairs = Query<Vec<(String, String)>>;

pub(super) async fn page(
    visit: Visit,
    Query(pairs): Pairs,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    visit
        .aside(move |visit| {
            let shell = shell(visit, "Items", Here::Items, &headers);
            let shell = with_saved(visit, shell, "/items", &pairs);
            Ok(answer(&shell, items_page(&shell, &items_value::value(visit, pairs)?)))
        })
        .await
}

pub(super) async fn fragment(visit: Visit, Query(pairs): Pairs) -> Result<Html<String>, Refusal> {
    visit
        .aside(move |visit| {
            Ok(Html(items_fragment(&items_value::value(visit, pairs)?).into_string()))
        })
        .await
}

pub(super) async fn one(
    visit: Visit,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let id = number(&id)?;
    visit
        .aside(move |visit| {
            let page = item_value::value(visit, id)?;
            let shell = shell(visit, format!("Item {id}: {}", page.name), Here::Items, &headers);
            Ok(answer(&shell, item_page(&shell, &page)))
        })
        .await
}

pub(super) async fn one_fragment(
    visit: Visit,
    Path(id): Path<String>,
) -> Result<Html<String>, Refusal> {
    let id = number(&id)?;
    visit
        .aside(move |visit| Ok(Html(item_fragment(&item_value::value(visit, id)?).into_string())))
        .await
}

/// What was found wrong with the deposit, as a text that can be sent on.
pub(super) async fn report(visit: Visit, Path(id): Path<String>) -> Result<Response, Refusal> {
    let id = number(&id)?;
    let text = visit.aside(move |visit| Ok(visit.desk().report(id)?)).await?;
    let shown = format!("inline; filename=\"report-item-{id}.txt\"");
    let kind = "text/plain; charset=utf-8".to_owned();
    let headers = [(header::CONTENT_TYPE, kind), (header::CONTENT_DISPOSITION, shown)];
    Ok((headers, text).into_response())
}

#[derive(Deserialize)]
pub(super) struct StageForm {
    stage: Option<String>,
}

pub(super) async fn requeue(
    visit: Visit,
    Path(id): Path<String>,
    Form(form): Form<StageForm>,
) -> Result<Response, Refusal> {
    let id = number(&id)?;
    visit
        .aside(move |visit| {
            let stage = form.stage.filter(|stage| !stage.is_empty());
            let detail = visit.desk().requeue(id, stage.as_deref())?;
            let sentence = format!("Item {id} is back in line for {}.", detail.item.stage);
            Ok(see(&format!("/items/{id}"), &sentence))
        })
        .await
}

#[derive(Deserialize)]
pub(super) struct ReasonForm {
    reason: String,
}

pub(super) async fn requeue_all(
    visit: Visit,
    Form(form): Form<ReasonForm>,
) -> Result<Response, Refusal> {
    visit
        .aside(move |visit| {
            let requeued = visit.desk().requeue_all(&form.reason, None)?.requeued;
            Ok(see("/", &format!("Put {} back in line.", counted(requeued, "item"))))
        })
        .await
}

pub(super) async fn ask_cancel(
    visit: Visit,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let id = number(&id)?;
    visit
        .aside(move |visit| {
            let detail = visit.desk().item(id)?;
            let back = format!("/items/{id}");
            if !detail.cancellable {
                let sentence = format!("Item {id} has ended ({}).", detail.item.status);
                return Err(Refusal::new(StatusCode::CONFLICT, "ended", sentence));
            }
            let shell = shell(visit, format!("Cancel item {id}"), Here::Items, &headers);
            let page = ConfirmPage {
                title: format!("Cancel item {id}?"),
                sentence: format!("{} will not be worked on any more.", detail.item.name),
                consequences: vec![
                    "If it is being worked on, it stops at its next safe point.".into(),
                    "What was received stays where it is.".into(),
                    "A cancelled item cannot be brought back; a new one can take its bag again."
                        .into(),
                ],
                action: format!("/items/{id}/cancel"),
                hidden: Vec::new(),
                button: "Cancel the item".into(),
                back: Link::new(back, "Keep it"),
            };
            Ok(answer(&shell, confirm_page(&shell, &page)))
        })
        .await
}

pub(super) async fn cancel(visit: Visit, Path(id): Path<String>) -> Result<Response, Refusal> {
    let id = number(&id)?;
    visit
        .aside(move |visit| {
            let detail = visit.desk().cancel(id)?;
            let sentence = match detail.item.state.as_str() {
                "leased" => format!("Item {id} is cancelled at its next safe point."),
                "cancelled" => format!("Item {id} is cancelled."),
                _ => format!("Item {id} is cancelled; it is being cleaned up."),
            };
            Ok(see(&format!("/items/{id}"), &sentence))
        })
        .await
}

pub(super) async fn remove_deposit(
    visit: Visit,
    Path(id): Path<String>,
) -> Result<Response, Refusal> {
    let id = number(&id)?;
    visit
        .aside(move |visit| {
            let name = visit.desk().remove_deposit(id)?.item.name;
            Ok(see(&format!("/items/{id}"), &format!("{name} was removed; the item ends.")))
        })
        .await
}

pub(super) async fn take_again(visit: Visit, Path(id): Path<String>) -> Result<Response, Refusal> {
    let id = number(&id)?;
    visit
        .aside(move |visit| {
            let item = visit.desk().take_deposit_again(id)?.item;
            let sentence = format!("{} is taken again; this page follows it.", item.name);
            Ok(see(&format!("/items/{}", item.id), &sentence))
        })
        .await
}

fn number(text: &str) -> Result<u64, Refusal> {
    text.parse().map_err(|_| {
        let shown: String = text.chars().take(40).collect();
        let sentence = format!("There is no item {shown:?}: items have numbers.");
        Refusal::new(StatusCode::NOT_FOUND, "no-such-item", sentence)
    })
}
