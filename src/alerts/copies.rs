//! What fixity checks tell of copies. One alert for an object, a replica and a check, however many
//! files it is about: a disk that fails takes thousands of them along.

use storage::registry::{Error, NewAlert};

use super::kind::Kind;
use super::raise::{line, raise, sentence};
use crate::app::App;

/// Copies of one object in one replica that one check found to be alike.
#[derive(Clone, Copy, Debug)]
pub struct CheckedCopies<'a> {
    /// Whose object it is.
    pub institution_id: i64,
    /// Its identifier.
    pub object: &'a str,
    /// Its number.
    pub object_id: i64,
    /// The replica.
    pub replica: &'a str,
    /// How many copies.
    pub count: u64,
    /// The path of one of them.
    pub example: &'a str,
    /// The item that checked.
    pub item_id: i64,
}

/// Copies are missing, short, altered or unreadable; `why` says so of the example.
pub fn copies_failed(copies: &CheckedCopies<'_>, why: &str) -> NewAlert {
    let CheckedCopies { object, replica, .. } = copies;
    let content = format!(
        "A fixity check found {} of {} in replica {replica} that {} kept.\nFor \
         example {}: {}.\n\nNothing was thrown away: what was found is set aside. A repair from a \
         copy that is sound begins by itself; you are told when it is done, and also if no sound \
         copy is left.\n\nLook at the object's events. If this replica fails again, have its disk \
         or its provider looked at.",
        copied(copies.count),
        line(object),
        if copies.count == 1 { "is not as it was" } else { "are not as they were" },
        sentence(copies.example),
        sentence(why.trim_end_matches('.')),
    );
    let subject = format!("Fixity check failed: {} in replica {replica}", line(object));
    told(Kind::CopyFailed, copies, subject, content)
}

/// Copies were replaced from a sound one, and read back.
pub fn copies_repaired(copies: &CheckedCopies<'_>) -> NewAlert {
    let CheckedCopies { object, replica, .. } = copies;
    let were = if copies.count == 1 { "It was" } else { "They were" };
    let content = format!(
        "{} of {} in replica {replica} had failed a fixity check.\nFor example {}.\n\n{were} \
         replaced from another replica's copy, which was proved right before, then read back and \
         found sound. The damaged bytes are set aside.\n\nThere is nothing to do for this object. \
         If this replica fails again, have its disk or its provider looked at.",
        copied(copies.count),
        line(object),
        sentence(copies.example),
    );
    let subject = format!("Repaired: {} in replica {replica}", line(object));
    told(Kind::CopyRepaired, copies, subject, content)
}

/// No hot replica has a sound copy any more; `advice` says what to do.
pub fn files_lost(copies: &CheckedCopies<'_>, advice: &str) -> NewAlert {
    let content = format!(
        "{} of {} {} no sound copy in any hot replica.\nFor example {}.\n\nWhat is left of every copy \
         is kept where it is, and the object's page says which files are lost. All its other files \
         are untouched.\n\n{advice}",
        files(copies.count),
        line(copies.object),
        if copies.count == 1 { "has" } else { "have" },
        sentence(copies.example),
    );
    let subject = format!("Lost: {} of {}", files(copies.count), line(copies.object));
    told(Kind::FileLost, copies, subject, content)
}

/// Raises an alert of a check, and ends what an earlier check said of the same copies.
pub fn supersede(app: &App, copies: &CheckedCopies<'_>, alert: &NewAlert) -> Result<(), Error> {
    raise(app, alert)?;
    end(app, &alert.kind, (copies.object_id, copies.replica), Some(&alert.name))
}

/// Ends what earlier checks said of an object's copies in a replica: all of them are intact.
pub fn copies_intact(app: &App, object_id: i64, replica: &str) -> Result<(), Error> {
    for kind in [Kind::CopyFailed, Kind::FileLost] {
        end(app, kind.word(), (object_id, replica), None)?;
    }
    Ok(())
}

fn end(
    app: &App,
    kind: &str,
    (object_id, replica): (i64, &str),
    but: Option<&str>,
) -> Result<(), Error> {
    let name_end = name_end(object_id, replica);
    app.registry.end_alerts(kind, &name_end, but, app.shop.clock.now())?;
    Ok(())
}

/// How the names of all alerts about an object's copies in a replica end. It is the object's number
/// and not its identifier, which may be as long as a page.
fn name_end(object_id: i64, replica: &str) -> String {
    format!("/{object_id}/{replica}")
}

fn told(kind: Kind, copies: &CheckedCopies<'_>, subject: String, content: String) -> NewAlert {
    let CheckedCopies { institution_id, object, object_id, replica, item_id, .. } = *copies;
    NewAlert {
        name: format!("{}/{item_id}{}", kind.word(), name_end(object_id, replica)),
        kind: kind.word().into(),
        institution_id: Some(institution_id),
        subject,
        content,
        page: Some(web::object_path(object, object_id)),
        item_id: Some(item_id),
        ..NewAlert::default()
    }
}

fn copied(count: u64) -> String {
    if count == 1 { "1 copy".into() } else { format!("{count} copies") }
}

fn files(count: u64) -> String {
    if count == 1 { "1 file".into() } else { format!("{count} files") }
}
