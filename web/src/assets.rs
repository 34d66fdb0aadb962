//! The files a browser asks for, embedded and addressed by their digest.

use std::fmt::Write;
use std::sync::LazyLock;

use sha2::{Digest, Sha256};

/// One embedded file.
#[derive(Debug)]
pub struct Asset {
    /// Its name under `/assets/`.
    pub name: &'static str,
    /// Its media type.
    pub content_type: &'static str,
    /// Its content.
    pub bytes: &'static [u8],
    /// Its entity tag, with the quotes: the first 12 hex digits of its SHA-256.
    pub etag: String,
}

static ASSETS: LazyLock<[Asset; 5]> = LazyLock::new(|| {
    [
        embed("app.css", "text/css; charset=utf-8", include_bytes!("../assets/app.css")),
        embed("app.js", "text/javascript; charset=utf-8", include_bytes!("../assets/app.js")),
        embed("upload.js", "text/javascript; charset=utf-8", include_bytes!("../assets/upload.js")),
        embed("play.js", "text/javascript; charset=utf-8", include_bytes!("../assets/play.js")),
        embed("icon.svg", "image/svg+xml", include_bytes!("../assets/icon.svg")),
    ]
});

/// Finds an embedded file by its name.
pub fn asset(name: &str) -> Option<&'static Asset> {
    ASSETS.iter().find(|asset| asset.name == name)
}

/// Lists every embedded file.
pub fn assets() -> &'static [Asset] {
    &*ASSETS
}

/// Writes the address of an embedded file.
///
/// The digest in the query changes with the content, so a response may be cached for ever.
pub fn asset_url(name: &str) -> String {
    match asset(name) {
        Some(asset) => format!("/assets/{name}?v={}", asset.etag.trim_matches('"')),
        None => format!("/assets/{name}"),
    }
}

fn embed(name: &'static str, content_type: &'static str, bytes: &'static [u8]) -> Asset {
    let mut etag = String::from('"');
    for byte in &Sha256::digest(bytes)[..6] {
        // Writing to a String cannot fail.
        write!(etag, "{byte:02x}").ok();
    }
    etag.push('"');
    Asset { name, content_type, bytes, etag }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_carry_the_digest_of_the_content() {
        let css = asset("app.css").unwrap();
        assert_eq!(css.etag.len(), 14);
        assert_eq!(asset_url("app.css"), format!("/assets/app.css?v={}", &css.etag[1..13]));
        assert!(asset("../Cargo.toml").is_none());
    }

    #[test]
    fn the_scripts_stay_small() {
        for name in ["app.js", "upload.js", "play.js"] {
            let script = std::str::from_utf8(asset(name).unwrap().bytes).unwrap();
            assert!(script.lines().count() < 200, "{name}");
        }
    }
}
