//! Hosts that this machine works with: where they are, the tokens for them, and requests to them.
//!
//! `hosts.json` in the data directory has names and addresses. Tokens are kept as the keys of providers are: for the address that they
//! were entered for, and no other.

mod client;

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use plait_core::error::Fault;
use plait_store::atomic_file;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use url::Url;

use crate::codes;
use crate::keys::{KeyOwner, KeyRetention, KeyStore};
use crate::net::is_loopback;
pub use client::{HostClient, HostEvent, HostReply};

const FILE_NAME: &str = "hosts.json";
/// The longest name of a host, in characters.
const MAX_NAME_CHARS: usize = 60;

/// A host in the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostEntry {
    /// Where it is, without a slash at the end.
    pub url: String,
}

/// A host with the token for it.
pub struct HostAccess {
    pub name: String,
    pub url: String,
    pub token: SecretString,
}

/// The hosts of a data directory.
pub struct HostList {
    home: PathBuf,
    keys: KeyStore,
}

impl HostList {
    pub fn open(home: &Path) -> Self {
        Self::with_keys(home, KeyStore::open(home))
    }

    /// The hosts of a data directory, with their tokens in this store of keys.
    pub fn with_keys(home: &Path, keys: KeyStore) -> Self {
        Self { home: home.to_owned(), keys }
    }

    /// The hosts by name. Fault `hosts.unreadable`.
    pub fn list(&self) -> Result<BTreeMap<String, HostEntry>, Fault> {
        let text = match std::fs::read(self.path()) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
            text => text.map_err(|error| self.unreadable(&error))?,
        };
        serde_json::from_slice(&text).map_err(|error| self.unreadable(&error))
    }

    /// The address of a host in the form in which it is kept. Faults `hosts.bad_address`, `hosts.bad_name`.
    pub fn check(&self, name: &str, url: &str) -> Result<String, Fault> {
        check_name(name)?;
        checked_address(url)
    }

    /// Adds a host, or replaces it. Faults `hosts.bad_address`, `hosts.bad_name`, `hosts.unreadable`, `keys.*`.
    pub async fn add(&self, name: &str, url: &str, token: &SecretString) -> Result<(), Fault> {
        let url = self.check(name, url)?;
        let mut hosts = self.list()?;
        self.keys.set(&owner(name, &url), token, KeyRetention::Stored).await?;
        hosts.insert(name.to_owned(), HostEntry { url });
        self.write(&hosts)
    }

    /// Removes a host and the token for it. Faults `hosts.unknown`, `hosts.unreadable`, `keys.*`.
    pub async fn remove(&self, name: &str) -> Result<(), Fault> {
        let mut hosts = self.list()?;
        let entry = hosts.remove(name).ok_or_else(|| unknown(name))?;
        self.keys.remove(&owner(name, &entry.url)).await?;
        self.write(&hosts)
    }

    /// A host with the token for it. Faults `hosts.unknown`, `hosts.no_token`, `hosts.unreadable`, `keys.*`.
    pub async fn access(&self, name: &str) -> Result<HostAccess, Fault> {
        let entry = self.list()?.remove(name).ok_or_else(|| unknown(name))?;
        let found = self.keys.find(&owner(name, &entry.url), None).await?;
        let token = found.ok_or_else(|| {
            Fault::new(codes::HOSTS_NO_TOKEN, format!("There is no token for the host `{name}`."))
                .hint(format!("Enter it: plait hosts add {name} {}", entry.url))
        })?;
        Ok(HostAccess { name: name.to_owned(), url: entry.url, token: token.key })
    }

    fn path(&self) -> PathBuf {
        self.home.join(FILE_NAME)
    }

    fn write(&self, hosts: &BTreeMap<String, HostEntry>) -> Result<(), Fault> {
        let written = serde_json::to_vec_pretty(hosts).map_err(io::Error::other).and_then(|text| {
            std::fs::create_dir_all(&self.home)?;
            atomic_file::replace_private(&self.path(), &text)
        });
        written.map_err(|error| {
            let message =
                format!("The list of hosts, `{}`, cannot be written: {error}.", self.path().display());
            Fault::new(codes::HOSTS_UNREADABLE, message)
                .hint("Check the permissions of the file and its folder.")
        })
    }

    fn unreadable(&self, error: &dyn std::error::Error) -> Fault {
        let message = format!("The list of hosts, `{}`, cannot be read: {error}.", self.path().display());
        Fault::new(codes::HOSTS_UNREADABLE, message)
            .hint("Correct the file, or remove it and add the hosts again.")
    }
}

/// Whom the token for a host belongs to, in the store of keys.
fn owner(name: &str, url: &str) -> KeyOwner {
    KeyOwner::new(&format!("host {name}"), Some(url))
}

fn check_name(name: &str) -> Result<(), Fault> {
    let is_good = !name.is_empty()
        && name.chars().count() <= MAX_NAME_CHARS
        && name.chars().all(|char| char.is_alphanumeric() || "-_.".contains(char));
    if is_good {
        return Ok(());
    }
    Err(Fault::new(codes::HOSTS_BAD_NAME, format!("`{name}` cannot be the name of a host."))
        .hint(format!("Use letters, digits, `-`, `_` and `.`, at most {MAX_NAME_CHARS} of them.")))
}

/// The address of a host in one form. Without encryption only this machine is reached: a token would be read on the way.
fn checked_address(text: &str) -> Result<String, Fault> {
    let bad = |why: &str| {
        Fault::new(codes::HOSTS_BAD_ADDRESS, format!("`{text}` cannot be the address of a host: {why}."))
            .hint("Write it like `https://plait.example.com`.")
    };
    let url = Url::parse(text).map_err(|error| bad(&error.to_string()))?;
    match url.scheme() {
        "https" => {}
        "http" if is_loopback(&url) => {}
        "http" => return Err(bad("without encryption, only a host on this machine is reached")),
        _ => return Err(bad("it begins neither with `https://` nor with `http://`")),
    }
    if !url.username().is_empty()
        || url.password().is_some()
        || url.query().is_some()
        || url.fragment().is_some()
    {
        return Err(bad("it has more than a host, a port and a path"));
    }
    Ok(url.as_str().trim_end_matches('/').to_owned())
}

fn unknown(name: &str) -> Fault {
    Fault::new(codes::HOSTS_UNKNOWN, format!("There is no host `{name}` in the list."))
        .hint("`plait hosts list` lists the hosts, `plait hosts add` adds one.")
}

#[cfg(test)]
mod tests;
