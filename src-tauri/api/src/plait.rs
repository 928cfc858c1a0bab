//! The application: one part for each domain, wired together. One per process, since one process owns the store.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use plait_adapters::net::AllowedHost;
use plait_adapters::providers::{self, Url};
use plait_adapters::telemetry::LiveExporter;
use plait_adapters::workers::WorkerPool;
use plait_adapters::{
    FileAccess, FlowGuard, HttpTools, KeyStore, LongTermMemory, McpServers, NativeTools, RedactingTools,
    SystemClock, ToolEnvironment, ToolHosts, ToolSettings,
};
use plait_core::error::Fault;
use plait_core::expression::evaluation::Evaluator;
use plait_core::expression::in_process::InProcess;
use plait_formats::foreign::Importer;
use plait_llm::http_tool::HTTP_SOURCE;
use plait_llm::models::Correction;
use plait_llm::provider::Providers;
use plait_llm::tool::ToolHost;
use plait_run::host::Clock;
use plait_run::node::Registry;
use plait_store::{RunDatabase, Store};

use crate::ErrorReply;
use crate::attachments::AttachmentService;
use crate::command::Command;
use crate::conversations::ConversationService;
use crate::dialogs::{DialogService, Dialogs};
use crate::flows::text::is_flow;
use crate::flows::{FlowService, InstalledSources};
use crate::grants::GrantService;
use crate::hosts::HostService;
use crate::knowledge::KnowledgeService;
use crate::lens::{LensParts, LensService};
use crate::memories::MemoryService;
use crate::proposals::ProposalService;
use crate::providers::{ProviderService, TokenCalibration};
use crate::run_config::RunConfig;
use crate::runs::{RunParts, RunService, local_bank};
use crate::settings::{SettingsParts, SettingsService, StoredSettings};
use crate::suites::SuiteService;
use crate::tools::ToolService;
use crate::usage::UsageService;
use crate::users::UserService;

/// What flows are made of, and made from. The program that opens the application puts it together.
#[derive(Clone)]
pub struct Parts {
    /// The node types.
    pub registry: Arc<Registry>,
    /// What reads the files of other tools.
    pub importer: Arc<dyn Importer>,
}

#[cfg(test)]
impl Parts {
    /// All node types and importers.
    pub(crate) fn all() -> Self {
        Self { registry: Arc::new(plait_nodes::registry()), importer: Arc::new(plait_import::Importers) }
    }
}

/// How to open the application.
pub struct Options {
    /// The data directory.
    pub home: PathBuf,
    pub parts: Parts,
    /// The system's file dialogs, if there is a window.
    pub dialogs: Option<Arc<dyn Dialogs>>,
    /// Model providers to call instead of those of the settings.
    pub providers: Option<Arc<dyn Providers>>,
    /// Tools to use instead of the native ones.
    pub tools: Option<Arc<dyn ToolHost>>,
    /// Keys to use instead of those of the keychain and of the data directory.
    pub keys: Option<KeyStore>,
    /// The executable of worker processes: one that calls [`serve_if_worker`](crate::serve_if_worker) before anything
    /// else. Without one, expressions are evaluated in this process, and can use up its time and memory.
    pub worker: Option<PathBuf>,
    /// Hosts that tools may request although their addresses are not public, besides those of the settings.
    pub allowed_hosts: Vec<AllowedHost>,
    /// Where model servers are looked for, besides the local addresses in the settings.
    pub model_servers: Vec<Url>,
    /// The user to work for, instead of the current one.
    pub user: Option<String>,
    /// Where runs have their truth, if it is not the data directory.
    pub database: Option<Arc<dyn RunDatabase>>,
    /// Whether the store is only read. Then another process may write it, and what would change it is refused.
    pub read_only: bool,
    /// Receives the progress of reading journals when the index has to be rebuilt: how many of how many.
    pub progress: Option<Box<dyn FnMut(usize, usize) + Send>>,
}

