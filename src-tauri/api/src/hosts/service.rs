//! The hosts of the data directory, and the connections to them.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use parking_lot::Mutex;
use plait_adapters::hosts::{HostClient, HostList};
use plait_adapters::keys::KeyStore;
use plait_run::node::Registry;
use plait_store::Store;

use super::remote_host::RemoteHost;
use crate::ErrorReply;
use crate::codes;

pub struct HostService {
    pub(super) list: HostList,
    pub(super) store: Store,
    pub(super) registry: Arc<Registry>,
    connections: Mutex<Connections>,
}

#[derive(Default)]
struct Connections {
    /// By name. Finding the token may ask the keychain of the system, which takes long.
    open: HashMap<String, RemoteHost>,
    /// How often one was forgotten.
    forgotten: u64,
}

impl HostService {
    pub(crate) fn new(home: &Path, store: Store, registry: Arc<Registry>, keys: KeyStore) -> Self {
        Self { list: HostList::with_keys(home, keys), store, registry, connections: Mutex::default() }
    }

    /// A host of the list. `hosts.unknown`, `hosts.no_token`, `hosts.unreadable`, `keys.*`.
    pub(crate) async fn connection(&self, name: &str) -> Result<RemoteHost, ErrorReply> {
        let forgotten = {
            let connections = self.connections.lock();
            if let Some(host) = connections.open.get(name) {
                return Ok(host.clone());
            }
            connections.forgotten
        };
        let host = RemoteHost::new(HostClient::new(self.list.access(name).await?)?);
        let mut connections = self.connections.lock();
        // If one was forgotten meanwhile, the token that was read may be the one before.
        if connections.forgotten == forgotten {
            connections.open.insert(name.to_owned(), host.clone());
        }
        Ok(host)
    }

    /// Reads the address and the token of a host again the next time.
    pub(super) fn forget_connection(&self, name: &str) {
        let mut connections = self.connections.lock();
        connections.open.remove(name);
        connections.forgotten += 1;
    }

    /// The same after an error that goes with another address or another token: a terminal may have entered one.
    pub(crate) fn note_error(&self, name: &str, error: &ErrorReply) {
        let is_lost = [codes::HOSTS_UNREACHABLE, codes::HOSTS_OTHER_SERVER, codes::HOST_UNAUTHORIZED];
        if is_lost.contains(&error.code) {
            self.forget_connection(name);
        }
    }
}
