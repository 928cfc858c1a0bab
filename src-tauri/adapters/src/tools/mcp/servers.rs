//! The MCP servers of the person: their entries, their secrets, the tools that were accepted, and the host of their tools.

mod secrets;
mod tool_host;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use parking_lot::Mutex;
use plait_core::error::Fault;
use plait_core::hash::content_hash;
use serde_json::Value;

use super::connection::{Connection, Target};
use super::definitions::{AcceptedTools, McpPin, McpTool, McpToolChanges, definitions_hash};
use super::entry::{McpEntry, McpTransport, check_url, expand};
use super::import::import;
use super::log::{McpLogLine, McpLogOrigin};
use super::process::ServerCommand;
use super::server::Server;
use super::status::{
    McpImport, McpPrompt, McpResource, McpResourceContent, McpServerDetails, McpServerStatus,
};
use crate::codes;
use crate::keys::KeyStore;
use plait_store::Store;

/// The MCP servers of a data directory. Opening it starts none. Clones share the same servers.
#[derive(Clone)]
pub struct McpServers(Arc<State>);

struct State {
    store: Store,
    keys: KeyStore,
    servers: Mutex<BTreeMap<String, Arc<Server>>>,
    /// The tools that were accepted, by server.
    accepted: Mutex<BTreeMap<String, AcceptedTools>>,
    /// Held while the entries or the accepted tools are changed and written.
    write_lock: tokio::sync::Mutex<()>,
    /// Why the entries or the accepted tools can't be read. Then no server is used, as if its tools were new, and nothing is
    /// written over the files.
    damage: Mutex<Option<Fault>>,
}

/// What the store has of MCP servers.
struct StoredServers {
    servers: BTreeMap<String, Arc<Server>>,
    accepted: BTreeMap<String, AcceptedTools>,
    /// Why something of it cannot be read. It is empty then.
    faults: Vec<Fault>,
}

impl StoredServers {
    fn read(store: &Store) -> Self {
        let mut faults = Vec::new();
        let entries: BTreeMap<String, McpEntry> =
            store.mcp_servers().map_err(|fault| faults.push(fault)).unwrap_or_default();
        let accepted = store.mcp_tools().map_err(|fault| faults.push(fault)).unwrap_or_default();
        let servers = entries
            .into_iter()
            .map(|(name, entry)| (name.clone(), Arc::new(Server::new(&name, entry))))
            .collect();
        Self { servers, accepted, faults }
    }
}

impl McpServers {
    /// The servers of the store. What cannot be read is reported, and no server is there.
    pub fn open(store: &Store, keys: &KeyStore) -> (Self, Vec<Fault>) {
        let StoredServers { servers, accepted, faults } = StoredServers::read(store);
        let state = State {
            store: store.clone(),
            keys: keys.clone(),
            servers: Mutex::new(servers),
            accepted: Mutex::new(accepted),
            write_lock: tokio::sync::Mutex::default(),
            damage: Mutex::new(faults.first().cloned()),
        };
        (Self(Arc::new(state)), faults)
    }

    /// Reads the servers of the store again, after a person has accepted what something other than Plait wrote. Ends those that run.
    /// Fault `store.corrupt`.
    pub async fn reload(&self) -> Result<(), Fault> {
        let _guard = self.0.write_lock.lock().await;
        self.close().await;
        let store = self.0.store.clone();
        let read = tokio::task::spawn_blocking(move || StoredServers::read(&store)).await;
        let StoredServers { servers, accepted, faults } =
            read.map_err(|error| Fault::new(codes::APP_INTERNAL, error.to_string()))?;
        *self.0.servers.lock() = servers;
        *self.0.accepted.lock() = accepted;
        *self.0.damage.lock() = faults.first().cloned();
        self.check_readable()
    }

    /// All servers, by name. None if their list can't be read.
    pub fn list(&self) -> Vec<McpServerStatus> {
        let servers: Vec<_> = self.0.servers.lock().values().cloned().collect();
        servers.iter().map(|server| self.status_of(server)).collect()
    }

