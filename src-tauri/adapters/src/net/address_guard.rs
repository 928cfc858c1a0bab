//! Which addresses a flow's requests may reach: public ones, and hosts that the person allowed.
//!
//! A name is resolved once per connection, all of its addresses are checked, and the connection goes to a checked
//! address. So a name that resolves to another address a moment later gains nothing.

use std::fmt;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::str::FromStr;
use std::sync::Arc;

use futures::future::BoxFuture;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use url::{Host, Url};

/// A host that the person allows, at any address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AllowedHost {
    host: Host,
    /// Any port without one.
    port: Option<u16>,
}

impl FromStr for AllowedHost {
    type Err = String;

    /// Reads `NAME`, `NAME:PORT`, `192.168.0.1:80` or `[::1]:80`.
    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let bad = || format!("`{text}` is not a host, like `localhost`, `localhost:8080` or `[::1]:8080`");
        if text.contains(['/', '@', '?', '#', '\\', '*']) || text.is_empty() {
            return Err(bad());
        }
        let url = Url::parse(&format!("http://{text}/")).map_err(|_| bad())?;
        // The port that the scheme implies is not in the URL.
        let port = match text.rsplit_once(':') {
            Some((_, port)) if !port.ends_with(']') => Some(port.parse().map_err(|_| bad())?),
            _ => None,
        };
        Ok(Self { host: url.host().ok_or_else(bad)?.to_owned(), port })
    }
}

impl fmt::Display for AllowedHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.port {
            Some(port) => write!(f, "{}:{port}", self.host),
            None => write!(f, "{}", self.host),
        }
    }
}

/// The exceptions that the guard lets through. Empty by default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AddressPolicy {
    allowed: Vec<AllowedHost>,
}

impl AddressPolicy {
    /// Public addresses and these hosts.
    pub fn allowing(allowed: Vec<AllowedHost>) -> Self {
        Self { allowed }
    }

    /// Whether the person allowed the host of a URL by name.
    pub(super) fn allows(&self, url: &Url) -> bool {
        let (host, port) = (url.host(), url.port_or_known_default());
        self.allowed.iter().any(|allowed| {
            host.as_ref().is_some_and(|host| *host == as_ref(&allowed.host))
                && allowed.port.is_none_or(|allowed| Some(allowed) == port)
        })
    }
}

fn as_ref(host: &Host) -> Host<&str> {
    match host {
        Host::Domain(name) => Host::Domain(name.as_str()),
        Host::Ipv4(address) => Host::Ipv4(*address),
        Host::Ipv6(address) => Host::Ipv6(*address),
    }
}

pub(super) type Lookup = Arc<dyn Fn(String) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> + Send + Sync>;

/// Decides whether an address is refused. Another one than [`is_refused`] is for tests.
pub(super) type Classifier = fn(IpAddr) -> bool;

/// The system's resolver.
pub(super) fn system_lookup() -> Lookup {
    Arc::new(|name| {
        Box::pin(async move {
            let addresses = tokio::net::lookup_host((name.as_str(), 0)).await?;
            Ok(addresses.map(|address| address.ip()).collect())
        })
    })
}

/// A resolver that returns allowed addresses only.
pub(super) struct GuardedResolver {
    pub(super) lookup: Lookup,
    pub(super) is_refused: Classifier,
}

impl Resolve for GuardedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let (lookup, is_refused, name) =
            (Arc::clone(&self.lookup), self.is_refused, name.as_str().to_owned());
        Box::pin(async move {
            let addresses = lookup(name.clone()).await?;
            // One refused address is enough: no public name has any, and which one is used is not known beforehand.
            if let Some(address) = addresses.iter().copied().find(|&address| is_refused(address)) {
                return Err(RefusedAddress { host: name, address }.into());
            }
            let addresses: Addrs = Box::new(addresses.into_iter().map(|address| SocketAddr::new(address, 0)));
            Ok(addresses)
        })
    }
}

/// An address that a request may not reach.
#[derive(Clone, Debug, thiserror::Error)]
#[error("`{host}` has the address {address}, which is not public")]
pub(super) struct RefusedAddress {
    pub(super) host: String,
    pub(super) address: IpAddr,
}

/// The address in a URL. None for a name, which the resolver checks.
pub(super) fn literal_address(url: &Url) -> Option<IpAddr> {
    match url.host()? {
        Host::Ipv4(address) => Some(address.into()),
        Host::Ipv6(address) => Some(address.into()),
        Host::Domain(_) => None,
    }
}

/// Whether an address is none of the public internet: loopback, private, link-local, shared, multicast, reserved, and
/// the addresses at which clouds serve a machine its own credentials.
pub(super) fn is_refused(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_refused_v4(address),
        IpAddr::V6(address) => is_refused_v6(address),
    }
}

fn is_refused_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    address.is_loopback()
        || address.is_private()
        || address.is_link_local()
        || address.is_broadcast()
        || address.is_documentation()
        || address.is_multicast()
        // "This" network; shared by a provider's customers, with Alibaba's metadata; protocols, with Oracle's metadata;
        // 6to4 relays; benchmarks; reserved.
        || a == 0
        || (a == 100 && (64..128).contains(&b))
        || (a == 192 && b == 0 && c == 0)
        || (a == 192 && b == 88 && c == 99)
        || (a == 198 && (b == 18 || b == 19))
        || a >= 240
        // Azure's, which is a public address.
        || address == Ipv4Addr::new(168, 63, 129, 16)
}

fn is_refused_v6(address: Ipv6Addr) -> bool {
    let segments = address.segments();
    let embedded = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        is_refused_v4(Ipv4Addr::new(a, b, c, d))
    };
    match segments {
        // IPv4, mapped or translated (NAT64), and 6to4: as the address inside.
        [0, 0, 0, 0, 0, 0xffff, high, low]
        | [0x64, 0xff9b, 0, 0, 0, 0, high, low]
        | [0x2002, high, low, ..] => embedded(high, low),
        // Teredo, benchmarks and other protocols (2001::/23), documentation.
        [0x2001, second, ..] if second < 0x200 || second == 0xdb8 => true,
        [0x3fff, second, ..] if second < 0x1000 => true,
        // Everything else that is public is in 2000::/3.
        [first, ..] => !(0x2000..0x4000).contains(&first),
    }
}

#[cfg(test)]
mod tests;
