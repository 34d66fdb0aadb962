//! Which paths a bag may hold.

use crate::code::Code;
use crate::limits::Limits;

/// Everything that is wrong with a path, on disk, in an archive or in a manifest.
pub(crate) fn flaws(path: &str, limits: &Limits) -> Vec<Code> {
    let mut found = escapes(path);
    if has_control(path) {
        found.push(Code::NameControl);
    }
    let parts = || path.split('/');
    if path.len() > limits.path_bytes || parts().any(|part| part.len() > limits.name_bytes) {
        found.push(Code::NameTooLong);
    }
    if parts().count() > limits.depth {
        found.push(Code::PathTooDeep);
    }
    let body = path.trim_start_matches('/');
    if body.is_empty() || body.split('/').any(|part| part.is_empty() || part == ".") {
        found.push(Code::PathForm);
    }
    found
}

/// The ways in which a path leads somewhere else than into the bag.
pub(crate) fn escapes(path: &str) -> Vec<Code> {
    let mut found = Vec::new();
    let bytes = path.as_bytes();
    if path.starts_with("//") || path.starts_with("\\\\") {
        found.push(Code::PathUnc);
    } else if path.starts_with(['/', '\\']) {
        found.push(Code::PathAbsolute);
    } else if path.starts_with('~') {
        found.push(Code::PathHome);
    } else if bytes.first().is_some_and(u8::is_ascii_alphabetic) && bytes.get(1) == Some(&b':') {
        found.push(Code::PathDrive);
    }
    if path.split(['/', '\\']).any(|part| part == "..") {
        found.push(Code::PathTraversal);
    }
    found
}

/// What to tell a depositor about a path that breaks a rule.
pub(crate) fn sentence(code: Code, path: &str) -> String {
    let (wrong, remedy) = if code == Code::NameControl {
        (
            "has a control character or no-break space in it, or one spelled out such as \\u0007",
            "Rename the file and make the bag again.",
        )
    } else if code == Code::NameTooLong {
        ("is too long", "Shorten the name and make the bag again.")
    } else if code == Code::PathTooDeep {
        ("lies in too many folders", "Move it higher and make the bag again.")
    } else if code == Code::PathUnc {
        ("names a network share", "Write it relative to the folder of the bag.")
    } else if code == Code::PathAbsolute {
        ("is an absolute path", "Write it relative to the folder of the bag.")
    } else if code == Code::PathHome {
        ("begins with ~, a home folder", "Write it relative to the folder of the bag.")
    } else if code == Code::PathDrive {
        ("begins with a drive letter", "Write it relative to the folder of the bag.")
    } else if code == Code::PathTraversal {
        ("leads out of its folder by `..`", "Write it without `..`.")
    } else {
        ("has empty parts or parts that are a single dot", "Write it without them.")
    };
    format!("`{}` {wrong}. {remedy}", shown(path))
}

/// A name for people: cut where it is very long, with control characters made visible.
pub(crate) fn shown(name: &str) -> String {
    const SHOWN_CHARS: usize = 300;
    let mut shown = String::new();
    for (count, char) in name.chars().enumerate() {
        if count == SHOWN_CHARS {
            shown.push('…');
            break;
        }
        if char.is_control() {
            shown.extend(char.escape_default());
        } else {
            shown.push(char);
        }
    }
    shown
}

fn has_control(path: &str) -> bool {
    let plain = |byte: u8| (0x20..0x7f).contains(&byte) && byte != b'\\';
    !path.bytes().all(plain)
        && (path.chars().any(|char| char.is_control() || char == '\u{a0}') || spells_control(path))
}

/// A control character written out: `\u00` or `\U00`, then 0, 1, 8 or 9 and a digit, or `7f`.
fn spells_control(path: &str) -> bool {
    path.as_bytes().windows(6).any(|window| {
        let [b'\\', b'u' | b'U', b'0', b'0', high, low] = window else { return false };
        match high {
            b'0' | b'1' | b'8' | b'9' => low.is_ascii_hexdigit(),
            b'7' => low.eq_ignore_ascii_case(&b'f'),
            _ => false,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, codes: &[Code]) {
        assert_eq!(flaws(path, &Limits::default()), codes, "{path:?}");
    }

    #[test]
    fn ordinary_names_pass() {
        for path in
            ["data/a b.txt", "data/…/ü", "data/a..b/c", "data/~a", "data/%", "data/\u{202f}"]
        {
            check(path, &[]);
        }
    }

    #[test]
    fn paths_that_lead_elsewhere_are_told() {
        check("/etc/passwd", &[Code::PathAbsolute]);
        check("\\etc", &[Code::PathAbsolute]);
        check("~/x", &[Code::PathHome]);
        check("c:\\x", &[Code::PathDrive]);
        check("\\\\server\\share", &[Code::PathUnc]);
        check("data/../../x", &[Code::PathTraversal]);
        check("data\\..\\x", &[Code::PathTraversal]);
    }

    #[test]
    fn control_characters_are_told_also_when_spelled_out() {
        for path in ["data/\u{7}", "data/\u{85}", "data/\u{a0}", "data/\\u0007", "data/\\U007F"] {
            check(path, &[Code::NameControl]);
        }
        check("data/\\u0041", &[]);
        assert_eq!(shown("a\rb"), "a\\rb");
    }

    #[test]
    fn lengths_and_odd_forms_are_told() {
        check(&format!("data/{}", "x".repeat(256)), &[Code::NameTooLong]);
        check(&"x/".repeat(128), &[Code::PathTooDeep, Code::PathForm]);
        check("data//x", &[Code::PathForm]);
        check("", &[Code::PathForm]);
    }
}
