//! The pages of users.

use axum::extract::{Form, Path, Query};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use storage::registry::Role;
use web::{
    Badge, Fact, FactValue, Here, Link, NewUserPage, Pager, Tone, UserFilter, UserForm, UserLine,
    UserPage, UsersPage, new_user_page, user_page, users_page,
};

use super::{cut, institutions, role_label, roles, to_mend};
use crate::desk::{Invitation, UserDetail, UserEdit, UserWish};
use crate::http::Visit;
use crate::http::asked::{Leaf, Pairs, export_href, find};
use crate::http::flash::see;
use crate::http::refusal::{Refusal, sentence};
use crate::http::shell::{answer, shell};

/// Rows of a page unless asked otherwise.
const PER_PAGE: u64 = 25;
const COUNTED: u64 = 100_001;

#[derive(Clone, Default, Deserialize)]
pub(super) struct Given {
    name: String,
    email: String,
    #[serde(default)]
    phone_number: String,
    role: String,
    #[serde(default)]
    institution: String,
}

impl Given {
    /// The role that was chosen; a form of ours sends no other word.
    fn role(&self) -> Result<Role, Refusal> {
        let known = Role::ALL.into_iter().find(|role| role.name() == self.role);
        known.ok_or_else(|| {
            let words = Role::ALL.map(Role::name).join(", ");
            let sentence = format!("The role is not understood; it is one of {words}.");
            Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, "bad-field", sentence)
        })
    }

    fn form(&self, visit: &Visit) -> UserForm {
        UserForm {
            name: cut(&self.name),
            email: cut(&self.email),
            phone_number: cut(&self.phone_number),
            role: self.role.clone(),
            roles: roles(visit),
        }
    }
}

pub(super) async fn list(
    visit: Visit,
    Query(pairs): Query<Pairs>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    visit
        .aside(move |visit| {
            let page = list_value(visit, pairs)?;
            let shell = shell(visit, "Users", Here::Users, &headers);
            Ok(answer(&shell, users_page(&shell, &page)))
        })
        .await
}

fn list_value(visit: &Visit, mut pairs: Pairs) -> Result<UsersPage, Refusal> {
    let of = |name: &str| find(&pairs, name).unwrap_or_default().to_owned();
    let filter = UserFilter {
        name: of("name__contains"),
        email: of("email__contains"),
        role: of("role"),
        institution_id: of("institution_id"),
        active: of("deactivated_at__is_null"),
    };
    let leaf = Leaf::of(&mut pairs, PER_PAGE, COUNTED)?;
    let list = visit.desk().users(&pairs)?;
    let mut rows = Vec::new();
    for user in &list.users {
        let institution = visit.registry.institution(user.institution_id)?;
        let state = match (user.deactivated_at, user.role) {
            (Some(_), _) => Badge::new("Shut out", Tone::Warn),
            (None, Role::None) => Badge::new("No role", Tone::Calm),
            (None, _) => Badge::new("May come in", Tone::Good),
        };
        rows.push(UserLine {
            id: user.id,
            name: user.name.clone(),
            email: user.email.clone(),
            role: role_label(user.role).into(),
            institution: institution.map(|it| it.identifier).unwrap_or_default(),
            state,
        });
    }
    let choices = institutions(visit, |it| it.id.to_string())?;
    let waiting = visit.desk().users_waiting()?.into_iter();
    Ok(UsersPage {
        filter,
        roles: roles(visit),
        institutions: if choices.len() > 1 { choices } else { Vec::new() },
        waiting: waiting.map(|it| Link::new(format!("/users/{}", it.id), it.email)).collect(),
        pager: Pager {
            export: export_href("users", &pairs),
            ..leaf.pager(rows.len(), (list.count, list.count_is_exact))
        },
        rows,
    })
}

pub(super) async fn one(
    visit: Visit,
    Path(which): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    shown(&visit, which, (None, None, None), headers).await
}

/// The page of a user, with what was typed, a link that was just made, or what was wrong.
async fn shown(
    visit: &Visit,
    which: String,
    (typed, link, problem): (Option<Given>, Option<String>, Option<String>),
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    visit
        .aside(move |visit| {
            let mut page = one_value(visit, &visit.desk().user(&which)?);
            if let (Some(form), Some(typed)) = (&mut page.form, typed) {
                *form = typed.form(visit);
            }
            let page = UserPage { link, problem, ..page };
            let shell = shell(visit, page.name.clone(), Here::Users, &headers);
            Ok(answer(&shell, user_page(&shell, &page)))
        })
        .await
}

