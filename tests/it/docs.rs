//! Docs that can be derived are: when one is stale, it is written anew and the test fails once.

use std::fmt::Write;

use bagit::code::Code;
use bagit::finding::Severity;
use strongroom::config::{Config, Flags, Surroundings};
use strongroom::flows::FLOWS;
use strongroom::work::Chart;

const BEGIN: &str = "<!-- stages: written by a test, do not edit by hand -->\n";
const END: &str = "<!-- end of stages -->";

#[test]
fn the_table_of_stages_in_the_architecture_is_that_of_the_program() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/ARCHITECTURE.md");
    let text = std::fs::read_to_string(path).unwrap();
    let (before, rest) = text.split_once(BEGIN).expect("the table has its beginning");
    let (_, after) = rest.split_once(END).expect("the table has its end");
    let fresh = format!("{before}{BEGIN}\n{}\n{END}{after}", table());
    if text != fresh {
        byteio::durable::write(path.as_ref(), fresh.as_bytes(), false).unwrap();
        panic!("the table of stages was stale and is written anew: look at it and commit it");
    }
}

fn table() -> String {
    let known = Chart::known_stages(FLOWS);
    let config = Config::load(&Flags::default(), &Surroundings::BARE, &known).unwrap();
    let chart = Chart::of(FLOWS, &config);
    let mut table = String::from(
        "| flow | topic | label | environment | pool | workers | buffer | attempts | lease |\n\
         |---|---|---|---|---|---|---|---|---|\n",
    );
    for ((flow, stage), known) in chart.stages().zip(&known) {
        let policy = stage.policy;
        let env = known.env.map(|env| format!("`{env}_*`")).unwrap_or_default();
        writeln!(
            table,
            "| {} | `{}` | {} | {env} | {} | {} | {} | {} | {} s |",
            flow.name,
            stage.topic,
            stage.label,
            policy.pool.name(),
            policy.workers,
            policy.buffer,
            policy.max_attempts,
            policy.lease.as_secs(),
        )
        .unwrap();
    }
    table
}

#[test]
fn the_list_of_finding_codes_is_that_of_the_program() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/bagit/CODES.md");
    let fresh = codes();
    // Where there is none yet, it is as stale as can be.
    if std::fs::read_to_string(path).ok().as_ref() != Some(&fresh) {
        byteio::durable::write(path.as_ref(), fresh.as_bytes(), false).unwrap();
        panic!("the list of codes was stale and is written anew: look at it and commit it");
    }
}

fn codes() -> String {
    let mut text = String::from(
        "<!-- written by a test, do not edit by hand -->\n\n\
         # What can be wrong with a bag\n\n\
         An error makes a bag invalid; a warning is for someone to know. Codes are stable: scripts \
         may\nrely on them. Every finding also says where it is and what to do.\n\n\
         | code | severity | meaning |\n|---|---|---|\n",
    );
    for code in Code::ALL {
        let severity = match code.severity() {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        let meaning = code.meaning().replace('|', "\\|");
        writeln!(text, "| `{}` | {severity} | {meaning} |", code.name()).unwrap();
    }
    text
}
