//! Keys whose byte order is their logical order.
//!
//! sled sorts bytes; everything that scans (first in line, next due, files of one item) relies on
//! that order. A property test below states it for every key type.

/// A value that can be a key: its bytes sort as the value does.
pub trait Key: Sized {
    /// Appends the bytes of this key.
    fn put(&self, out: &mut Vec<u8>);
    /// Takes one key off the front of `input`; `None` when the bytes are not such a key.
    fn take(input: &mut &[u8]) -> Option<Self>;

    /// The key as bytes of its own.
    fn bytes(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(32);
        self.put(&mut out);
        out
    }

    /// Reads a key that fills `input` exactly.
    fn parse(mut input: &[u8]) -> Option<Self> {
        let key = Self::take(&mut input)?;
        input.is_empty().then_some(key)
    }
}

macro_rules! big_endian {
    ($($int:ty),*) => {$(
        impl Key for $int {
            fn put(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_be_bytes());
            }
            fn take(input: &mut &[u8]) -> Option<Self> {
                let (head, tail) = input.split_first_chunk()?;
                *input = tail;
                Some(<$int>::from_be_bytes(*head))
            }
        }
    )*};
}
big_endian!(u8, u32, u64);

/// Text ends in a zero byte, so that `"ab" < "abc"` holds in bytes too. Text with a zero byte
/// inside cannot be a key: topics, schedules and names are checked before they come here, and a
/// zero byte that slips through is written as 0x01 rather than cutting the key short.
impl Key for String {
    fn put(&self, out: &mut Vec<u8>) {
        out.extend(self.as_bytes().iter().map(|byte| byte.max(&1)));
        out.push(0);
    }
    fn take(input: &mut &[u8]) -> Option<Self> {
        let end = input.iter().position(|&byte| byte == 0)?;
        let text = std::str::from_utf8(input.get(..end)?).ok()?.to_owned();
        *input = input.get(end + 1..)?;
        Some(text)
    }
}

/// The rest of a key, any bytes at all: file paths, keys of a lease.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tail(pub Vec<u8>);

impl Key for Tail {
    fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.0);
    }
    fn take(input: &mut &[u8]) -> Option<Self> {
        Some(Tail(std::mem::take(input).to_vec()))
    }
}

impl<A: Key, B: Key> Key for (A, B) {
    fn put(&self, out: &mut Vec<u8>) {
        self.0.put(out);
        self.1.put(out);
    }
    fn take(input: &mut &[u8]) -> Option<Self> {
        Some((A::take(input)?, B::take(input)?))
    }
}

impl<A: Key, B: Key, C: Key> Key for (A, B, C) {
    fn put(&self, out: &mut Vec<u8>) {
        self.0.put(out);
        self.1.put(out);
        self.2.put(out);
    }
    fn take(input: &mut &[u8]) -> Option<Self> {
        Some((A::take(input)?, B::take(input)?, C::take(input)?))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn agrees<K: Key + Ord + Clone + std::fmt::Debug>(a: K, b: K) {
        assert_eq!(a.bytes().cmp(&b.bytes()), a.cmp(&b), "{a:?} against {b:?}");
        assert_eq!(K::parse(&a.bytes()), Some(a));
    }

    proptest! {
        #[test]
        fn byte_order_is_logical_order(
            a in ("[a-z_0-9é]{0,6}", any::<u64>(), any::<Vec<u8>>()),
            b in ("[a-z_0-9é]{0,6}", any::<u64>(), any::<Vec<u8>>()),
        ) {
            agrees(a.1, b.1);
            agrees(a.0.clone(), b.0.clone());
            agrees((a.0.clone(), a.1), (b.0.clone(), b.1));
            agrees((a.0, a.1, Tail(a.2)), (b.0, b.1, Tail(b.2)));
        }

        #[test]
        fn foreign_bytes_never_panic(bytes in any::<Vec<u8>>()) {
            let _ = <(String, u64, Tail)>::parse(&bytes);
            let _ = <(u64, u8, u32)>::parse(&bytes);
        }
    }
}
