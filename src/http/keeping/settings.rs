//! The settings over HTTP.

use axum::http::HeaderMap;
use axum::response::Response;
use web::{Here, SettingRow, SettingsPage, SettingsSection, settings_page};

use crate::desk::{Setting, Settings};
use crate::http::Visit;
use crate::http::api::{Answer, ask};
use crate::http::refusal::Refusal;
use crate::http::shell::{answer, shell};

pub(super) async fn page(visit: Visit, headers: HeaderMap) -> Result<Response, Refusal> {
    visit
        .aside(move |visit| {
            let shell = shell(visit, "Settings", Here::Settings, &headers);
            Ok(answer(&shell, settings_page(&shell, &value(visit.desk().settings()))))
        })
        .await
}

pub(super) async fn told(visit: Visit) -> Answer<Settings> {
    ask(&visit, |desk| Ok(desk.settings())).await
}

fn value(told: Settings) -> SettingsPage {
    let mut sections: Vec<SettingsSection> = Vec::new();
    for setting in told.settings {
        let (name, key) = setting.key.rsplit_once('.').unwrap_or(("", &setting.key));
        if sections.last().is_none_or(|section| section.name != name) {
            sections.push(SettingsSection { name: name.to_owned(), rows: Vec::new() });
        }
        let row = row(key, &setting);
        if let Some(section) = sections.last_mut() {
            section.rows.push(row);
        }
    }
    SettingsPage { file: told.file, data: told.data, sections }
}

fn row(key: &str, setting: &Setting) -> SettingRow {
    let name = setting.origin_name.as_deref().unwrap_or_default();
    let from = match (setting.origin.as_str(), setting.line) {
        ("file", Some(line)) => format!("file, line {line}"),
        ("file", None) => "file".to_owned(),
        ("environment", _) => format!("environment, {name}"),
        ("flag", _) => format!("command line, {name}"),
        (_, _) => "default".to_owned(),
    };
    SettingRow {
        key: key.to_owned(),
        value: setting.value.clone(),
        from,
        is_set: setting.origin != "default",
        about: setting.about.clone(),
        allowed: setting.allowed.clone(),
        also: setting.env.iter().chain(&setting.flag).cloned().collect(),
    }
}
