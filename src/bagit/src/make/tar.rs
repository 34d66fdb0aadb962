//! Headers of tar entries, written here to the byte: a bag made next year with another version of
//! some library must be the same bag.

/// Everything in a tar comes in blocks of this size.
pub(super) const BLOCK: u64 = 512;

/// Two empty blocks end the archive.
pub(super) const END: [u8; 1024] = [0; 1024];

/// Eleven octal digits, the largest number that fits such a field.
const OCTAL_11_MAX: u64 = 0o77_777_777_777;

/// What an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    File,
    Folder,
}

/// The header of an entry, with a PAX header before it where one is needed. A folder's path ends in
/// a slash.
pub(super) fn header(kind: Kind, path: &str, size_bytes: u64, modified: i64) -> Vec<u8> {
    let mut records = Vec::new();
    let fitting = split(path);
    if fitting.is_none() {
        records.extend(record("path", path));
    }
    let size = if size_bytes > OCTAL_11_MAX {
        records.extend(record("size", &size_bytes.to_string()));
        0
    } else {
        size_bytes
    };
    let time = u64::try_from(modified).ok().filter(|time| *time <= OCTAL_11_MAX);
    if time.is_none() {
        records.extend(record("mtime", &modified.to_string()));
    }
    let mut bytes = Vec::with_capacity(512);
    if !records.is_empty() {
        let name = ("", "PaxHeader");
        bytes.extend(block(b'x', name, records.len() as u64, time.unwrap_or(0)));
        bytes.extend(&records);
        bytes.resize(bytes.len().next_multiple_of(512), 0);
    }
    let short = stand_in(path);
    let name = fitting.unwrap_or(("", &short));
    let flag = match kind {
        Kind::File => b'0',
        Kind::Folder => b'5',
    };
    bytes.extend(block(flag, name, size, time.unwrap_or(0)));
    bytes
}

/// How many bytes the content of an entry takes, with its padding.
pub(super) fn padded(size_bytes: u64) -> u64 {
    size_bytes.next_multiple_of(BLOCK)
}

/// A path as prefix and name, if the old fields can hold it: ASCII, 155 and 100 bytes.
fn split(path: &str) -> Option<(&str, &str)> {
    if !path.is_ascii() {
        return None;
    }
    if path.len() <= 100 {
        return Some(("", path));
    }
    // The slash of a folder stays with its name.
    let body = path.strip_suffix('/').unwrap_or(path);
    let cut = body.match_indices('/').map(|(at, _)| at).find(|at| path.len() - at - 1 <= 100)?;
    (1..=155).contains(&cut).then(|| (&path[..cut], &path[cut + 1..]))
}

/// For tools that do not know PAX: something, rather than the wrong thing.
fn stand_in(path: &str) -> String {
    let ascii = |c: char| if c.is_ascii_graphic() || c == ' ' { c } else { '_' };
    path.chars().map(ascii).take(100).collect()
}

/// A PAX record: its own length in decimal, the key and the value.
fn record(key: &str, value: &str) -> Vec<u8> {
    let rest = format!(" {key}={value}\n");
    // The length counts its own digits, which can add one more digit.
    let mut len = rest.len() + 1;
    while len != rest.len() + len.to_string().len() {
        len = rest.len() + len.to_string().len();
    }
    format!("{len}{rest}").into_bytes()
}

fn block(flag: u8, (prefix, name): (&str, &str), size: u64, modified: u64) -> [u8; 512] {
    let mut block = [0; 512];
    let mode = if flag == b'5' { 0o755 } else { 0o644 };
    let mut put = |at: usize, bytes: &[u8]| block[at..at + bytes.len()].copy_from_slice(bytes);
    put(0, name.as_bytes());
    put(100, format!("{mode:07o}\0").as_bytes());
    put(108, b"0000000\0");
    put(116, b"0000000\0");
    put(124, format!("{size:011o}\0").as_bytes());
    put(136, format!("{modified:011o}\0").as_bytes());
    // The sum is taken with blanks in its own place.
    put(148, b"        ");
    put(156, &[flag]);
    put(257, b"ustar\x0000");
    put(329, b"0000000\0");
    put(337, b"0000000\0");
    put(345, prefix.as_bytes());
    let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
    block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    block
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, size: u64, modified: i64, len: usize) {
        let bytes = header(Kind::File, path, size, modified);
        assert_eq!(bytes.len(), len, "{path}");
        let mut archive = tar::Archive::new(bytes.as_slice());
        let entry = archive.entries().unwrap().next().unwrap().unwrap();
        assert_eq!(entry.path_bytes(), path.as_bytes());
        assert_eq!(entry.size(), size);
        if let Ok(time) = u64::try_from(modified) {
            assert_eq!(entry.header().mtime().unwrap(), time);
        }
        assert_eq!(entry.header().mode().unwrap(), 0o644);
    }

    #[test]
    fn headers_are_read_back_and_pax_is_used_only_where_needed() {
        check("bag/data/a.txt", 5, 1_700_000_000, 512);
        check(&format!("bag/{}", "a".repeat(96)), 0, 0, 512);
        check(&format!("bag/{}/{}", "b".repeat(150), "a".repeat(100)), 1, 1, 512);
        check(&format!("bag/{}/{}", "b".repeat(50), "c".repeat(50)), 1, 1, 512);
        check(&format!("bag/{}", "a".repeat(97)), 0, 0, 512);
        check(&format!("bag/{}", "a".repeat(101)), 0, 0, 1536);
        check("bag/data/ü", 0, 0, 1536);
        check("bag/big", 9 << 30, 0, 1536);
        check("bag/old", 0, -5, 1536);
        check(&"x/".repeat(600), 0, 0, 512 * 5);
    }

    #[test]
    fn a_record_counts_its_own_digits() {
        assert_eq!(record("path", "a"), b"9 path=a\n");
        assert_eq!(record("path", "ab"), b"11 path=ab\n");
        for len in [80, 85, 86, 87, 88, 89, 90, 980, 989, 990, 991, 995] {
            let record = record("path", &"x".repeat(len));
            assert!(record.starts_with(format!("{} path=", record.len()).as_bytes()), "{len}");
        }
    }
}
