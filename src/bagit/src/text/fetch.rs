//! One line of `fetch.txt`: an address, a length, a path. Nothing is ever fetched.

/// What a line asks for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Wanted<'a> {
    /// The length it says, if it says one.
    pub(crate) size_bytes: Option<u64>,
    /// The path as written.
    pub(crate) path: &'a str,
}

/// Reads a line that is not blank; what is wrong with it otherwise.
pub(crate) fn parse(line: &str) -> Result<Wanted<'_>, &'static str> {
    let blank = [' ', '\t'];
    let (address, rest) = line.split_once(blank).ok_or("it has no length and no path")?;
    let (length, rest) =
        rest.trim_start_matches(blank).split_once(blank).ok_or("it has no path")?;
    let path = rest.trim_start_matches(blank);
    if path.is_empty() {
        return Err("it has no path");
    }
    if !has_scheme(address) {
        return Err("it does not begin with an address such as https://example.org/file");
    }
    let size_bytes = match length {
        "-" => None,
        digits if !digits.starts_with('+') => {
            Some(digits.parse().map_err(|_| "its length is neither a number nor a hyphen")?)
        }
        _ => return Err("its length is neither a number nor a hyphen"),
    };
    Ok(Wanted { size_bytes, path })
}

/// RFC 3986: a letter, then letters, digits, `+`, `-` or `.`, then a colon.
fn has_scheme(address: &str) -> bool {
    address.split_once(':').is_some_and(|(scheme, rest)| {
        scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b))
            && !rest.is_empty()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_an_address_a_length_and_a_path() {
        let wanted = parse("https://example.org/a 12 data/a b").unwrap();
        assert_eq!(wanted, Wanted { size_bytes: Some(12), path: "data/a b" });
        assert_eq!(parse("ftp://x/y\t-\tdata/y").unwrap().size_bytes, None);
        for flawed in [
            "data/a",
            "https://x/a 12",
            "https://x/a 12 ",
            "nowhere 12 data/a",
            "https://x/a twelve data/a",
            "https://x/a -1 data/a",
            "https://x/a +1 data/a",
        ] {
            assert!(parse(flawed).is_err(), "{flawed}");
        }
    }
}