fn one_value(visit: &Visit, detail: &UserDetail) -> UserPage {
    let user = &detail.user;
    let (state, tone) = match (user.deactivated_at, detail.is_active) {
        (Some(_), _) => ("Shut out", Tone::Warn),
        (None, false) => ("Shut out with the institution, or without a role", Tone::Warn),
        (None, true) => ("May come in", Tone::Good),
    };
    let yes = |is: bool| if is { "Yes" } else { "No" };
    let factor = match (detail.has_second_factor, detail.owes_second_factor) {
        (true, _) => "Yes",
        (false, true) => "No, and must have one",
        (false, false) => "No",
    };
    let mut facts = vec![
        Fact::new("E-mail", FactValue::Code(user.email.clone())),
        Fact::text("Role", role_label(user.role)),
        Fact::text("Institution", detail.institution.clone()),
        Fact::text("Has set a password", yes(detail.has_password)),
        Fact::text("Second factor", factor),
        Fact::new("Added", FactValue::Time(user.created_at.to_string())),
    ];
    let mut since = |name: &str, at: Option<storage::clock::Timestamp>| {
        facts.extend(at.map(|at| Fact::new(name, FactValue::Time(at.to_string()))));
    };
    since("Shut out since", user.deactivated_at);
    since("Locked until", detail.locked_until);
    since("Waits for a link since", detail.waits_for_link_since);
    let form = visit.desk().may_keep(user).then(|| UserForm {
        name: user.name.clone(),
        email: user.email.clone(),
        phone_number: user.phone_number.clone().unwrap_or_default(),
        role: user.role.name().into(),
        roles: roles(visit),
    });
    UserPage {
        id: user.id,
        name: user.name.clone(),
        state: Badge::new(state, tone),
        facts,
        form,
        is_let_in: user.deactivated_at.is_none(),
        has_factor: detail.has_second_factor,
        link: None,
        problem: None,
    }
}

pub(super) async fn form(visit: Visit, headers: HeaderMap) -> Result<Response, Refusal> {
    let given = Given { role: Role::InstitutionalUser.name().into(), ..Given::default() };
    form_shown(&visit, (given, None), headers).await
}

async fn form_shown(
    visit: &Visit,
    (given, problem): (Given, Option<String>),
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    visit
        .aside(move |visit| {
            let page = NewUserPage {
                form: given.form(visit),
                institution: given.institution,
                institutions: institutions(visit, |it| it.identifier.clone())?,
                problem,
            };
            let shell = shell(visit, "Add a user", Here::Users, &headers);
            Ok(answer(&shell, new_user_page(&shell, &page)))
        })
        .await
}

pub(super) async fn add(
    visit: Visit,
    headers: HeaderMap,
    Form(given): Form<Given>,
) -> Result<Response, Refusal> {
    let wish = UserWish {
        name: given.name.clone(),
        email: given.email.clone(),
        phone_number: Some(given.phone_number.clone()),
        role: given.role()?,
        institution: given.institution.clone(),
    };
    match visit.aside(move |visit| Ok(visit.desk().add_user(&wish))).await? {
        Ok(invitation) => invited(&visit, invitation, headers).await,
        Err(error) if to_mend(&error) => {
            let form = form_shown(&visit, (given, Some(sentence(&error))), headers).await?;
            Ok((StatusCode::UNPROCESSABLE_ENTITY, form).into_response())
        }
        Err(error) => Err(error.into()),
    }
}

/// The user's page with the link, or the news that it was mailed. Not by a redirect: what is shown
/// once stands in no cookie and no address.
async fn invited(
    visit: &Visit,
    invitation: Invitation,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let which = invitation.user.id.to_string();
    match invitation.path {
        Some(path) => {
            let link = visit.site.app.config.http.public_url.as_deref().map_or_else(
                || path.clone(),
                |site| format!("{}{path}", site.trim_end_matches('/')),
            );
            shown(visit, which, (None, Some(link), None), headers).await
        }
        None => {
            let said = match invitation.mailed {
                true => format!("A link was mailed to {}.", invitation.user.email),
                false => "Done. There is no link: a user without a role may not come in.".into(),
            };
            Ok(see(&format!("/users/{which}"), &said))
        }
    }
}

pub(super) async fn edit(
    visit: Visit,
    Path(which): Path<String>,
    headers: HeaderMap,
    Form(given): Form<Given>,
) -> Result<Response, Refusal> {
    let edit = UserEdit {
        name: Some(given.name.clone()),
        email: Some(given.email.clone()),
        phone_number: Some(given.phone_number.clone()),
        role: Some(given.role()?),
    };
    let whom = which.clone();
    match visit.aside(move |visit| Ok(visit.desk().edit_user(&whom, &edit))).await? {
        Ok(detail) => Ok(see(&format!("/users/{}", detail.user.id), "Changed.")),
        Err(error) if to_mend(&error) => {
            let told = (Some(given), None, Some(sentence(&error)));
            let page = shown(&visit, which, told, headers).await?;
            Ok((StatusCode::UNPROCESSABLE_ENTITY, page).into_response())
        }
        Err(error) => Err(error.into()),
    }
}

pub(super) async fn reset(
    visit: Visit,
    Path(which): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let invitation = visit.aside(move |visit| Ok(visit.desk().reset_user(&which)?)).await?;
    invited(&visit, invitation, headers).await
}

pub(super) async fn reset_factor(
    visit: Visit,
    Path(which): Path<String>,
) -> Result<Response, Refusal> {
    visit
        .aside(move |visit| {
            let user = visit.desk().reset_factor(&which)?.user;
            let said = format!("{} has no second factor any more.", user.name);
            Ok(see(&format!("/users/{}", user.id), &said))
        })
        .await
}

pub(super) async fn admit(
    visit: Visit,
    Path(which): Path<String>,
    is_active: bool,
) -> Result<Response, Refusal> {
    visit
        .aside(move |visit| {
            let user = visit.desk().admit_user(&which, is_active)?.user;
            let said = if is_active { "is let in again" } else { "is shut out" };
            Ok(see(&format!("/users/{}", user.id), &format!("{} {said}.", user.name)))
        })
        .await
}
