//! Saying no: a status, a stable code, a sentence, and what to do next. As a page for people, as
//! problem JSON for programs.

use axum::Extension;
use axum::extract::Request;
use axum::http::{HeaderValue, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{Html, IntoResponse, Response};
use byteio::causes::chain;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use web::{Link, ProblemPage, Shell, problem_page};

use super::framed::Unframed;

/// A request that was not fulfilled. Nothing was changed.
#[derive(Debug)]
pub struct Refusal {
    status: StatusCode,
    code: &'static str,
    sentence: String,
    next: String,
    form: Form,
    wait_s: Option<u64>,
    allowed: Option<String>,
}

/// For whom it is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// A person.
    Page,
    /// A program: problem JSON.
    Problem,
    /// A client of the described registry, by what stands before its handlers.
    Door,
    /// A client of the described registry, by a handler.
    Described,
}

/// The media type of a problem.
pub(super) const PROBLEM: &str = "application/problem+json";

/// What a program gets in place of an answer (RFC 9457). Nothing was changed.
#[derive(Serialize, JsonSchema)]
pub(super) struct Problem {
    /// The code as an address; it leads nowhere.
    #[serde(rename = "type")]
    kind: String,
    /// What happened, in a word or two.
    title: String,
    /// The status, as in the answer's head.
    status: u16,
    /// Stable, kebab-case.
    code: String,
    /// What happened, in a sentence.
    detail: String,
    /// What to do next; may be empty.
    next: String,
}

impl Refusal {
    /// A refusal.
    pub fn new(status: StatusCode, code: &'static str, sentence: impl Into<String>) -> Refusal {
        let sentence = sentence.into();
        let (next, form) = (String::new(), Form::Page);
        Refusal { status, code, sentence, next, form, wait_s: None, allowed: None }
    }

    /// With what to do next.
    pub fn next(self, next: impl Into<String>) -> Refusal {
        Refusal { next: next.into(), ..self }
    }

    /// With how long to wait before another try.
    pub(super) fn retry_after(self, seconds: u64) -> Refusal {
        Refusal { wait_s: Some(seconds), ..self }
    }

    /// With the methods that the address takes.
    pub(super) fn allowing(self, methods: impl Into<String>) -> Refusal {
        Refusal { allowed: Some(methods.into()), ..self }
    }

    /// For a program.
    pub fn as_json(self) -> Refusal {
        Refusal { form: Form::Problem, ..self }
    }

    /// For a client of the described registry, whose table of answers has no 422.
    pub(super) fn described(self) -> Refusal {
        let status = match self.status {
            StatusCode::UNPROCESSABLE_ENTITY => StatusCode::BAD_REQUEST,
            other => other,
        };
        Refusal { status, form: Form::Described, ..self }
    }

    pub(super) fn no_such_page(uri: &Uri) -> Refusal {
        let sentence = format!("There is nothing at {}.", shown(uri));
        let refusal = Refusal::new(StatusCode::NOT_FOUND, "not-found", sentence);
        refusal.next("Go to the overview and start from there.").for_path(uri)
    }

    pub(super) fn wrong_method(uri: &Uri) -> Refusal {
        let sentence = format!("{} cannot be used in this way.", shown(uri));
        Refusal::new(StatusCode::METHOD_NOT_ALLOWED, "wrong-method", sentence).for_path(uri)
    }

