//! Takes away what has lain in the restoration areas for as long as promised, what was deleted since
//! it was restored, and what items that are gone left unfinished.

use std::fs;
use std::io;
use std::path::Path;
use std::time::Duration;

use super::place::remove_orphans;
use super::slip::{Slip, slips};
use crate::app::{App, FileFault};
use crate::fault::Fault;
use crate::work::{Sweep, Swept};

/// The sweep.
pub struct RestorationsExpire;

impl Sweep<App> for RestorationsExpire {
    fn name(&self) -> &'static str {
        "restorations_expire"
    }

    fn about(&self) -> &'static str {
        "Removes restored bags and files whose time is over, and those of what was deleted since."
    }

    fn every(&self, _: &App) -> Duration {
        Duration::from_secs(3600)
    }

    fn sweep(&self, app: &App, _: usize) -> Result<Swept, Fault> {
        let (now, mut removed) = (app.shop.clock.now(), 0);
        for slip in &slips(app)? {
            if slip.expires(app) > now && !is_deleted(app, slip)? {
                continue;
            }
            match fs::remove_file(&slip.path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                other => other.map_err(FileFault::at("remove", &slip.path))?,
            }
            remove_empty_above(&app.config.restoration_folder(), &slip.path);
            slip.forget(app)?;
            removed += 1;
        }
        let orphans = remove_orphans(app)?;
        let note = format!(
            "removed {removed} that are not to lie there any more, and {orphans} unfinished ones"
        );
        Ok(Swept { made: 0, note })
    }
}

/// Whether what was restored, or some of it, was deleted since.
fn is_deleted(app: &App, slip: &Slip) -> Result<bool, Fault> {
    let object = &slip.object_identifier;
    let path = slip.file_identifier.as_deref().and_then(|file| file.strip_prefix(&**object));
    let path = path.and_then(|path| path.strip_prefix('/'));
    Ok(app.registry.is_deleted_since(object, path, slip.restored_at)?)
}

/// Folders that held nothing else go too; the area itself stays.
fn remove_empty_above(root: &Path, path: &Path) {
    let above = path.ancestors().skip(1).take_while(|folder| *folder != root);
    let folders: Vec<&Path> = above.filter(|folder| folder.starts_with(root)).collect();
    for folder in folders.iter().take(folders.len().saturating_sub(1)) {
        // One that is not empty is not removed, nor are those above it.
        if fs::remove_dir(folder).is_err() {
            return;
        }
    }
}
