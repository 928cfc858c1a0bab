//! The secrets of servers: in the key store, by server and variable, and removed from what servers return.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use plait_core::error::Fault;
use secrecy::{ExposeSecret as _, SecretString};

use super::McpServers;
use crate::codes;
use crate::keys::{KeyOwner, KeyRetention};
use crate::tools::hosts::MCP;
use crate::tools::mcp::entry::{McpEntry, McpValue, expand};
use crate::tools::mcp::server::Server;

impl McpServers {
    /// The values of variables or headers, with their secrets.
    pub(super) async fn values(
        &self,
        server: &Server,
        values: &BTreeMap<String, McpValue>,
    ) -> Result<BTreeMap<String, String>, Fault> {
        let mut resolved = BTreeMap::new();
        for (variable, value) in values {
            let value = match value {
                McpValue::Text(text) => expand(text, crate::environment::variable, &server.name)?,
                McpValue::Secret => {
                    self.secret(&server.name, &server.entry, variable).await?.expose_secret().to_owned()
                }
            };
            resolved.insert(variable.clone(), value);
        }
        Ok(resolved)
    }

    pub(super) async fn put_secret(
        &self,
        server: &str,
        entry: &McpEntry,
        variable: &str,
        secret: &SecretString,
    ) -> Result<(), Fault> {
        self.redact(server, variable, secret);
        // Keys are stored without spaces; a header may have some.
        let encoded = SecretString::from(URL_SAFE_NO_PAD.encode(secret.expose_secret()));
        self.0.keys.set(&owner(server, entry, variable), &encoded, KeyRetention::Stored).await
    }

    async fn secret(&self, server: &str, entry: &McpEntry, variable: &str) -> Result<SecretString, Fault> {
        let missing = || {
            let message =
                format!("The value of `{variable}` of the MCP server `{server}` is not in the key store.");
            Fault::new(codes::MCP_NO_VARIABLE, message).hint("Add the server again with its value.")
        };
        let stored = self.0.keys.find(&owner(server, entry, variable), None).await?.ok_or_else(missing)?;
        let decoded = URL_SAFE_NO_PAD.decode(stored.key.expose_secret()).map_err(|_| missing())?;
        let secret = SecretString::from(String::from_utf8(decoded).map_err(|_| missing())?);
        self.redact(server, variable, &secret);
        Ok(secret)
    }

    /// From now on the secret is removed from what servers return. Of `Bearer X` that is `X` as well.
    fn redact(&self, server: &str, variable: &str, secret: &SecretString) {
        let label = format!("{server} {variable}");
        self.0.keys.redaction().add_key(&label, secret);
        if let Some((_, token)) = secret.expose_secret().split_once(' ') {
            self.0.keys.redaction().add_key(&label, &SecretString::from(token));
        }
    }

    /// Ends a server and forgets everything about it, except on disk.
    pub(super) async fn forget(&self, name: &str) {
        let server = self.0.servers.lock().remove(name);
        self.0.accepted.lock().remove(name);
        let Some(server) = server else { return };
        server.close().await;
        for variable in server.entry.secrets() {
            // A key store that cannot be read cannot hand out the secret either.
            let _ = self.0.keys.remove(&owner(name, &server.entry, variable)).await;
        }
    }
}

/// The owner of a secret: bound to the address of the server, if it has one.
fn owner(server: &str, entry: &McpEntry, variable: &str) -> KeyOwner {
    KeyOwner::new(&format!("{MCP} {server} {variable}"), entry.url())
}