    pub(super) fn mistake() -> Refusal {
        let sentence = "The program made a mistake; it is in the log.";
        Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, "mistake", sentence)
            .next("Try again. If it comes back, report it with the log.")
    }

    /// Our stores failed: said to the person, and logged because someone must look.
    pub(super) fn failed(error: &(dyn std::error::Error + 'static)) -> Refusal {
        let text = chain(error);
        tracing::error!(error = text, "a request failed");
        Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "store-failed", sentence(error))
            .next("Look at the overview and the log; try again when the cause is gone.")
    }

    /// Whether it says that there is no such thing.
    pub(super) fn is_missing(&self) -> bool {
        self.status == StatusCode::NOT_FOUND
    }

    /// Whether the wish itself is at fault, so that the form can be shown again.
    pub(super) fn is_about_wish(&self) -> bool {
        [StatusCode::CONFLICT, StatusCode::UNPROCESSABLE_ENTITY].contains(&self.status)
    }

    /// Whether what was given to prove who somebody is was wrong, so that the form can be shown again.
    pub(super) fn is_unproved(&self) -> bool {
        self.code == "not-confirmed"
    }

    /// Its status and sentence, for a form that is shown again.
    pub(super) fn said(&self) -> (StatusCode, String) {
        (self.status, self.sentence.clone())
    }

    /// As a page for people, or for a program, by its address.
    pub(super) fn for_path(self, uri: &Uri) -> Refusal {
        let form = match (super::v3::is_here(uri), super::entrance::is_for_programs(uri)) {
            (true, _) => Form::Door,
            (false, true) => Form::Problem,
            (false, false) => self.form,
        };
        Refusal { form, ..self }
    }

    fn title(&self) -> &'static str {
        match self.status {
            StatusCode::NOT_FOUND => "Not found",
            StatusCode::BAD_REQUEST => "Not understood",
            StatusCode::UNAUTHORIZED => "Not signed in",
            StatusCode::FORBIDDEN => "Not allowed",
            StatusCode::CONFLICT => "Not possible now",
            StatusCode::TOO_MANY_REQUESTS => "Too often",
            StatusCode::SERVICE_UNAVAILABLE => "Not available",
            _ if self.status.is_client_error() => "Not possible",
            _ => "Something went wrong",
        }
    }
}

/// Says what the framework refuses by itself (a body too large, an address that is no text) in our
/// own form.
pub(super) async fn reword(request: Request, next: Next) -> Response {
    let uri = request.uri().clone();
    let response = next.run(request).await;
    let kind = response.headers().get(header::CONTENT_TYPE);
    let bare = kind.is_none_or(|kind| kind.as_bytes().starts_with(b"text/plain"));
    let status = response.status();
    if !status.is_client_error() || !bare {
        return response;
    }
    let (code, sentence) = match status {
        StatusCode::PAYLOAD_TOO_LARGE => ("too-large", "The request is larger than is taken here."),
        StatusCode::UNSUPPORTED_MEDIA_TYPE => ("not-a-form", "The request is not sent as a form."),
        StatusCode::UNPROCESSABLE_ENTITY => ("bad-form", "A field of the form is missing."),
        _ => ("not-understood", "The request is not understood."),
    };
    Refusal::new(status, code, sentence).for_path(&uri).into_response()
}

/// The path, cut: an address can be long, and a page is not for it.
fn shown(uri: &Uri) -> String {
    uri.path().chars().take(100).collect()
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let wait = self.wait_s.map(|seconds| [(header::RETRY_AFTER, HeaderValue::from(seconds))]);
        let allowed = self.allowed.clone().map(|methods| [(header::ALLOW, methods)]);
        (wait, allowed, self.into_told()).into_response()
    }
}

impl Refusal {
    fn into_told(self) -> Response {
        let described = [self.sentence.as_str(), &self.next].join(" ");
        let json = match self.form {
            Form::Page => None,
            Form::Door => Some(json!({ "error": described.trim_end() })),
            Form::Described => {
                let status = self.status.as_u16();
                Some(json!({ "StatusCode": status, "Error": described.trim_end() }))
            }
            Form::Problem => Some(json!(Problem {
                kind: format!("about:blank#{}", self.code),
                title: self.title().into(),
                status: self.status.as_u16(),
                code: self.code.into(),
                detail: self.sentence.clone(),
                next: self.next.clone(),
            })),
        };
        if let Some(body) = json {
            let kind = match self.form {
                Form::Problem => PROBLEM,
                Form::Page | Form::Door | Form::Described => "application/json",
            };
            let kind = [(header::CONTENT_TYPE, kind)];
            return (self.status, kind, body.to_string() + "\n").into_response();
        }
        let shell = Shell {
            title: self.title().into(),
            version: env!("CARGO_PKG_VERSION").into(),
            ..Shell::default()
        };
        let page = ProblemPage {
            status: self.status.as_u16(),
            title: self.title().into(),
            sentence: self.sentence,
            kept: "Nothing was changed.".into(),
            next: self.next,
            back: Link::new("/", "Overview"),
        };
        let html = Html(problem_page(&shell, &page).into_string());
        (self.status, Extension(Unframed(page)), html).into_response()
    }
}

pub(super) fn sentence(error: &(dyn std::error::Error + 'static)) -> String {
    let text = error.to_string();
    let mut letters = text.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", letters.as_str().trim_end_matches('.'))
}
