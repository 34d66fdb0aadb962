//! The pages of institutions.

use axum::extract::{Form, Path, Query};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use storage::registry::{Institution, InstitutionKind, Standing};
use web::{
    Badge, Choice, Fact, FactValue, Here, InstitutionLine, InstitutionPage, InstitutionsPage, Link,
    NewInstitutionPage, Pager, Tone, institution_page, institutions_page, new_institution_page,
};

use super::{cut, to_mend};
use crate::desk::{InstitutionDetail, InstitutionEdit, InstitutionWish};
use crate::http::Visit;
use crate::http::asked::{Leaf, Pairs, export_href, find};
use crate::http::flash::see;
use crate::http::refusal::{Refusal, sentence};
use crate::http::shell::{answer, shell};
use crate::rights::Right;

/// Rows of a page unless asked otherwise.
const PER_PAGE: u64 = 25;
const COUNTED: u64 = 100_001;

/// What may be sent, and nothing else: what an institution is, is not changed by a form.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Given {
    name: Option<String>,
    spot_restore_frequency: i64,
    #[serde(default)]
    otp_enabled: bool,
}

#[derive(Clone, Default, Deserialize)]
pub(super) struct New {
    name: String,
    identifier: String,
    #[serde(default)]
    member: String,
}

pub(super) async fn list(
    visit: Visit,
    Query(mut pairs): Query<Pairs>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    visit
        .aside(move |visit| {
            let name = find(&pairs, "name__contains").unwrap_or_default().to_owned();
            let leaf = Leaf::of(&mut pairs, PER_PAGE, COUNTED)?;
            let list = visit.desk().institutions(&pairs)?;
            let mut rows = Vec::new();
            for it in &list.institutions {
                rows.push(InstitutionLine {
                    id: it.id,
                    name: it.name.clone(),
                    identifier: it.identifier.clone(),
                    kind: kind(visit, it)?,
                    state: state(it),
                });
            }
            let pager = Pager {
                export: export_href("institutions", &pairs),
                ..leaf.pager(rows.len(), (list.count, list.count_is_exact))
            };
            let may_add = visit.may(Right::KeepInstitutions);
            let page = InstitutionsPage { name, rows, pager, may_add };
            let shell = shell(visit, "Institutions", Here::Institutions, &headers);
            Ok(answer(&shell, institutions_page(&shell, &page)))
        })
        .await
}

fn state(it: &Institution) -> Badge {
    match it.state {
        Standing::Active => Badge::new("Takes part", Tone::Good),
        Standing::Deactivated => Badge::new("Shut out", Tone::Warn),
    }
}

fn kind(visit: &Visit, it: &Institution) -> Result<String, Refusal> {
    let member = match it.member_institution_id {
        Some(member) => visit.registry.institution(member)?,
        None => None,
    };
    Ok(match (it.kind, member) {
        (InstitutionKind::Subscription, Some(member)) => format!("Account of {}", member.name),
        (InstitutionKind::Subscription, None) => "Account".into(),
        (InstitutionKind::Member, _) => "Member".into(),
    })
}

pub(super) async fn one(
    visit: Visit,
    Path(which): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    shown(&visit, which, None, headers).await
}

async fn shown(
    visit: &Visit,
    which: String,
    problem: Option<String>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    visit
        .aside(move |visit| {
            let page = value(visit, &visit.desk().institution(&which)?)?;
            let page = InstitutionPage { problem, ..page };
            let shell = shell(visit, page.name.clone(), Here::Institutions, &headers);
            Ok(answer(&shell, institution_page(&shell, &page)))
        })
        .await
}

