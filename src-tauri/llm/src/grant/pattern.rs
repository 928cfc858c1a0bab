//! What a rule is about: one target, or several with a wildcard. Wildcards stand only where they are obvious: `*` for all of a
//! kind, `*.example.com` for all hosts below a domain, `server/*` for all tools of a server. A folder includes those in it.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use ts_rs::TS;
use url::Host;

use super::{GrantKind, GrantTarget};

/// Maximum length of a target in a rule, in bytes.
const MAX_TARGET_BYTES: usize = 4_096;

/// A target of rules. Its text is `KIND=TARGET`, such as `host=*.example.com`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, TS)]
#[serde(into = "String", try_from = "String")]
#[ts(type = "string")]
pub struct GrantPattern {
    kind: GrantKind,
    coverage: Coverage,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Coverage {
    /// All of the kind.
    All,
    /// Hosts below this domain.
    Below(String),
    /// All tools of this MCP server.
    Server(String),
    /// A host, at this port or any.
    Host(String, Option<u16>),
    /// One thing by its name. A folder includes those in it.
    Name(String),
}

/// How exact a pattern is: the higher, the fewer targets it matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Exactness(u8, usize);

impl GrantPattern {
    /// The pattern of this kind with this text. An error names the problem.
    pub fn new(kind: GrantKind, text: &str) -> Result<Self, String> {
        let text = text.trim();
        let invalid = |what: &str| Err(format!("`{}={text}`: {what}", kind.as_str()));
        if text.is_empty() {
            return invalid("the target is missing");
        }
        if text.len() > MAX_TARGET_BYTES || text.chars().any(char::is_control) {
            return invalid("the target is too long or contains control characters");
        }
        if text == "*" {
            return Ok(Self { kind, coverage: Coverage::All });
        }
        let coverage = match kind {
            GrantKind::Host => match parse_host(text) {
                Some(coverage) => coverage,
                None => {
                    return invalid(
                        "expected a host like `api.example.com`, `localhost:8080` or `*.example.com`",
                    );
                }
            },
            GrantKind::Folder => match normalize_folder(text) {
                Some(folder) => Coverage::Name(folder),
                None => return invalid("expected the absolute path of a folder"),
            },
            GrantKind::Tool => match text.strip_suffix("/*") {
                Some(server) if !server.is_empty() && !server.contains('*') => {
                    Coverage::Server(server.to_owned())
                }
                Some(_) => return invalid("a wildcard stands for all tools of a server, like `files/*`"),
                None => Coverage::Name(text.to_owned()),
            },
            GrantKind::Command => Coverage::Name(text.to_owned()),
        };
        if matches!(&coverage, Coverage::Name(name) if kind != GrantKind::Folder && name.contains('*')) {
            return invalid("a wildcard can't stand here");
        }
        Ok(Self { kind, coverage })
    }

    pub fn of(target: &GrantTarget) -> Self {
        let coverage = match target {
            GrantTarget::Command(name) | GrantTarget::Folder(name) => Coverage::Name(name.clone()),
            GrantTarget::Host(None) | GrantTarget::Tool { server: None, tool: None } => Coverage::All,
            GrantTarget::Host(Some((name, port))) => {
                Coverage::Host(name.clone(), Some(*port).filter(|port| !matches!(port, 80 | 443)))
            }
            GrantTarget::Tool { server: Some(server), tool: None } => Coverage::Server(server.clone()),
            GrantTarget::Tool { server, tool: Some(tool) } => {
                Coverage::Name(tool_name(server.as_deref(), tool))
            }
        };
        Self { kind: target.kind(), coverage }
    }

    /// The target that it stands for; with a wildcard, all of them at once, so that only a rule about all covers it.
    pub fn to_target(&self) -> GrantTarget {
        match (&self.coverage, self.kind) {
            (Coverage::Host(name, port), _) => GrantTarget::host(name, port.unwrap_or(443)),
            (Coverage::Server(server), _) => GrantTarget::Tool { server: Some(server.clone()), tool: None },
            (Coverage::Name(name), GrantKind::Command) => GrantTarget::Command(name.clone()),
            (Coverage::Name(name), GrantKind::Folder) => GrantTarget::Folder(name.clone()),
            (Coverage::Name(name), _) => match name.split_once('/') {
                Some((server, tool)) => GrantTarget::server_tool(server, tool),
                None => GrantTarget::tool(name),
            },
            (Coverage::All, GrantKind::Tool) => GrantTarget::Tool { server: None, tool: None },
            (Coverage::All, GrantKind::Folder) => GrantTarget::Folder("/".to_owned()),
            (Coverage::All, GrantKind::Command) => GrantTarget::Command(String::new()),
            (Coverage::All | Coverage::Below(_), _) => GrantTarget::Host(None),
        }
    }

    /// What it is about.
    pub fn kind(&self) -> GrantKind {
        self.kind
    }

    /// Its text without the kind.
    pub fn name(&self) -> String {
        match &self.coverage {
            Coverage::All => "*".to_owned(),
            Coverage::Below(domain) => format!("*.{domain}"),
            Coverage::Server(server) => format!("{server}/*"),
            Coverage::Host(name, None) | Coverage::Name(name) => name.clone(),
            Coverage::Host(name, Some(port)) => format!("{name}:{port}"),
        }
    }

