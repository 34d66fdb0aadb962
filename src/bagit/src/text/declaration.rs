//! `bagit.txt`: two lines that say how to read the rest.

use super::version::Version;

/// What `bagit.txt` says, as far as it could be made out.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Declaration {
    pub(crate) version: Option<String>,
    pub(crate) encoding: Option<String>,
    pub(crate) flaws: Vec<Flaw>,
}

/// Something wrong with `bagit.txt`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Flaw {
    ByteOrderMark,
    /// What is wrong with which line, in words.
    Form(u64, String),
    /// The same, where only white space is wrong.
    Space(u64, String),
}

/// Reads `bagit.txt`. White space about the colon is told by the version on the first line.
pub(crate) fn parse(bytes: &[u8]) -> Declaration {
    let mut declaration = Declaration::default();
    let marks: [&[u8]; 3] = [b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff"];
    let mut bytes = bytes;
    for mark in marks {
        if let Some(rest) = bytes.strip_prefix(mark) {
            bytes = rest;
            declaration.flaws.push(Flaw::ByteOrderMark);
            break;
        }
    }
    let text = match str::from_utf8(bytes) {
        Ok(text) => text.replace("\r\n", "\n").replace('\r', "\n"),
        Err(_) => {
            let why = "is not encoded in UTF-8".to_owned();
            declaration.flaws.push(Flaw::Form(1, why));
            return declaration;
        }
    };
    let lines: Vec<&str> = text.strip_suffix('\n').unwrap_or(&text).split('\n').collect();
    let first = lines.first().copied().unwrap_or_default();
    let second = lines.get(1).copied().unwrap_or_default();
    declaration.version = value(first, "BagIt-Version");
    declaration.encoding = value(second, "Tag-File-Character-Encoding");
    let strict = declaration
        .version
        .as_deref()
        .and_then(Version::named)
        .is_none_or(|version| !version.spaces_about_colon());
    for (number, line, label) in
        [(1, first, "BagIt-Version"), (2, second, "Tag-File-Character-Encoding")]
    {
        declaration.flaws.extend(line_flaw(number, line, label, strict));
    }
    if let Some(version) = &declaration.version
        && !is_version_number(version)
    {
        let why = format!("`{version}` is not two numbers with a dot between them");
        declaration.flaws.push(Flaw::Form(1, why));
    }
    if lines.len() > 2 {
        let why = format!("there are {} lines; there must be two", lines.len());
        let blank = lines[2..].iter().all(|line| line.trim().is_empty());
        declaration.flaws.push(if blank { Flaw::Space(3, why) } else { Flaw::Form(3, why) });
    }
    declaration
}

fn value(line: &str, label: &str) -> Option<String> {
    let (name, value) = line.split_once(':')?;
    let found = name.trim().eq_ignore_ascii_case(label) && !value.trim().is_empty();
    found.then(|| value.trim().to_owned())
}

fn line_flaw(number: u64, line: &str, label: &str, strict: bool) -> Option<Flaw> {
    let form = |why| Some(Flaw::Form(number, why));
    let Some((_, rest)) = line.split_once(':').filter(|(name, _)| name.trim() == label) else {
        return form(format!("the line must begin with `{label}: `"));
    };
    if rest.trim().is_empty() {
        return form(format!("`{label}` has no value"));
    }
    let value = rest.strip_prefix([' ', '\t']);
    let neat = line.starts_with(label) && line[label.len()..].starts_with(':');
    (strict && !(neat && value.is_some_and(|value| value.trim() == value))).then(|| {
        let why =
            format!("white space must stand nowhere but once, after the colon of `{label}: `");
        Flaw::Space(number, why)
    })
}

fn is_version_number(text: &str) -> bool {
    text.split_once('.').is_some_and(|(major, minor)| {
        let number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        number(major) && number(minor)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flaws(text: &str) -> usize {
        parse(text.as_bytes()).flaws.len()
    }

    #[test]
    fn two_lines_are_right_whatever_ends_them() {
        for end in ["\n", "\r\n", "\r"] {
            let text = format!("BagIt-Version: 1.0{end}Tag-File-Character-Encoding: UTF-8{end}");
            let declaration = parse(text.as_bytes());
            assert_eq!(declaration.version.as_deref(), Some("1.0"));
            assert_eq!(declaration.encoding.as_deref(), Some("UTF-8"));
            assert_eq!(declaration.flaws, []);
        }
    }

    #[test]
    fn old_versions_may_have_space_about_the_colon_and_new_ones_not() {
        assert_eq!(flaws("BagIt-Version : 0.96\nTag-File-Character-Encoding  :  UTF-8 \n"), 0);
        assert_eq!(flaws("BagIt-Version : 0.97\nTag-File-Character-Encoding: UTF-8\n"), 1);
        assert_eq!(flaws("BagIt-Version:1.0\nTag-File-Character-Encoding: UTF-8 \n"), 2);
        assert_eq!(flaws("BagIt-Version:  1.0\nTag-File-Character-Encoding: UTF-8\n"), 1);
    }

    #[test]
    fn white_space_alone_is_told_apart_from_all_else() {
        for text in [
            "BagIt-Version : 0.97\nTag-File-Character-Encoding: UTF-8\n",
            " BagIt-Version: 0.97\nTag-File-Character-Encoding: UTF-8\n",
            "BagIt-Version: 0.97 \nTag-File-Character-Encoding: UTF-8\n",
            "BagIt-Version: 0.97\nTag-File-Character-Encoding: UTF-8\n \n\n",
        ] {
            let found = parse(text.as_bytes()).flaws;
            assert!(matches!(found.as_slice(), [Flaw::Space(..)]), "{text:?}: {found:?}");
        }
        for text in [
            "BagIt-Version: 0.97\nTag-File-Character-Encoding: UTF-8\nmore\n",
            "bagit-version: 0.97\nTag-File-Character-Encoding: UTF-8\n",
        ] {
            let found = parse(text.as_bytes()).flaws;
            assert!(matches!(found.as_slice(), [Flaw::Form(..)]), "{text:?}: {found:?}");
        }
    }

    #[test]
    fn everything_else_is_a_flaw() {
        assert_eq!(flaws("\u{feff}BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n"), 1);
        assert_eq!(flaws("BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n\n"), 1);
        assert_eq!(flaws("Tag-File-Character-Encoding: UTF-8\nBagIt-Version: 1.0\n"), 2);
        assert_eq!(flaws("BagIt-Version: one\nTag-File-Character-Encoding: UTF-8"), 1);
        assert_eq!(flaws(""), 2);
        assert_eq!(parse(b"\xfe\xff\0B").flaws[0], Flaw::ByteOrderMark);
    }
}
