//! The pages in headless Chromium: this side serves a house, `tests/browser` drives the browser.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::json;

use crate::house::{House, until};

/// The first of these programs that is on the path.
fn find(names: &[&str]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let folders: Vec<_> = std::env::split_paths(&path).collect();
    let files = names.iter().flat_map(|name| folders.iter().map(move |it| it.join(name)));
    files.into_iter().find(|file| file.is_file())
}

#[test]
fn browser_pauses_requeues_and_finds_every_page_in_order() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser");
    let (Some(node), Some(chromium)) =
        (find(&["node"]), find(&["chromium", "chromium-browser", "google-chrome"]))
    else {
        println!("skipped: there is no node or no Chromium on the path");
        return;
    };
    if !folder.join("node_modules/playwright-core").is_dir() {
        println!("skipped: `npm ci --prefix tests/browser` was not run");
        return;
    }

    let house = House::new();
    let items = json!({
        "finished": house.bring("ok parish-registers-1790.tar", "finished"),
        "rejected": house.bring("reject-county-maps.tar", "parked"),
        "mendable": [
            house.bring("mendable-letters-1.tar", "parked"),
            house.bring("mendable-letters-2.tar", "parked"),
        ],
        "long": house.bring(&format!("fatal-{}.tar", "long-name-without-a-space_".repeat(12)), "parked"),
        // Half an hour, unless the test ends first.
        "running": house.push("slow-newspapers-100000"),
    });
    house.bring("retry-صور-الأرشيف.tar", "parked");
    house.bring("panic-&-<b>markup</b>.tar", "parked");
    for n in 0..60 {
        house.push(&format!("ok bag-{n:03}.tar"));
    }
    until("all but one are at rest and listed", || {
        let done = house.get("/api/v1/items?status=Success").json()["count"].as_u64();
        done == Some(61) && house.get("/api/v1/items?status=Started").json()["count"] == 1
    });

    let output = Command::new(node)
        .arg("--test")
        .current_dir(folder)
        .env("STRONGROOM_URL", format!("http://{}", house.address()))
        .env("STRONGROOM_ITEMS", items.to_string())
        .env("STRONGROOM_CHROMIUM", chromium)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    println!("{said}{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success());
}
