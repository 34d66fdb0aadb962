//! One header block of a tar: POSIX ustar, GNU, or older.

pub(crate) const BLOCK_BYTES: usize = 512;

/// A header block.
pub(crate) struct Header<'b>(&'b [u8; BLOCK_BYTES]);

/// What kind of entry a header stands before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    File,
    Folder,
    Link,
    Device,
    Sparse,
    /// The name of the next entry (GNU).
    LongName,
    /// The link target of the next entry (GNU): of no interest.
    LongLink,
    /// Attributes of the next entry (PAX).
    Attributes,
    /// Attributes of all further entries (PAX).
    GlobalAttributes,
    /// A volume label and the like: no content of the bag.
    Label,
    /// Part of an archive in several volumes.
    Volume,
}

impl<'b> Header<'b> {
    /// A header whose checksum is right.
    pub(crate) fn new(block: &'b [u8; BLOCK_BYTES]) -> Option<Header<'b>> {
        let header = Header(block);
        let claimed = number(&block[148..156])?;
        let blank = |(at, byte): (usize, &u8)| if (148..156).contains(&at) { b' ' } else { *byte };
        let bytes = || block.iter().enumerate().map(blank);
        let unsigned: u64 = bytes().map(u64::from).sum();
        // Some old programs summed signed bytes.
        let signed: i64 = bytes().map(|byte| i64::from(byte.cast_signed())).sum();
        (claimed == unsigned || i64::try_from(claimed) == Ok(signed)).then_some(header)
    }

    pub(crate) fn kind(&self) -> Kind {
        match self.0[156] {
            b'1' | b'2' => Kind::Link,
            b'3' | b'4' | b'6' => Kind::Device,
            b'5' | b'D' => Kind::Folder,
            b'S' => Kind::Sparse,
            b'L' => Kind::LongName,
            b'K' => Kind::LongLink,
            b'x' | b'X' => Kind::Attributes,
            b'g' => Kind::GlobalAttributes,
            b'V' => Kind::Label,
            b'M' => Kind::Volume,
            // Before POSIX a folder was a file with a slash at its end.
            0 if field(&self.0[..100]).ends_with(b"/") => Kind::Folder,
            // POSIX: a kind that is not known is read as a file.
            _ => Kind::File,
        }
    }

    /// The bytes that follow, before padding.
    pub(crate) fn size_bytes(&self) -> Option<u64> {
        number(&self.0[124..136])
    }

    pub(crate) fn modified_seconds(&self) -> Option<i64> {
        number(&self.0[136..148]).and_then(|seconds| i64::try_from(seconds).ok())
    }

    /// The name in the header itself.
    pub(crate) fn name(&self) -> Vec<u8> {
        let name = field(&self.0[..100]);
        let prefix = field(&self.0[345..500]);
        // Only POSIX has the prefix; GNU keeps other things there.
        if &self.0[257..263] == b"ustar\0" && !prefix.is_empty() {
            [prefix, b"/", name].concat()
        } else {
            name.to_vec()
        }
    }
}

/// A field up to its first NUL.
fn field(bytes: &[u8]) -> &[u8] {
    bytes.split(|byte| *byte == 0).next().unwrap_or_default()
}

/// A number in octal, or in binary where its first bit is set. None if it is neither or too large.
fn number(bytes: &[u8]) -> Option<u64> {
    if bytes[0] & 0x80 != 0 {
        let mut value = u64::from(bytes[0] & 0x7f);
        for byte in &bytes[1..] {
            value = value.checked_mul(256)?.checked_add(u64::from(*byte))?;
        }
        // Larger numbers would overflow every sum of positions.
        return (value < 1 << 62).then_some(value);
    }
    let text = str::from_utf8(field(bytes)).ok()?.trim_matches(' ');
    if text.is_empty() { Some(0) } else { u64::from_str_radix(text, 8).ok() }
}

/// What PAX attributes say that matters here.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Attributes {
    pub(crate) name: Option<Vec<u8>>,
    pub(crate) size_bytes: Option<u64>,
    pub(crate) modified_ns: Option<i64>,
    pub(crate) sparse: bool,
}

impl Attributes {
    /// Reads `length key=value` records. None if they are not in form.
    pub(crate) fn parse(mut bytes: &[u8]) -> Option<Attributes> {
        let mut found = Attributes::default();
        while !bytes.is_empty() {
            // Some programs pad with NULs.
            if bytes.iter().all(|byte| *byte == 0) {
                break;
            }
            let space = bytes.iter().take(20).position(|byte| *byte == b' ')?;
            let length: usize = str::from_utf8(&bytes[..space]).ok()?.parse().ok()?;
            let record = bytes.get(space + 1..length)?.strip_suffix(b"\n")?;
            bytes = &bytes[length..];
            let equals = record.iter().position(|byte| *byte == b'=')?;
            let (key, value) = (&record[..equals], &record[equals + 1..]);
            match key {
                b"path" => found.name = Some(value.to_vec()),
                b"size" => {
                    let size = str::from_utf8(value).ok()?.parse::<u64>().ok()?;
                    found.size_bytes = Some(size).filter(|size| *size < 1 << 62);
                    found.size_bytes?;
                }
                b"mtime" => found.modified_ns = time_ns(value),
                key => found.sparse |= key.starts_with(b"GNU.sparse."),
            }
        }
        Some(found)
    }
}

/// Seconds with a fraction, in nanoseconds.
fn time_ns(value: &[u8]) -> Option<i64> {
    let text = str::from_utf8(value).ok()?;
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let mut digits = fraction.bytes().chain(std::iter::repeat(b'0')).take(9);
    let nanos = digits.try_fold(0_i64, |sum, digit| {
        digit.is_ascii_digit().then(|| sum * 10 + i64::from(digit - b'0'))
    })?;
    let seconds: i64 = whole.parse().ok()?;
    let signed = if whole.starts_with('-') { -nanos } else { nanos };
    seconds.checked_mul(1_000_000_000)?.checked_add(signed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_octal_or_binary_and_bounded() {
        assert_eq!(number(b"0000644\0"), Some(0o644));
        assert_eq!(number(b"  12 \0\0\0"), Some(0o12));
        assert_eq!(number(b"\0\0\0\0"), Some(0));
        assert_eq!(number(b"9\0"), None);
        assert_eq!(number(b"\x80\0\0\x01\0"), Some(256));
        assert_eq!(number(&[0xff; 12]), None);
    }

    #[test]
    fn attributes_are_read_and_broken_ones_refused() {
        let found = Attributes::parse(b"12 path=a/b\n11 size=12\n19 mtime=1.5000000\n").unwrap();
        assert_eq!(found.name.as_deref(), Some(&b"a/b"[..]));
        assert_eq!((found.size_bytes, found.modified_ns), (Some(12), Some(1_500_000_000)));
        assert!(Attributes::parse(b"22 GNU.sparse.major=1\n").unwrap().sparse);
        for broken in [&b"99 path=a\n"[..], b"x", b"0 a=b\n", b"5 a=b", b"12 size=12x\n\n", b"3 \n"]
        {
            assert_eq!(Attributes::parse(broken), None, "{broken:?}");
        }
        assert_eq!(time_ns(b"-1.25"), Some(-1_250_000_000));
        assert_eq!(time_ns(b"1.x"), None);
    }
}