    /// The names of all servers. Fault `store.*` if their list can't be read.
    pub fn names(&self) -> Result<BTreeSet<String>, Fault> {
        self.check_readable()?;
        Ok(self.0.servers.lock().keys().cloned().collect())
    }

    /// Whether the lists of servers and of accepted tools could be read. Fault `store.corrupt`.
    pub fn check_readable(&self) -> Result<(), Fault> {
        self.0.damage.lock().clone().map_or(Ok(()), Err)
    }

    /// Adds the servers of a pasted JSON document; existing servers are replaced only with `replace`. Starts none.
    /// `mcp.entry_invalid`, `mcp.server_exists`, `settings.holds_secret`, `keys.*`.
    pub async fn add(&self, text: &str, name: Option<&str>, replace: bool) -> Result<McpImport, Fault> {
        self.check_readable()?;
        let redaction = self.0.keys.redaction_with_stored_keys().await;
        let imported = import(text, name, &redaction)?;
        let _guard = self.0.write_lock.lock().await;
        self.check_files().await?;
        let is_known = |name: &String| self.0.servers.lock().contains_key(name);
        if let Some(known) = imported.iter().find(|server| !replace && is_known(&server.name)) {
            let message = format!("There is an MCP server `{}` already.", known.name);
            return Err(Fault::new(codes::MCP_SERVER_EXISTS, message)
                .hint("Choose another name, or replace the server."));
        }
        let mut report = McpImport::default();
        for server in imported {
            self.forget(&server.name).await;
            for (variable, secret) in &server.secrets {
                self.put_secret(&server.name, &server.entry, variable, secret).await?;
                report.secrets.push(format!("{}: {variable}", server.name));
            }
            report.ignored.extend(server.ignored.iter().map(|key| format!("{}: {key}", server.name)));
            report.added.push(server.name.clone());
            let entry = Arc::new(Server::new(&server.name, server.entry));
            self.0.servers.lock().insert(server.name, entry);
        }
        self.write().await?;
        Ok(report)
    }

    /// Stops and removes a server, with its secrets and its accepted tools. `mcp.unknown_server`.
    pub async fn remove(&self, name: &str) -> Result<(), Fault> {
        let _guard = self.0.write_lock.lock().await;
        self.find(name)?;
        self.check_files().await?;
        self.forget(name).await;
        self.write().await
    }

    /// Connects a server, if it is not, and lists its tools, resources and prompts. The first time this accepts its
    /// tools. Faults `mcp.*`.
    pub async fn connect(&self, name: &str) -> Result<McpServerDetails, Fault> {
        let server = self.find(name)?;
        server.forgive().await;
        let details = self.details(&server).await;
        self.save_log(&server).await;
        details.map_err(|fault| self.0.keys.redaction().fault(fault))
    }

    /// Disconnects a server. It is started again when it is needed. `mcp.unknown_server`.
    pub async fn disconnect(&self, name: &str) -> Result<(), Fault> {
        let server = self.find(name)?;
        server.close().await;
        self.save_log(&server).await;
        Ok(())
    }

    /// The last lines of a server's log, oldest first; the lines of an earlier process, if the server was not used in
    /// this one. `mcp.unknown_server`.
    pub async fn log(&self, name: &str) -> Result<Vec<McpLogLine>, Fault> {
        let server = self.find(name)?;
        let lines = self.redacted_log(&server);
        if !lines.is_empty() {
            return Ok(lines);
        }
        let (store, key) = (self.0.store.clone(), log_key(name));
        let read = tokio::task::spawn_blocking(move || store.mcp_log(&key));
        read.await.unwrap_or_else(|error| Err(Fault::new(codes::APP_INTERNAL, error.to_string())))
    }

    /// Accepts the current tools of a server, which [`McpToolChanges::definitions`] identifies. `mcp.tools_changed` if
    /// they have changed since.
    pub async fn accept_tools(&self, name: &str, definitions: &str) -> Result<(), Fault> {
        let server = self.find(name)?;
        let tools = self.connection(&server).await?.tools().await?;
        if definitions_hash(tools.iter()) != definitions {
            let changes = self.changes(&server, &tools).unwrap_or_default();
            return Err(changes.fault(name));
        }
        self.accept(name, AcceptedTools::new(&tools, false)).await?;
        *server.changes.lock() = None;
        Ok(())
    }

