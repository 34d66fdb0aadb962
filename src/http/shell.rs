//! The frame of every page: what everyone should know, and what came of the last action.

use axum::http::HeaderMap;
use axum::response::{Html, IntoResponse, Response};
use maud::Markup;
use web::{Here, Notice, Shell, Tone};

use super::flash;
use crate::app::App;

/// The frame for a page of this application.
pub(super) fn shell(app: &App, title: impl Into<String>, here: Here, headers: &HeaderMap) -> Shell {
    Shell {
        title: title.into(),
        here,
        version: env!("CARGO_PKG_VERSION").into(),
        notices: notices(app),
        flash: flash::read(headers),
        now: app.shop.clock.now().to_string(),
    }
}

fn notices(app: &App) -> Vec<Notice> {
    let mut notices = Vec::new();
    if !app.shop.room.is_open() {
        notices.push(Notice::new(
            Tone::Bad,
            "The disk of the data directory is almost full: no new work is taken. Nothing is \
             lost; make room and work goes on by itself.",
        ));
    }
    if app.shop.queue.store().is_ailing() {
        notices.push(Notice::new(
            Tone::Bad,
            "The work state cannot be written at the moment: no work is taken. Everything \
             confirmed so far is kept; it is tried again every few seconds.",
        ));
    }
    if let Some((folder, _)) = &app.set_aside {
        notices.push(Notice::new(
            Tone::Warn,
            format!(
                "The work state was damaged and is kept aside in {}. A new one was begun; the \
                 sweeps find the work again.",
                folder.display()
            ),
        ));
    }
    if app.config.http.open_to_network {
        notices.push(Notice::new(
            Tone::Warn,
            "This appliance is open to the network and has no sign-in yet: everyone who reaches \
             it can do everything.",
        ));
    }
    notices
}

/// A rendered page as an answer; a flash that was shown is taken back.
pub(super) fn answer(shell: &Shell, page: Markup) -> Response {
    let response = Html(page.into_string()).into_response();
    if shell.flash.is_some() { flash::clear(response) } else { response }
}