impl Options {
    /// The defaults, with this data directory, without dialogs, and without worker processes.
    pub fn new(home: impl Into<PathBuf>, parts: Parts) -> Self {
        Self {
            home: home.into(),
            parts,
            dialogs: None,
            providers: None,
            tools: None,
            keys: None,
            worker: None,
            allowed_hosts: Vec::new(),
            model_servers: Vec::new(),
            user: None,
            database: None,
            read_only: false,
            progress: None,
        }
    }

    /// The defaults of an application with a `main` that begins with [`serve_if_worker`](crate::serve_if_worker).
    pub fn of_application(home: impl Into<PathBuf>, parts: Parts) -> Self {
        Self {
            worker: std::env::current_exe().ok(),
            model_servers: providers::usual_addresses(),
            ..Self::new(home, parts)
        }
    }

    /// For commands that change nothing.
    pub fn reading(home: impl Into<PathBuf>, parts: Parts) -> Self {
        Self { read_only: true, ..Self::new(home, parts) }
    }
}

/// The application. Clones share its state.
#[derive(Clone)]
pub struct Plait {
    home: PathBuf,
    session_id: String,
    notices: Arc<[Fault]>,
    store: Store,
    registry: Arc<Registry>,
    flows: Arc<FlowService>,
    conversations: ConversationService,
    knowledge: Arc<KnowledgeService>,
    lens: LensService,
    attachments: AttachmentService,
    memories: MemoryService,
    users: UserService,
    providers: Arc<ProviderService>,
    settings: Arc<SettingsService>,
    grants: Arc<GrantService>,
    hosts: Arc<HostService>,
    tools: Arc<ToolService>,
    runs: RunService,
    suites: SuiteService,
    proposals: Arc<ProposalService>,
    usage: Arc<UsageService>,
    mcp: McpServers,
    dialogs: Arc<DialogService>,
}

/// What evaluates expressions: worker processes of this executable, or this process without one.
fn evaluator_in(worker: Option<&PathBuf>) -> Arc<dyn Evaluator> {
    match worker {
        Some(executable) => Arc::new(WorkerPool::new(executable)),
        None => Arc::new(InProcess),
    }
}

fn open_store(options: &mut Options) -> Result<Store, Fault> {
    if options.read_only {
        return Store::open_for_reading(&options.home);
    }
    let mut progress = options.progress.take().unwrap_or_else(|| Box::new(|_, _| ()));
    if let Some(database) = options.database.take() {
        return Store::open_with_database(&options.home, database, &mut progress);
    }
    Store::open_with_progress(&options.home, &mut progress)
}

/// The corrections of token counts; without those that cannot be read, which is a problem at startup.
fn corrections_of(store: &Store, notices: &mut Vec<Fault>) -> BTreeMap<String, Correction> {
    store.corrections().unwrap_or_else(|fault| {
        notices.push(fault);
        BTreeMap::new()
    })
}

/// The hosts of all tools: Plait's own, those that send HTTP requests, and those of MCP servers.
fn tool_hosts(environment: &ToolEnvironment, mcp: &McpServers) -> Arc<dyn ToolHost> {
    let native = Arc::new(NativeTools::new(environment));
    let http = Arc::new(HttpTools::new(environment));
    let hosts = ToolHosts::default().with("native", native).with(HTTP_SOURCE, http);
    Arc::new(hosts.with("mcp", Arc::new(mcp.clone())))
}

/// What tools may reach.
fn tool_environment(
    options: &mut Options,
    store: &Store,
    keys: &KeyStore,
    settings: ToolSettings,
) -> ToolEnvironment {
    let file_access = FileAccess::of_process(Some(&options.home));
    let environment = ToolEnvironment::new(file_access, keys.clone())
        .with_allowed_hosts(std::mem::take(&mut options.allowed_hosts))
        .with_flow_guard(FlowGuard::new(store, is_flow));
    let environment = match &options.worker {
        Some(executable) => environment.with_workers(WorkerPool::new(executable)),
        None => environment,
    };
    environment.set_settings(settings);
    environment
}