    pub async fn read_resource(&self, name: &str, uri: &str) -> Result<McpResourceContent, Fault> {
        let server = self.find(name)?;
        let read = async { self.connection(&server).await?.read_resource(uri).await };
        let mut contents = read.await.map_err(|fault| self.0.keys.redaction().fault(fault))?;
        self.0.keys.redaction().value(&mut contents);
        Ok(McpResourceContent { contents })
    }

    /// The accepted tools of a server, and whether it has offered other tools since. None if it was never connected.
    pub fn pin(&self, name: &str) -> Option<(McpPin, bool)> {
        let server = self.0.servers.lock().get(name).cloned()?;
        let pin = self.0.accepted.lock().get(name)?.pin();
        let changed = server.changes.lock().is_some();
        Some((pin, changed))
    }

    /// Ends all servers.
    pub async fn close(&self) {
        let servers: Vec<_> = self.0.servers.lock().values().cloned().collect();
        let close = async |server: &Server| {
            let was_used = !server.log.is_empty();
            server.close().await;
            if was_used {
                self.save_log(server).await;
            }
        };
        futures::future::join_all(servers.iter().map(|server| close(server))).await;
    }

    fn redacted_log(&self, server: &Server) -> Vec<McpLogLine> {
        let mut lines = server.log.lines();
        let redaction = self.0.keys.redaction();
        for line in &mut lines {
            line.text = redaction.text(&line.text).into_owned();
        }
        lines
    }

    /// Stores the log of a server, so that it can be read when this process has ended. Another process may write the store;
    /// then it is not stored.
    async fn save_log(&self, server: &Server) {
        let (store, key, lines) = (self.0.store.clone(), log_key(&server.name), self.redacted_log(server));
        let _ = tokio::task::spawn_blocking(move || store.put_mcp_log(&key, &lines)).await;
    }

    fn find(&self, name: &str) -> Result<Arc<Server>, Fault> {
        self.check_readable()?;
        let servers = self.0.servers.lock();
        servers.get(name).cloned().ok_or_else(|| {
            let fault = Fault::new(codes::MCP_UNKNOWN_SERVER, format!("There is no MCP server `{name}`."));
            let names: Vec<_> = servers.keys().map(|name| format!("`{name}`")).collect();
            if names.is_empty() {
                fault.hint("Add it under *MCP servers* or with `plait mcp add`.")
            } else {
                fault.hint(format!("There are: {}.", names.join(", ")))
            }
        })
    }

    async fn connection(&self, server: &Server) -> Result<Arc<Connection>, Fault> {
        server.connection(self.target(server)).await
    }

    /// How to reach a server, with the values of its variables and secrets.
    async fn target(&self, server: &Server) -> Result<Target, Fault> {
        let name = &server.name;
        let text = |text: &str| expand(text, crate::environment::variable, name);
        match &server.entry.transport {
            McpTransport::Stdio { command, args, env, cwd } => Ok(Target::Command(ServerCommand {
                command: text(command)?,
                args: args.iter().map(|arg| text(arg)).collect::<Result<_, _>>()?,
                env: self.values(server, env).await?,
                cwd: cwd.as_deref().map(text).transpose()?,
            })),
            McpTransport::Http { url, headers } => {
                let url = check_url(name, &text(url)?)?.to_string();
                Ok(Target::Url { url, headers: self.values(server, headers).await? })
            }
        }
    }

    async fn write(&self) -> Result<(), Fault> {
        let entries: BTreeMap<String, McpEntry> =
            self.0.servers.lock().iter().map(|(name, server)| (name.clone(), server.entry.clone())).collect();
        let accepted = self.0.accepted.lock().clone();
        self.with_store(move |store| {
            store.put_mcp_servers(&entries).and_then(|()| store.put_mcp_tools(&accepted))
        })
        .await
    }

    /// Whether the entries and accepted tools can be written: nothing else has changed the files. Fault `store.changed_outside`.
    async fn check_files(&self) -> Result<(), Fault> {
        self.with_store(|store| {
            store.mcp_servers::<Value>()?;
            store.mcp_tools::<Value>().map(drop)
        })
        .await
    }

