//! Reports, and what people declare.

use serde_json::{Value, json};
use storage::registry::Declaration;

use crate::desk::{DeclarationWish, ReportKind};
use crate::http::contract::operation::{Operation, get, one_of, post};
use crate::http::listed::CSV;
use crate::ndsa::Scorecard;
use crate::reports::{DepositReport, FormatReport, GrowthReport, Metric, StorageReport};

pub(super) fn operations() -> Vec<Operation> {
    use ReportKind::{Deposits, Growth};
    vec![
        asks_report(get("/reports/deposits", "Deposits by institution and option."), Deposits)
            .gives::<DepositReport>(),
        asks_report(get("/reports/deposits.csv", "The same as a table."), Deposits).sends(&[CSV]),
        asks_report(get("/reports/growth", "Deposits over time."), Growth).gives::<GrowthReport>(),
        asks_report(get("/reports/growth.csv", "The same as a table."), Growth).sends(&[CSV]),
        get("/reports/formats", "Files by format.").gives::<FormatReport>(),
        get("/reports/formats.csv", "The same as a table.").sends(&[CSV]),
        get("/reports/storage", "What is held by replica.").gives::<StorageReport>(),
        get("/reports/storage.csv", "The same as a table.").sends(&[CSV]),
        get("/reports/ndsa", "The NDSA Levels that this house reaches.").gives::<Scorecard>(),
        get("/reports/ndsa.csv", "The same as a table.").sends(&[CSV]),
        get("/reports/ndsa.txt", "The same as a text.").sends(&["text/plain; charset=utf-8"]),
        get("/reports/ndsa/declarations", "What people have declared.").gives::<Vec<Declaration>>(),
        post("/reports/ndsa/declarations", "Declares what a program cannot know.")
            .takes::<DeclarationWish>()
            .gives::<Declaration>()
            .with_status(201),
        post("/reports/ndsa/declarations/{id}/withdraw", "Takes a declaration back.")
            .gives::<Declaration>(),
    ]
}

/// With what the report can be asked; an empty value asks for nothing.
fn asks_report(operation: Operation, kind: ReportKind) -> Operation {
    let words: Vec<&str> = Metric::ALL.iter().map(|it| it.name()).chain([""]).collect();
    let operation = operation.refuses(&[404]);
    kind.fields().iter().fold(operation, |operation, name| match *name {
        "metric" => operation.asks(name, one_of(&words), "What is counted."),
        "institution" => operation.asks(name, text(), "An institution, by identifier or number."),
        "storage_option" => operation.asks(name, text(), "A storage option."),
        name => operation.asks(name, text(), "A month, as in 2026-11."),
    })
}

fn text() -> Value {
    json!({"type": "string"})
}