    /// Whether it has no wildcard.
    pub fn is_exact(&self) -> bool {
        matches!(self.coverage, Coverage::Host(..) | Coverage::Name(_))
    }

    pub fn exactness(&self) -> Exactness {
        match &self.coverage {
            Coverage::All => Exactness(0, 0),
            Coverage::Below(domain) => Exactness(1, domain.len()),
            Coverage::Server(server) => Exactness(1, server.len()),
            Coverage::Host(_, port) => Exactness(2, usize::from(port.is_some())),
            // A folder in a folder is the more exact one.
            Coverage::Name(name) => Exactness(2, name.len()),
        }
    }

    /// Whether it is about this target. One that is not known before the run, or stands for several, needs a pattern for all
    /// of it.
    pub fn covers(&self, target: &GrantTarget) -> bool {
        if self.kind != target.kind() {
            return false;
        }
        match (&self.coverage, target) {
            (Coverage::All, _) => true,
            (Coverage::Below(domain), GrantTarget::Host(Some((name, _)))) => {
                name.strip_suffix(domain).is_some_and(|rest| rest.ends_with('.') && rest.len() > 1)
            }
            (Coverage::Host(own, port), GrantTarget::Host(Some((name, actual)))) => {
                own == name && port.is_none_or(|port| port == *actual)
            }
            (Coverage::Server(own), GrantTarget::Tool { server: Some(server), .. }) => own == server,
            (Coverage::Name(own), GrantTarget::Tool { server, tool: Some(tool) }) => {
                *own == tool_name(server.as_deref(), tool)
            }
            (Coverage::Name(own), GrantTarget::Command(name)) => own == name,
            (Coverage::Name(own), GrantTarget::Folder(folder)) => is_in_folder(own, folder),
            _ => false,
        }
    }
}

impl fmt::Display for GrantPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.kind.as_str(), self.name())
    }
}

impl FromStr for GrantPattern {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let kinds = [GrantKind::Command, GrantKind::Host, GrantKind::Folder, GrantKind::Tool];
        let (kind, target) = text
            .split_once('=')
            .and_then(|(kind, target)| {
                Some((kinds.into_iter().find(|one| one.as_str() == kind.trim())?, target))
            })
            .ok_or_else(|| {
                format!("`{text}`: expected host=NAME, folder=PATH, command=SERVER or tool=NAME")
            })?;
        Self::new(kind, target)
    }
}

impl TryFrom<String> for GrantPattern {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<GrantPattern> for String {
    fn from(pattern: GrantPattern) -> Self {
        pattern.to_string()
    }
}

fn tool_name(server: Option<&str>, tool: &str) -> String {
    server.map_or_else(|| tool.to_owned(), |server| format!("{server}/{tool}"))
}

fn is_in_folder(outer: &str, inner: &str) -> bool {
    let outer = outer.strip_suffix('/').unwrap_or(outer);
    inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// `NAME`, `NAME:PORT`, `[::1]:8080` or `*.NAME`, as URLs spell them.
fn parse_host(text: &str) -> Option<Coverage> {
    if let Some(domain) = text.strip_prefix("*.") {
        return match Host::parse(domain).ok()? {
            Host::Domain(domain) if !domain.contains('*') => Some(Coverage::Below(canonical_host(&domain))),
            _ => None,
        };
    }
    let (name, port) = match text.rsplit_once(':') {
        Some((name, port)) if !port.ends_with(']') => (name, Some(port.parse().ok()?)),
        _ => (text, None),
    };
    let host = Host::parse(name).ok()?;
    (!name.contains('*')).then(|| Coverage::Host(canonical_host(&host.to_string()), port))
}

/// One spelling for each host: in lower case, without the dot that ends an absolute name, and an IPv4 address as one also where
/// it stands in an IPv6 address.
pub fn canonical_host(name: &str) -> String {
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    let address = name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let mapped = address.and_then(|address| address.parse::<Ipv6Addr>().ok()?.to_ipv4_mapped());
    mapped.map_or(name, |address| address.to_string())
}

/// Whether a name itself says that its address is not public: `localhost`, or an address.
pub(super) fn is_local_name(name: &str) -> bool {
    let address = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
    name == "localhost" || name.ends_with(".localhost") || address.parse::<IpAddr>().is_ok()
}

/// An absolute path with `/` between its parts, without `.`, `..` and a slash at its end. `None` for one that is relative or
/// leads out of the root. Links are not followed.
pub fn normalize_folder(path: &str) -> Option<String> {
    let path = if cfg!(windows) { path.replace('\\', "/") } else { path.to_owned() };
    let drive = if cfg!(windows) { path.find('/').filter(|end| path[..*end].ends_with(':')) } else { None };
    let (root, rest) = match drive {
        Some(end) => path.split_at(end),
        None => ("", path.as_str()),
    };
    let rest = rest.strip_prefix('/')?;
    let mut parts: Vec<&str> = Vec::new();
    for part in rest.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(format!("{root}/{}", parts.join("/")))
}