fn value(visit: &Visit, detail: &InstitutionDetail) -> Result<InstitutionPage, Refusal> {
    let it = &detail.institution;
    let mut facts = vec![
        Fact::new("Identifier", FactValue::Code(it.identifier.clone())),
        Fact::text("Kind", kind(visit, it)?),
        Fact::new("Users who may sign in", FactValue::Count(detail.user_count)),
        Fact::new("Receives in", FactValue::Code(it.receiving_bucket.clone())),
        Fact::new("Restored things lie in", FactValue::Code(it.restore_bucket.clone())),
        Fact::new("Added", FactValue::Time(it.created_at.to_string())),
    ];
    let since = it.deactivated_at.map(|at| FactValue::Time(at.to_string()));
    facts.extend(since.map(|since| Fact::new("Shut out since", since)));
    let link = |it: &Institution| Link::new(format!("/institutions/{}", it.id), it.name.clone());
    Ok(InstitutionPage {
        id: it.id,
        name: it.name.clone(),
        state: state(it),
        facts,
        accounts: detail.accounts.iter().map(link).collect(),
        spot_restore_days: it.spot_restore_frequency,
        asks_second_factor: it.otp_enabled,
        may_choose: visit.may(Right::KeepInstitution),
        may_keep: visit.may(Right::KeepInstitutions),
        is_active: it.state == Standing::Active,
        problem: None,
    })
}

pub(super) async fn edit(
    visit: Visit,
    Path(which): Path<String>,
    headers: HeaderMap,
    Form(given): Form<Given>,
) -> Result<Response, Refusal> {
    let edit = InstitutionEdit {
        name: given.name,
        spot_restore_frequency: Some(given.spot_restore_frequency),
        otp_enabled: Some(given.otp_enabled),
    };
    let whom = which.clone();
    match visit.aside(move |visit| Ok(visit.desk().edit_institution(&whom, &edit))).await? {
        Ok(detail) => Ok(see(&format!("/institutions/{}", detail.institution.id), "Changed.")),
        Err(error) if to_mend(&error) => {
            let page = shown(&visit, which, Some(sentence(&error)), headers).await?;
            Ok((StatusCode::UNPROCESSABLE_ENTITY, page).into_response())
        }
        Err(error) => Err(error.into()),
    }
}

pub(super) async fn form(visit: Visit, headers: HeaderMap) -> Result<Response, Refusal> {
    form_shown(&visit, (New::default(), None), headers).await
}

async fn form_shown(
    visit: &Visit,
    (given, problem): (New, Option<String>),
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    visit
        .aside(move |visit| {
            let members = [
                ("type".to_owned(), "MemberInstitution".to_owned()),
                ("per_page".to_owned(), "1000".to_owned()),
            ];
            let members = visit.desk().institutions(&members)?.institutions;
            let choice = |it: &Institution| Choice::new(it.identifier.clone(), it.name.clone());
            let page = NewInstitutionPage {
                name: cut(&given.name),
                identifier: cut(&given.identifier),
                member: given.member,
                members: members.iter().map(choice).collect(),
                problem,
            };
            let shell = shell(visit, "Add an institution", Here::Institutions, &headers);
            Ok(answer(&shell, new_institution_page(&shell, &page)))
        })
        .await
}

pub(super) async fn add(
    visit: Visit,
    headers: HeaderMap,
    Form(given): Form<New>,
) -> Result<Response, Refusal> {
    let member = Some(given.member.clone()).filter(|member| !member.is_empty());
    let (name, identifier) = (given.name.clone(), given.identifier.clone());
    let wish = InstitutionWish { name, identifier, member };
    match visit.aside(move |visit| Ok(visit.desk().add_institution(&wish))).await? {
        Ok(detail) => Ok(see(&format!("/institutions/{}", detail.institution.id), "Added.")),
        Err(error) if to_mend(&error) => {
            let form = form_shown(&visit, (given, Some(sentence(&error))), headers).await?;
            Ok((StatusCode::UNPROCESSABLE_ENTITY, form).into_response())
        }
        Err(error) => Err(error.into()),
    }
}

pub(super) async fn admit(
    visit: Visit,
    Path(which): Path<String>,
    is_active: bool,
) -> Result<Response, Refusal> {
    visit
        .aside(move |visit| {
            let it = visit.desk().admit_institution(&which, is_active)?.institution;
            let said = if is_active { "is let in again" } else { "is shut out" };
            Ok(see(&format!("/institutions/{}", it.id), &format!("{} {said}.", it.name)))
        })
        .await
}
