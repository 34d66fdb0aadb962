//! Rules for who stands between us and the people who ask.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use super::words::listed;
use super::{Given, Rule, quoted};
use crate::config::http::Forwarding;

/// Most networks in a list: each is compared with the sender of every request.
const MOST: usize = 256;

/// An address, or all that begin alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Network {
    address: IpAddr,
    bits: u32,
}

impl Network {
    /// Whether an address is in it. One of the older kind may come written as the newer.
    pub fn contains(&self, address: IpAddr) -> bool {
        match (self.address, address.to_canonical()) {
            (IpAddr::V4(own), IpAddr::V4(other)) => {
                let apart = u32::from(own) ^ u32::from(other);
                apart.leading_zeros() >= self.bits
            }
            (IpAddr::V6(own), IpAddr::V6(other)) => {
                let apart = u128::from(own) ^ u128::from(other);
                apart.leading_zeros() >= self.bits
            }
            (IpAddr::V4(_), IpAddr::V6(_)) | (IpAddr::V6(_), IpAddr::V4(_)) => false,
        }
    }
}

impl FromStr for Network {
    type Err = ();
    fn from_str(text: &str) -> Result<Network, ()> {
        let (address, bits) = match text.trim().split_once('/') {
            Some((address, bits)) => (address, Some(bits)),
            None => (text.trim(), None),
        };
        let address: IpAddr = address.parse().map_err(|_| ())?;
        let most: u32 = if address.is_ipv4() { 32 } else { 128 };
        let bits: u32 = match bits {
            Some(bits) if bits.bytes().all(|b| b.is_ascii_digit()) => {
                bits.parse().map_err(|_| ())?
            }
            Some(_) => return Err(()),
            None => most,
        };
        let address = address.to_canonical();
        // Written as the newer kind, an address of the older has 96 bits before its own.
        let bits = if most == 128 && address.is_ipv4() { bits.checked_sub(96) } else { Some(bits) };
        let bits = bits.filter(|bits| *bits <= most).ok_or(())?;
        Ok(Network { address, bits })
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whole = if self.address.is_ipv4() { 32 } else { 128 };
        match self.bits == whole {
            true => write!(f, "{}", self.address),
            false => write!(f, "{}/{}", self.address, self.bits),
        }
    }
}

/// A list of addresses and networks.
pub(in crate::config) struct Networks;

impl Rule for Networks {
    type Meant = Vec<Network>;
    fn read(&self, given: Given<'_>) -> Option<Vec<Network>> {
        let read = |text: &str| text.parse().ok();
        let all: Option<Vec<_>> = match given {
            Given::Toml(value) => value.as_array()?.iter().map(|v| read(v.as_str()?)).collect(),
            Given::Text(text) => {
                text.to_str()?.split(',').filter(|part| !part.trim().is_empty()).map(read).collect()
            }
        };
        all.filter(|all| all.len() <= MOST)
    }
    fn allowed(&self) -> String {
        "a list of IP addresses and networks, such as [\"10.0.0.7\", \"fd00::/8\"]".to_owned()
    }
    fn write(&self, meant: &Vec<Network>) -> String {
        listed(&meant.iter().map(Network::to_string).collect::<Vec<_>>())
    }
}

/// How a proxy says for whom it asks.
pub(in crate::config) struct ForwardingHeaders;

impl Rule for ForwardingHeaders {
    type Meant = Forwarding;
    fn read(&self, given: Given<'_>) -> Option<Forwarding> {
        match given.text()? {
            "x-forwarded" => Some(Forwarding::XForwarded),
            "forwarded" => Some(Forwarding::Forwarded),
            _ => None,
        }
    }
    fn allowed(&self) -> String {
        "\"x-forwarded\" or \"forwarded\"".to_owned()
    }
    fn write(&self, meant: &Forwarding) -> String {
        quoted(match meant {
            Forwarding::XForwarded => "x-forwarded",
            Forwarding::Forwarded => "forwarded",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_holds_what_begins_alike() {
        for (network, inside, outside) in [
            ("10.0.0.0/8", "10.255.0.1", "11.0.0.1"),
            ("10.0.0.7", "10.0.0.7", "10.0.0.8"),
            ("10.0.0.7/32", "::ffff:10.0.0.7", "10.0.0.6"),
            ("::ffff:10.0.0.0/104", "10.1.1.1", "11.1.1.1"),
            ("fd00::/8", "fdff::1", "fe00::1"),
            ("::1", "::1", "127.0.0.1"),
            ("0.0.0.0/0", "255.1.1.1", "::1"),
        ] {
            let network: Network = network.parse().unwrap();
            assert!(network.contains(inside.parse().unwrap()), "{network} {inside}");
            assert!(!network.contains(outside.parse().unwrap()), "{network} {outside}");
        }
    }

    #[test]
    fn what_is_no_network_is_refused() {
        for bad in [
            "",
            "10.0.0",
            "10.0.0.0/33",
            "10.0.0.0/",
            "10.0.0.0/+8",
            "::/129",
            "a",
            "::ffff:1.1.1.1/8",
        ] {
            assert!(bad.parse::<Network>().is_err(), "{bad}");
        }
    }
}