impl Plait {
    /// Opens the store and prepares everything; runs nothing. `store.locked` when another process has the data directory
    /// open, `store.*` when it cannot be read or created, `user.unknown`.
    pub fn open(mut options: Options) -> Result<Self, ErrorReply> {
        let store = open_store(&mut options)?;
        let mut stored = StoredSettings::read(&store);
        let mut notices = std::mem::take(&mut stored.faults);
        notices.extend(store.check_ledger().err());
        let corrections = corrections_of(&store, &mut notices);
        let keys = options.keys.take().unwrap_or_else(|| KeyStore::open(&options.home));
        let users = UserService::new(store.clone(), keys.clone(), options.user.as_deref())?;
        let memory = LongTermMemory::new(store.clone(), Arc::clone(keys.redaction()));
        let (mcp, mcp_faults) = McpServers::open(&store, &keys);
        notices.extend(mcp_faults);
        let tool_environment = tool_environment(&mut options, &store, &keys, stored.settings.tools.clone());
        let tools = options.tools.unwrap_or_else(|| tool_hosts(&tool_environment, &mcp));
        let tools: Arc<dyn ToolHost> = Arc::new(RedactingTools::new(tools, &keys));
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let evaluator = evaluator_in(options.worker.as_ref());
        let Parts { registry, importer } = options.parts;

        let (fixed, servers) = (options.providers, options.model_servers);
        let providers =
            Arc::new(ProviderService::new(&stored.settings.providers, keys.clone(), fixed, servers)?);
        let calibration =
            Arc::new(TokenCalibration::new(store.clone(), corrections, stored.settings.models.clone()));
        let knowledge = Arc::new(KnowledgeService::new(&store, Arc::clone(&providers), options.worker));
        let exporter = LiveExporter::default();
        exporter.set_settings(stored.settings.telemetry.clone());
        notices.extend(keys.redaction().set_patterns(&stored.settings.redaction));
        let run_config = RunConfig::default();
        let quotas = Arc::new(local_bank());
        let installed = InstalledSources {
            store: store.clone(),
            providers: Arc::clone(&providers),
            config: run_config.clone(),
            mcp: mcp.clone(),
        };
        let runs = RunService::new(RunParts {
            store: store.clone(),
            registry: Arc::clone(&registry),
            importer: Arc::clone(&importer),
            calibration: Arc::clone(&calibration),
            providers: Arc::clone(&providers),
            tools: Arc::clone(&tools),
            retriever: Arc::new(knowledge.bases().clone()),
            memories: memory.clone(),
            users: users.clone(),
            clock: Arc::clone(&clock),
            evaluator: Arc::clone(&evaluator),
            exporter: exporter.clone(),
            config: run_config.clone(),
            installed: installed.clone(),
            quotas: Arc::clone(&quotas),
        });
        let lens = LensService::new(LensParts {
            store: store.clone(),
            users: users.clone(),
            providers: Arc::clone(&providers),
            exporter: exporter.clone(),
            evaluator: Arc::clone(&evaluator),
        });
        let settings_parts = SettingsParts {
            store: store.clone(),
            providers: Arc::clone(&providers),
            calibration,
            runs: run_config,
            quotas,
            clock: Arc::clone(&clock),
            tools: tool_environment,
            exporter,
        };
        let grants = GrantService::new(store.clone(), Arc::clone(&registry), Arc::clone(&tools), mcp.clone());
        let grants = Arc::new(grants);
        let suites = SuiteService::new(runs.clone(), store.clone(), evaluator, Arc::clone(&grants));
        let flows = Arc::new(FlowService::new(&store, &registry, &clock, &keys, installed, importer));
        let hosts = HostService::new(&options.home, store.clone(), Arc::clone(&registry), keys.clone());
        let hosts = Arc::new(hosts);
        let conversations =
            ConversationService::new(store.clone(), users.clone(), Arc::clone(&clock), keys.clone());
        Ok(Self {
            hosts,
            home: options.home,
            session_id: uuid::Uuid::now_v7().to_string(),
            notices: notices.into(),
            proposals: Arc::new(ProposalService::new(&store, &clock, &keys, &flows, &runs)),
            flows,
            conversations,
            memories: MemoryService::new(memory, users.clone(), Arc::clone(&clock), keys),
            users,
            usage: Arc::new(UsageService::new(store.clone(), clock)),
            dialogs: Arc::new(DialogService::new(options.dialogs)),
            mcp,
            attachments: AttachmentService::new(store.clone()),
            store,
            tools: Arc::new(ToolService::new(tools, Arc::clone(&registry))),
            registry,
            knowledge,
            lens,
            providers,
            settings: Arc::new(SettingsService::new(settings_parts, stored)),
            grants,
            suites,
            runs,
        })
    }