    async fn with_store(
        &self,
        work: impl FnOnce(&Store) -> Result<(), Fault> + Send + 'static,
    ) -> Result<(), Fault> {
        let store = self.0.store.clone();
        let done = tokio::task::spawn_blocking(move || work(&store));
        done.await.unwrap_or_else(|error| Err(Fault::new(codes::APP_INTERNAL, error.to_string())))
    }

    async fn accept(&self, name: &str, accepted: AcceptedTools) -> Result<(), Fault> {
        let _guard = self.0.write_lock.lock().await;
        let mut all = self.0.accepted.lock().clone();
        all.insert(name.to_owned(), accepted.clone());
        // What could not be written is not accepted.
        self.with_store(move |store| store.put_mcp_tools(&all)).await?;
        self.0.accepted.lock().insert(name.to_owned(), accepted);
        Ok(())
    }

    /// Accepts the tools of the first connection: allowing the server to be started is the consent to them.
    async fn accept_first(&self, server: &Server, tools: &[McpTool]) -> Result<(), Fault> {
        let accepted = AcceptedTools::new(tools, true);
        let McpPin { tools, definitions, .. } = accepted.pin();
        self.accept(&server.name, accepted).await?;
        let text = format!("Accepted {tools} tools as first seen, pinned to sha256:{definitions}.");
        server.log.push(McpLogOrigin::Plait, &text);
        Ok(())
    }

    /// How the tools differ from the accepted ones; none if they were never accepted.
    fn changes(&self, server: &Server, tools: &[McpTool]) -> Option<McpToolChanges> {
        let accepted = self.0.accepted.lock();
        let changes =
            accepted.get(&server.name).map(|accepted| McpToolChanges::between(&accepted.tools, tools));
        *server.changes.lock() = changes.clone().filter(McpToolChanges::needs_acceptance);
        changes
    }

    fn status_of(&self, server: &Server) -> McpServerStatus {
        McpServerStatus {
            name: server.name.clone(),
            entry: server.entry.clone(),
            phase: server.phase(),
            starting_seconds: server.starting_for().map(|time| time.as_secs()),
            fault: server.fault().map(|fault| self.0.keys.redaction().fault(fault)),
            pin: self.0.accepted.lock().get(&server.name).map(AcceptedTools::pin),
            changes: server.changes.lock().clone(),
        }
    }

    async fn details(&self, server: &Server) -> Result<McpServerDetails, Fault> {
        let connection = self.connection(server).await?;
        let tools = connection.tools().await?;
        if self.changes(server, &tools).is_none() {
            self.accept_first(server, &tools).await?;
        }
        let mut resources: Vec<McpResource> = connection
            .resources()
            .await?
            .into_iter()
            .map(|one| McpResource {
                uri: one.uri,
                name: one.name,
                description: one.description.unwrap_or_default(),
                is_template: false,
            })
            .collect();
        resources.extend(connection.resource_templates().await?.into_iter().map(|one| McpResource {
            uri: one.uri_template,
            name: one.name,
            description: one.description.unwrap_or_default(),
            is_template: true,
        }));
        let prompts = connection.prompts().await?.into_iter().map(|prompt| McpPrompt {
            name: prompt.name,
            description: prompt.description.unwrap_or_default(),
            arguments: prompt
                .arguments
                .unwrap_or_default()
                .into_iter()
                .map(|argument| argument.name)
                .collect(),
        });
        let prompts = prompts.collect();
        let info = connection.info();
        let title = info.as_ref().and_then(|info| info.server_info.as_ref());
        Ok(McpServerDetails {
            status: self.status_of(server),
            title: title.map_or_else(String::new, |one| format!("{} {}", one.name, one.version)),
            protocol: info.as_ref().map_or_else(String::new, |info| info.protocol_version.to_string()),
            instructions: info.as_ref().and_then(|info| info.instructions.clone()),
            tools: tools.to_vec(),
            resources,
            prompts,
        })
    }
}

/// The name of a server's log, which is part of a file name.
fn log_key(server: &str) -> String {
    content_hash(server.as_bytes())[..16].to_owned()
}
