//! Which addresses are public: reached by everybody, and by nobody more because they ask from here.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Networks of the older kind that are not public, by the registry of special addresses (RFC 6890 and
/// what it was updated by): their first address, and how many bits they share.
const CLOSED: [([u8; 4], u32); 15] = [
    ([0, 0, 0, 0], 8),
    ([10, 0, 0, 0], 8),
    ([100, 64, 0, 0], 10),
    ([127, 0, 0, 0], 8),
    ([169, 254, 0, 0], 16),
    ([172, 16, 0, 0], 12),
    ([192, 0, 0, 0], 24),
    ([192, 0, 2, 0], 24),
    ([192, 88, 99, 0], 24),
    ([192, 168, 0, 0], 16),
    ([198, 18, 0, 0], 15),
    ([198, 51, 100, 0], 24),
    ([203, 0, 113, 0], 24),
    ([224, 0, 0, 0], 4),
    ([240, 0, 0, 0], 4),
];

/// Whether an address is public.
pub(super) fn is_public(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let bits = address.to_bits();
    !CLOSED
        .iter()
        .any(|(first, shared)| (Ipv4Addr::from(*first).to_bits() ^ bits).leading_zeros() >= *shared)
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let [a, b, c, d, e, f, g, h] = address.segments();
    let older = |high: u16, low: u16| {
        is_public_v4(Ipv4Addr::from_bits((u32::from(high) << 16) | u32::from(low)))
    };
    match (a, b) {
        // An address of the older kind, translated on its way.
        (0x64, 0xff9b) if (c, d, e, f) == (0, 0, 0, 0) => older(g, h),
        (0x2002, high) => older(high, c),
        // Tunnels, test networks and documents.
        (0x2001, 0..=0x1ff | 0xdb8) | (0x3fff, 0..=0xfff) => false,
        // All that is given out to be reached from everywhere.
        (0x2000..=0x3fff, _) => true,
        (_, _) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_ours_or_nobodys_is_not_public() {
        for closed in [
            "0.0.0.0",
            "10.255.0.1",
            "100.64.0.1",
            "127.0.0.1",
            "127.255.255.254",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.1.1",
            "198.19.0.1",
            "224.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "::7f00:1",
            "64:ff9b::10.0.0.1",
            "64:ff9b:1::1",
            "2002:7f00:1::",
            "2001:0:1::1",
            "2001:db8::1",
            "fc00::1",
            "fd12::1",
            "fe80::1",
            "fec0::1",
            "ff02::1",
        ] {
            assert!(!is_public(closed.parse().unwrap()), "{closed}");
        }
    }

    #[test]
    fn what_everybody_reaches_is_public() {
        for open in [
            "1.1.1.1",
            "9.255.255.255",
            "100.128.0.1",
            "126.255.255.255",
            "172.15.0.1",
            "172.32.0.1",
            "192.169.0.1",
            "223.255.255.255",
            "::ffff:8.8.8.8",
            "64:ff9b::8.8.8.8",
            "2002:808:808::1",
            "2001:4860:4860::8888",
            "2606:4700::1111",
        ] {
            assert!(is_public(open.parse().unwrap()), "{open}");
        }
    }
}