    /// Executes a command.
    pub async fn call<C: Command>(&self, command: C) -> Result<C::Reply, ErrorReply>
    where
        Self: AsRef<C::Service>,
    {
        command.run(self.as_ref()).await
    }

    /// The same application, working for this user instead of the current one. `user.unknown`.
    pub(crate) fn acting_for(&self, user: Option<&str>) -> Result<Self, ErrorReply> {
        let users = self.users.acting_for(user)?;
        Ok(Self {
            conversations: self.conversations.acting_for(users.clone()),
            lens: self.lens.acting_for(users.clone()),
            memories: self.memories.acting_for(users.clone()),
            suites: self.suites.acting_for(self.runs.acting_for(users.clone())),
            runs: self.runs.acting_for(users.clone()),
            users,
            ..self.clone()
        })
    }

    /// Stops driving all runs, and resolves when everything is on disk. Each run can be resumed.
    pub async fn close(&self) -> Result<(), ErrorReply> {
        self.runs.close().await;
        self.mcp.close().await;
        Ok(self.store.flush().await?)
    }

    /// The data directory.
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// Identifies this process.
    pub fn session_id(&self) -> &str {
        &self.session_id
    }

    /// Problems at startup.
    pub fn notices(&self) -> &[Fault] {
        &self.notices
    }

    /// The store. Prefer a command.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// What tools share: the addresses that they reach.
    pub fn tools(&self) -> &ToolEnvironment {
        self.settings.tools()
    }

    /// The node types.
    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    /// The runs, past and active.
    pub fn runs(&self) -> &RunService {
        &self.runs
    }

    pub fn conversations(&self) -> &ConversationService {
        &self.conversations
    }

    /// The knowledge bases.
    pub fn knowledge(&self) -> &KnowledgeService {
        &self.knowledge
    }

    /// The images and files of messages.
    pub fn attachments(&self) -> &AttachmentService {
        &self.attachments
    }

    /// The long-term memories.
    pub fn memories(&self) -> &MemoryService {
        &self.memories
    }

    /// The hosts of other machines.
    pub(crate) fn hosts(&self) -> &HostService {
        &self.hosts
    }

    /// The model providers.
    pub fn providers(&self) -> &ProviderService {
        &self.providers
    }

    pub fn mcp(&self) -> &McpServers {
        &self.mcp
    }

    pub fn settings(&self) -> &SettingsService {
        &self.settings
    }
}

/// Gives each command the service that it works with.
macro_rules! services {
    ($($service:ty => $field:ident),* $(,)?) => {
        $(impl AsRef<$service> for Plait {
            fn as_ref(&self) -> &$service {
                &self.$field
            }
        })*
    };
}

services! {
    Registry => registry,
    FlowService => flows,
    AttachmentService => attachments,
    ConversationService => conversations,
    KnowledgeService => knowledge,
    LensService => lens,
    MemoryService => memories,
    UserService => users,
    ProviderService => providers,
    SettingsService => settings,
    GrantService => grants,
    HostService => hosts,
    ToolService => tools,
    RunService => runs,
    SuiteService => suites,
    ProposalService => proposals,
    UsageService => usage,
    McpServers => mcp,
    DialogService => dialogs,
}

/// For commands that work with the whole application.
impl AsRef<Self> for Plait {
    fn as_ref(&self) -> &Self {
        self
    }
}

/// For commands that need nothing.
impl AsRef<()> for Plait {
    fn as_ref(&self) -> &() {
        &()
    }
}
