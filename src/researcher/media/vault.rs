//! A recording that is held here: the file of a folder as it lies, or a proved copy out of a bucket.

use byteio::causes::chain;
use digests::{Algorithm, AlgorithmSet, Hasher};
use ocfl::{Class, ObjectId, Replica};
use storage::registry::{CopyState, FileRow, HeldState};

use super::{GoOn, MediaError, Opened, kept};
use crate::app::App;
use crate::fault::Fault;

/// Opens the newest version of a file: sound copies first, of replicas that answer at once.
pub(super) fn open(
    app: &App,
    (object, path): (&str, &str),
    go_on: GoOn<'_>,
) -> Result<Opened, MediaError> {
    let name = format!("{object}/{path}");
    let file = app.registry.file_by_identifier(&name)?;
    let Some(file) = file.filter(|file| file.state == HeldState::Active) else {
        return Err(MediaError::NotHeld { file: name });
    };
    let tag = digest(&file);
    if let Some(opened) = kept::take(app, &tag) {
        return Ok(opened);
    }
    let mut copies = app.registry.copies(file.id, file.version)?;
    // One that was not sound may have been mended since: it is tried last.
    copies.sort_by_key(|copy| copy.state != CopyState::Sound);
    let mut why = "no replica that holds it answers at once".to_owned();
    for copy in copies {
        let replica = match app.vaults.reach(&copy.replica) {
            Some(Ok(replica)) if replica.settings().class == Class::Hot => replica,
            Some(Ok(_)) | None => continue,
            Some(Err(fault)) => {
                why = words(&fault);
                continue;
            }
        };
        match read(app, replica, &file, go_on) {
            Ok(Some(opened)) => return Ok(opened),
            Ok(None) => why = format!("{} has other bytes, or none", replica.name()),
            Err(MediaError::Unfetched { why: told }) => why = told,
            Err(error) => return Err(error),
        }
    }
    Err(MediaError::NoCopy { file: name, why })
}

/// One copy; `None` when it is not what it should be.
fn read(
    app: &App,
    replica: &Replica,
    file: &FileRow,
    go_on: GoOn<'_>,
) -> Result<Option<Opened>, MediaError> {
    let object = ObjectId::new(file.object_identifier.clone());
    let unfetched = |why: String| MediaError::Unfetched { why };
    let found = replica.copy_file(&object, &file.content_path);
    if let Some(found) = found.map_err(|error| unfetched(chain(&error)))? {
        let length = found.metadata().map_err(|error| unfetched(error.to_string()))?.len();
        let opened = Opened::new(found, file.size, digest(file));
        return Ok((length == file.size).then_some(opened));
    }
    let mut source =
        replica.read_copy(&object, &file.content_path).map_err(|error| unfetched(chain(&error)))?;
    let place = kept::nameless(app)?;
    let mut hasher = Hasher::new(AlgorithmSet::EMPTY.with(Algorithm::Sha512));
    let size_bytes =
        kept::copy(&mut source, &place, (file.size, go_on), |piece| hasher.update(piece))?;
    let is_equal = hasher.finish().hex(Algorithm::Sha512).is_some_and(|it| it == digest(file));
    if size_bytes != file.size || !is_equal {
        return Ok(None);
    }
    let opened = Opened::new(place, size_bytes, digest(file));
    kept::keep(app, &opened.tag, &opened);
    Ok(Some(opened))
}

fn words(fault: &Fault) -> String {
    fault.sentence_or("its replica does not answer")
}

/// The sha512 of what must be there.
fn digest(file: &FileRow) -> String {
    let mut named = file.digests.named().into_iter();
    named.find(|(name, _)| *name == Algorithm::Sha512.name()).map(|it| it.1).unwrap_or_default()
}
