//! What those see who look after the house.

use web::*;

use super::badge;

pub(crate) fn own() -> OwnOverview {
    OwnOverview {
        held: vec![HeldLine {
            option: "Standard".into(),
            object_count: 148,
            file_count: 1_204_118,
            size: 96_400_000_000,
        }],
        items: Some(vec![LastItem {
            id: 4211,
            name: "parish-registers-1790.tar".into(),
            action: "Ingest".into(),
            status: badge("Started", Tone::Busy),
            changed: "2026-11-16T07:14:02.000Z".into(),
        }]),
        unread: 3,
        deletions: vec![WaitingDeletion {
            id: 3,
            by: "Bob Binder".into(),
            reason: "Deposited twice.".into(),
        }],
        under_way: 2,
        may_deposit: true,
    }
}

pub(crate) fn settings() -> SettingsPage {
    let row = |key: &str, value: Option<&str>, from: &str| SettingRow {
        key: key.into(),
        value: value.map(str::to_owned),
        from: from.into(),
        is_set: from != "default",
        about: "Where the pages and the API are served.".into(),
        allowed: "an address and a port".into(),
        also: vec!["STRONGROOM_LISTEN".into(), "--listen".into()],
    };
    let section = |name: &str, rows| SettingsSection { name: name.into(), rows };
    SettingsPage {
        file: Some("/srv/strongroom/strongroom.toml".into()),
        data: "/srv/strongroom".into(),
        sections: vec![
            section("", vec![row("data", Some("\"/srv/strongroom\""), "command line, --data")]),
            section(
                "http",
                vec![
                    row("listen", Some("\"127.0.0.1:8600\""), "file, line 3"),
                    row("public_url", None, "default"),
                ],
            ),
        ],
    }
}

pub(crate) fn storage() -> StoragePage {
    let replica = |name: &str, state, why: Option<&str>| ReplicaPanel {
        name: name.into(),
        place: "main building".into(),
        class: "hot".into(),
        state,
        since: why.map(|_| "2026-11-16T05:00:00.000Z".into()),
        why: why.map(str::to_owned),
        url: format!("/srv/vaults/{name}"),
        object_count: 148,
        copy_count: 1_204_118,
        size: 96_400_000_000,
        room: Some((1_840_000_000_000, 3_999_000_000_000)),
        set_aside: Some(12_400_000),
        retention_days: 0,
        priority: 1,
        check_days: 90,
        waiting: 2,
        ..ReplicaPanel::default()
    };
    StoragePage {
        standings: Vec::new(),
        replicas: vec![
            replica("a", badge("There", Tone::Good), None),
            replica("b", badge("Away", Tone::Bad), Some("its marker is missing")),
        ],
        options: vec![OptionLine {
            name: "Standard".into(),
            replicas: vec!["a".into(), "b".into()],
            retention_days: 0,
            warnings: vec!["Replicas a and b lie on one disk, and one disk is one place.".into()],
        }],
        exposed: Vec::new(),
    }
}

/// As everybody else sees it.
pub(crate) fn standings() -> StoragePage {
    StoragePage { standings: super::replicas(), ..StoragePage::default() }
}

pub(crate) fn schedules() -> SchedulesPage {
    let row = |name: &str, last: Option<&str>, outcome, note: &str| ScheduleLine {
        name: name.into(),
        label: name.replace('_', " "),
        about: "Finds copies that were not read for longest.".into(),
        every_seconds: 1800.0,
        last_run: last.map(str::to_owned),
        outcome,
        note: note.into(),
        next_run: last.map(|_| "2026-11-16T07:30:00.000Z".into()),
    };
    let ran = Some("2026-11-16T07:00:00.000Z");
    SchedulesPage {
        rows: vec![
            row("fixity_due", ran, Some(badge("Well", Tone::Good)), "made 12 items"),
            row("receiving", ran, Some(badge("Failed", Tone::Warn)), "failed: the disk is away"),
            row("upkeep_due", None, None, ""),
        ],
    }
}

pub(crate) fn open() -> MaintenancePage {
    let sentence = "The archive is closed for maintenance.".into();
    MaintenancePage { sentence, longest: 500, ..MaintenancePage::default() }
}

pub(crate) fn closed() -> MaintenancePage {
    MaintenancePage {
        since: Some("2026-11-16T07:00:00.000Z".into()),
        by: "keeper@archive.example".into(),
        problem: Some("The sentence for people is longer than 500 characters.".into()),
        ..open()
    }
}

pub(crate) fn saved() -> SavedFilters {
    SavedFilters {
        page: "/items".into(),
        query: "status=Failed".into(),
        rows: vec![SavedLine { id: 7, link: Link::new("/items?status=Failed", "What failed") }],
        longest: 80,
    }
}
