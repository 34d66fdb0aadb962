//! Which rules a bag is judged by, as named on the command line.

use std::path::Path;

use bagit::profile::Rules;
use byteio::causes::chain;

use super::Failure;
use super::print::plain;

/// Reads what `--profile` names: `bagit`, `named`, a profile of ours, or a file.
pub(super) fn read_rules(asked: Option<&str>) -> Result<Rules, Failure> {
    let Some(name) = asked else { return Ok(Rules::BagIt) };
    match name {
        "bagit" => return Ok(Rules::BagIt),
        "named" => return Ok(Rules::AsNamed),
        _ => {}
    }
    if let Some(rules) = Rules::builtin(name) {
        return Ok(rules);
    }
    Rules::load(Path::new(name)).map_err(|error| {
        let known = "the built-in ones are aptrust and btr, `named` takes what each bag names";
        Failure::Unable(plain(&format!("profile {name}: {}; {known}", chain(&error))))
    })
}

/// Reads rules to make a bag by: it names no profile yet.
pub(super) fn read_rules_for_making(asked: Option<&str>) -> Result<Rules, Failure> {
    let rules = read_rules(asked)?;
    if matches!(rules, Rules::AsNamed) {
        let why = "--profile named is for bags that are there; name aptrust, btr or a file";
        return Err(Failure::Unable(why.into()));
    }
    Ok(rules)
}
