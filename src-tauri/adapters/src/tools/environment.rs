//! What native and HTTP tools share: which files, hosts and secrets they may use.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::RwLock;
use plait_core::error::Fault;
use serde::{Deserialize, Serialize};
use ts_rs::TS;
use url::Url;

use crate::codes;
use crate::keys::{KeyStore, is_variable_name, variable_names};
use crate::net::{AddressPolicy, AllowedHost, GuardedClient};
use crate::project_files::FileAccess;
use crate::tools::flow_guard::FlowGuard;
use crate::workers::{Job, WorkerPool};

/// What the person allows tools. Never part of a flow.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", default)]
pub struct ToolSettings {
    /// Hosts that tools may request although their addresses are not public: `NAME` or `NAME:PORT`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<String>>")]
    pub allowed_hosts: Vec<String>,
    /// The secrets that headers of HTTP tools may name as `${NAME}`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[ts(optional, as = "Option<BTreeMap<String, ToolSecret>>")]
    pub secrets: BTreeMap<String, ToolSecret>,
}

/// A secret for HTTP tools, and where it may be sent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ToolSecret {
    /// Scheme, host and port that it may be sent to, for example `https://api.github.com`.
    pub origin: String,
    /// The environment variables that may hold it, separated by commas. Without one, the stored key of the provider of the same
    /// name and origin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub variable: Option<String>,
}

impl ToolSettings {
    /// Whether nothing is set.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// Checks hosts and secrets. Fault `settings.tools`.
    pub fn check(&self) -> Result<(), Fault> {
        let invalid = |message: String| {
            Fault::new(codes::SETTINGS_TOOLS, message)
                .hint("Hosts are like `localhost:8080`, origins like `https://api.github.com`.")
        };
        self.policy().map_err(|problem| invalid(format!("An allowed host: {problem}.")))?;
        for (name, secret) in &self.secrets {
            if !is_variable_name(name) {
                return Err(invalid(format!(
                    "`{name}` is no name of a secret: use letters, digits and `_`."
                )));
            }
            let origin = Url::parse(&secret.origin).ok().filter(Url::has_host);
            if !origin.is_some_and(|url| matches!(url.scheme(), "http" | "https") && url.path() == "/") {
                return Err(invalid(format!("The origin of the secret `{name}` is invalid.")));
            }
            if !secret.variable.as_deref().into_iter().flat_map(variable_names).all(is_variable_name) {
                return Err(invalid(format!("The variable of the secret `{name}` is no name of one.")));
            }
        }
        Ok(())
    }

    fn policy(&self) -> Result<AddressPolicy, String> {
        let hosts = self.allowed_hosts.iter().map(|host| host.parse::<AllowedHost>());
        Ok(AddressPolicy::allowing(hosts.collect::<Result<_, _>>()?))
    }
}

/// What native and HTTP tools share. Clones share their settings.
#[derive(Clone)]
pub struct ToolEnvironment {
    pub(super) files: FileAccess,
    pub(super) client: GuardedClient,
    pub(super) keys: KeyStore,
    workers: Option<WorkerPool>,
    /// Keeps tools from writing flows. Without one, they write any text.
    pub(super) flow_guard: Option<FlowGuard>,
    settings: Arc<RwLock<ToolSettings>>,
    /// Hosts that are allowed for this process, besides the hosts of the settings.
    allowed_hosts: Arc<[AllowedHost]>,
}

impl ToolEnvironment {
    /// With these files and keys, without worker processes, and with public addresses only.
    pub fn new(files: FileAccess, keys: KeyStore) -> Self {
        Self {
            files,
            client: GuardedClient::new(AddressPolicy::default()),
            keys,
            workers: None,
            flow_guard: None,
            settings: Arc::default(),
            allowed_hosts: Arc::default(),
        }
    }

    /// With worker processes for programs and web pages.
    #[must_use]
    pub fn with_workers(mut self, workers: WorkerPool) -> Self {
        self.workers = Some(workers);
        self
    }

    /// With what keeps tools from writing flows.
    #[must_use]
    pub fn with_flow_guard(mut self, guard: FlowGuard) -> Self {
        self.flow_guard = Some(guard);
        self
    }

    /// With hosts that are allowed while this process runs.
    #[must_use]
    pub fn with_allowed_hosts(mut self, hosts: Vec<AllowedHost>) -> Self {
        self.client.set_policy(AddressPolicy::allowing(hosts.clone()));
        self.allowed_hosts = hosts.into();
        self
    }

    /// Replaces the settings. Invalid settings were refused before.
    pub fn set_settings(&self, settings: ToolSettings) {
        let hosts = settings.allowed_hosts.iter().filter_map(|host| host.parse().ok());
        self.client
            .set_policy(AddressPolicy::allowing(hosts.chain(self.allowed_hosts.iter().cloned()).collect()));
        *self.settings.write() = settings;
    }

    /// The secret of this name and where it may be sent.
    pub(super) fn secret(&self, name: &str) -> Option<ToolSecret> {
        self.settings.read().secrets.get(name).cloned()
    }

    /// The result of a job in a worker process.
    pub(super) async fn execute(&self, job: Job) -> Result<serde_json::Value, Fault> {
        let workers = self.workers.as_ref().ok_or_else(|| {
            Fault::new(
                codes::TOOL_WORKER_UNAVAILABLE,
                "There are no worker processes here, which this tool needs.",
            )
        })?;
        workers.execute(&job).await
    }
}
