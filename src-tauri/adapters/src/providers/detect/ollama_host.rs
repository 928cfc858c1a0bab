//! `OLLAMA_HOST`, as Ollama's own programs read it. Owns what each of its forms means.

use reqwest::Url;

const VARIABLE: &str = "OLLAMA_HOST";
const PORT: u16 = 11_434;

/// Where Ollama listens by that variable, if it is set to anything that makes sense.
pub(super) fn from_environment() -> Option<Url> {
    origin(&std::env::var(VARIABLE).ok()?)
}

/// `host`, `:port`, `host:port`, or either with a scheme; a server that listens everywhere is asked on this machine.
fn origin(set: &str) -> Option<Url> {
    let set = set.trim().trim_matches(['"', '\'']).trim();
    if set.is_empty() {
        return None;
    }
    let (scheme, rest) = set.split_once("://").unwrap_or(("http", set));
    let rest = rest.split('/').next().unwrap_or_default();
    let rest = if rest.starts_with(':') { format!("127.0.0.1{rest}") } else { rest.to_owned() };
    let mut url = Url::parse(&format!("{scheme}://{rest}/")).ok()?;
    if !matches!(scheme, "http" | "https") || !url.has_host() {
        return None;
    }
    // With a scheme, a port left out is the scheme's.
    if url.port().is_none() && !set.contains("://") && !rest.ends_with(":80") {
        url.set_port(Some(PORT)).ok()?;
    }
    if matches!(url.host_str(), Some("0.0.0.0" | "[::]")) {
        url.set_host(Some("127.0.0.1")).ok()?;
    }
    Some(url)
}

#[cfg(test)]
mod tests;
