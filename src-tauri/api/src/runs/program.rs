//! `program.*`: programs that Plait did not run, as runs: from the log of a recorder, or from traces. The run is of a flow that is a first
//! draft of what was observed, and its journal is written by the driver like any other.

use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use plait_adapters::ProviderSettings;
use plait_adapters::providers::ProviderKind;
use plait_core::attachment::{Attachment, AttachmentStore as _, TEXT};
use plait_core::config::{ConfigValues, with_settings};
use plait_core::error::Fault;
use plait_core::flow::Flow;
use plait_core::hash::content_hash;
use plait_core::id::RunId;
use plait_core::origin::Origins;
use plait_journal::{
    ENGINE_REVISION, Event, FlowRef, InputOverrides, Journal as _, ProgramRef, ReplySource, RunEvent,
};
use plait_llm::grant::Grants;
use plait_llm::quota::QuotaChain;
use plait_recorder::conversation::conversations;
use plait_recorder::draft::draft;
use plait_recorder::exchange::{Exchange, MAX_LOG_BYTES, Recorded};
use plait_recorder::observed::{ObservedCall, read_call};
use plait_recorder::otlp;
use plait_recorder::play::{Observation, Played};
use plait_recorder::upstream::protocol;
use plait_run::host::{Host, RunInfo};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::launch::plan_to_run;
use super::service::RunService;
use crate::ErrorReply;
use crate::blocking::run_blocking;
use crate::codes;
use crate::command::Command;
use crate::flows::text::{recorded_flow, write_flow};

/// The folder of the data directory with the logs of programs that are being recorded.
pub const PROGRAMS_FOLDER: &str = "programs";
/// The most paths that are no calls of a model and are named.
const MAX_NAMED_PATHS: usize = 5;

/// `program.keep`: makes a run of the log of a recorder, which is in the data directory, and removes the log. `record.log`,
/// `record.no_calls`.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct KeepProgram {
    /// The name of the log's file.
    pub log: String,
}

/// A run of a program.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct KeptProgram {
    pub run: RunId,
    /// How many calls of models it has.
    #[ts(type = "number")]
    pub calls: usize,
    /// What was observed and is not in the run, and what the draft does otherwise.
    pub notes: Vec<String>,
    /// The first draft of a flow that does the same.
    pub flow: Flow,
}

impl Command for KeepProgram {
    const NAME: &'static str = "program.keep";
    type Service = RunService;
    type Reply = KeptProgram;

    async fn run(self, service: &RunService) -> Result<KeptProgram, ErrorReply> {
        // A name, so that nothing elsewhere is read.
        let is_name = self.log.chars().all(|char| char.is_ascii_alphanumeric() || "-._".contains(char));
        let path = service.programs_folder().join(&self.log);
        if !is_name {
            return Err(unreadable(&path, "that is no name of a log"));
        }
        service.keep_log(path).await
    }
}

/// `program.import_traces`: makes a run of the model calls in traces. `traces.form`, `traces.no_calls`.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct ImportTraces {
    /// OTLP in JSON: one object, or one in each line.
    pub text: String,
    /// What people call the run. By default, the name of the service or of the outermost agent.
    #[serde(default)]
    #[ts(optional)]
    pub name: Option<String>,
}

impl Command for ImportTraces {
    const NAME: &'static str = "program.import_traces";
    type Service = RunService;
    type Reply = KeptProgram;

    async fn run(self, service: &RunService) -> Result<KeptProgram, ErrorReply> {
        let known = service.parts.providers.table().settings();
        let redaction = service.parts.providers.keys().redaction_with_stored_keys().await;
        let traces = run_blocking(move || {
            // Others may have written keys into what they trace.
            let text = redaction.text(&self.text);
            Ok((otlp::read(&text, |name| known.contains_key(name))?, self.name))
        });
        let (traces, name) = traces.await?;
        let name = name.or(traces.name).unwrap_or_else(|| "Traces".to_owned());
        let said = format!("First draft of what `{name}` did, from traces.");
        let program = ProgramRef { notes: traces.notes, ..ProgramRef::default() };
        service.observe(Observed { name, said, program, calls: traces.calls, is_whole: true }).await
    }
}

/// `program.draft`: the flow that was drafted of a recorded program. `run.unknown`, `record.not_a_program`.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct DraftProgram {
    pub run: RunId,
}

impl Command for DraftProgram {
    const NAME: &'static str = "program.draft";
    type Service = RunService;
    type Reply = Flow;

    async fn run(self, service: &RunService) -> Result<Flow, ErrorReply> {
        let store = service.parts.store.clone();
        run_blocking(move || {
            let record = store.run(&self.run)?;
            if record.program.is_none() {
                return Err(not_a_program(&self.run));
            }
            recorded_flow(&store, &record.flow.hash)
        })
        .await
    }
}

/// `program.exchanges`: what a recorded program exchanged with model servers, as the log of its recorder. `run.unknown`,
/// `record.not_a_program`, `attachment.missing`.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct GetExchanges {
    pub run: RunId,
}

impl Command for GetExchanges {
    const NAME: &'static str = "program.exchanges";
    type Service = RunService;
    type Reply = String;

    async fn run(self, service: &RunService) -> Result<String, ErrorReply> {
        let (store, run) = (service.parts.store.clone(), self.run.clone());
        let first = run_blocking(move || Ok(store.read_journal(&run, 0)?.next().transpose()?)).await?;
        let exchanges = match first.map(|entry| entry.event) {
            Some(Event::Run(RunEvent::Started { program: Some(program), .. })) => program.exchanges,
            _ => None,
        };
        let exchanges = exchanges.ok_or_else(|| not_a_program(&self.run))?;
        let bytes = service.parts.store.get(&exchanges.hash).await?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// What was observed of a program.
struct Observed {
    name: String,
    /// Where the draft comes from.
    said: String,
    program: ProgramRef,
    calls: Vec<ObservedCall>,
    /// Whether the program was observed to its end.
    is_whole: bool,
}

impl RunService {
    fn programs_folder(&self) -> PathBuf {
        self.parts.store.home().join(PROGRAMS_FOLDER)
    }

    /// Makes runs of the logs of recorders that were killed. Logs that are written are locked.
    pub(super) async fn keep_interrupted(&self) -> Result<(), ErrorReply> {
        if self.parts.store.is_read_only() {
            return Ok(());
        }
        let Ok(logs) = fs::read_dir(self.programs_folder()) else { return Ok(()) };
        for log in logs.flatten() {
            let is_left = File::open(log.path())
                .is_ok_and(|file| !matches!(file.try_lock(), Err(TryLockError::WouldBlock)));
            if !is_left {
                continue;
            }
            // What cannot be read stays for a person to look at.
            if let Err(error) = self.keep_log(log.path()).await
                && error.code == codes::RECORD_NO_CALLS
            {
                // It is no run. If it cannot be removed, the next list tries again.
                let _ = fs::remove_file(log.path());
            }
        }
        Ok(())
    }

    async fn keep_log(&self, path: PathBuf) -> Result<KeptProgram, ErrorReply> {
        let _one_at_a_time = self.resume_lock.lock().await;
        let log = path.clone();
        let (recorded, bytes) = run_blocking(move || {
            let size = fs::metadata(&log).map_err(|error| unreadable(&log, &error.to_string()))?.len();
            if size > MAX_LOG_BYTES {
                return Err(unreadable(&log, "it is larger than 1 GB"));
            }
            let bytes = fs::read(&log).map_err(|error| unreadable(&log, &error.to_string()))?;
            Ok((Recorded::read(&bytes[..])?, bytes))
        })
        .await?;
        let providers = self.parts.providers.table().settings();
        let mut calls = Vec::new();
        for exchange in &recorded.exchanges {
            calls.extend(read_call(exchange, |kind, base_url| provider_at(&providers, kind, base_url)).await);
        }
        if calls.is_empty() {
            return Err(no_calls(&recorded));
        }
        let exchanges = Attachment {
            hash: content_hash(&bytes).into(),
            media_type: TEXT.to_owned(),
            name: "exchanges.jsonl".to_owned(),
            bytes: bytes.len() as u64,
            width: None,
            height: None,
            pages: None,
            data: None,
        };
        self.parts.store.put(&exchanges.hash, bytes.into()).await?;
        let program = ProgramRef {
            command: recorded.command.clone(),
            exit: recorded.exit,
            exchanges: Some(exchanges),
            notes: notes_of(&recorded, &calls, &providers),
        };
        let said = format!("First draft of what `{}` did, as it was recorded.", recorded.command.join(" "));
        let is_whole = recorded.exit.is_some();
        let kept = self.observe(Observed { name: recorded.name, said, program, calls, is_whole }).await?;
        fs::remove_file(&path).map_err(|error| unreadable(&path, &error.to_string()))?;
        Ok(kept)
    }

    /// Writes the run of what was observed.
    async fn observe(&self, observed: Observed) -> Result<KeptProgram, ErrorReply> {
        let run = RunId::from(uuid::Uuid::now_v7().to_string());
        let host = Host { quotas: QuotaChain::default(), ..self.host_of_rehearsal(&run, None) };
        let service = self.clone();
        let kept = run_blocking(move || service.write_observed(run, host, observed)).await?;
        self.parts.store.flush().await?;
        Ok(kept)
    }

    fn write_observed(&self, run: RunId, host: Host, observed: Observed) -> Result<KeptProgram, ErrorReply> {
        let Observed { name, said, program, mut calls, is_whole } = observed;
        let parts = &self.parts;
        let user = parts.users.resolve(None)?;
        let conversations = conversations(&mut calls);
        let count = calls.len();
        let drafted = draft(&name, &said, &calls, &conversations)?;
        let flow = drafted.flow.clone();
        let config = parts.config.current();
        let plan =
            plan_to_run(&with_settings(&flow, &config), &parts.registry, None, &InputOverrides::new())?;
        let hash = parts.store.put_flow(&write_flow(&flow)?)?;
        let grants = Some(Arc::new(Grants::default()));
        let notes = program.notes.clone();
        let first = RunEvent::Started {
            run: run.clone(),
            revision: ENGINE_REVISION,
            user: user.clone(),
            from: None,
            replies: ReplySource::default(),
            flow: Box::new(FlowRef { name: name.clone(), path: None, hash }),
            program: Some(Box::new(program)),
            to: None,
            input: None,
            set: InputOverrides::new(),
            pins: Vec::new(),
            ignores_pins: false,
            origins: Origins::NONE,
            parent_run_id: None,
            conversation: None,
            grants: grants.clone(),
            models: Arc::new(parts.calibration.current()),
            config: ConfigValues::clone(&config),
        };
        let info = RunInfo {
            run: run.clone(),
            user,
            flow_name: name,
            folder: None,
            input: None,
            conversation: None,
            grants,
            ignores_pins: false,
            earlier: None,
        };
        let begun = calls.iter().map(|call| call.begun_ms).min().unwrap_or_default();
        let observation = Observation { calls, conversations, draft: drafted };
        let Played { mut entries, .. } = observation.play(plan, info, host, Event::Run(first), begun)?;
        if !is_whole && entries.last().is_some_and(|entry| entry.event.is_terminal()) {
            // Nobody knows whether that was all.
            entries.pop();
        }
        parts.store.journal(&run)?.append(&entries)?;
        parts.calibration.record_events(&entries);
        Ok(KeptProgram { run, calls: count, notes, flow })
    }
}

/// The provider that stands for a server: one of the settings with its protocol and address, or else the vendor's own.
fn provider_at(
    providers: &BTreeMap<String, ProviderSettings>,
    kind: ProviderKind,
    base_url: &str,
) -> (String, ProviderSettings) {
    let is_there = |settings: &ProviderSettings| {
        let own = settings.base_url.as_deref().map(|url| url.trim_end_matches('/'));
        settings.kind == kind && own == Some(base_url.trim_end_matches('/'))
    };
    let found = providers.iter().find(|(_, settings)| is_there(settings));
    let vendor = match kind {
        ProviderKind::OpenAiResponses => "openai",
        ProviderKind::Anthropic => "anthropic",
        ProviderKind::Gemini | ProviderKind::GeminiInteractions => "gemini",
        ProviderKind::Ollama => "ollama",
        ProviderKind::OpenAi | ProviderKind::Offline => "openai-chat",
    };
    let (name, settings) = match found {
        Some((name, settings)) => (name.clone(), settings.clone()),
        None => (vendor.to_owned(), ProviderSettings::of(kind)),
    };
    // Faults name where the program called.
    (name, ProviderSettings { kind, base_url: Some(base_url.to_owned()), ..settings })
}

/// What was exchanged and is no call of a model, and servers that no provider stands for.
fn notes_of(
    recorded: &Recorded,
    calls: &[ObservedCall],
    providers: &BTreeMap<String, ProviderSettings>,
) -> Vec<String> {
    let mut notes = Vec::new();
    let mut others: BTreeMap<String, usize> = BTreeMap::new();
    let mut servers: BTreeMap<&str, String> = BTreeMap::new();
    for Exchange { method, path, base_url, .. } in &recorded.exchanges {
        let plain = path.split('?').next().unwrap_or_default();
        let Some(kind) = protocol(method, path) else {
            *others.entry(format!("{method} {plain}")).or_default() += 1;
            continue;
        };
        let (name, _) = provider_at(providers, kind, base_url);
        let own = providers.get(&name).and_then(|settings| settings.base_url.as_deref());
        if own.map(|url| url.trim_end_matches('/')) != Some(base_url.trim_end_matches('/')) {
            servers.insert(base_url, name);
        }
    }
    if !others.is_empty() {
        let count: usize = others.values().sum();
        let named: Vec<&str> = others.keys().take(MAX_NAMED_PATHS).map(String::as_str).collect();
        let more = if others.len() > named.len() { ", …" } else { "" };
        notes.push(format!(
            "{count} requests are no calls of a model. They were passed on and recorded: {}{more}",
            named.join(", ")
        ));
    }
    let asked = recorded.exchanges.iter().filter(|one| protocol(&one.method, &one.path).is_some()).count();
    if asked > calls.len() {
        notes.push(format!(
            "{} requests have a body that is not of their protocol. They were passed on and recorded",
            asked - calls.len()
        ));
    }
    for (server, name) in servers {
        notes.push(format!("No provider of the settings is at {server}. The run names `{name}` for it"));
    }
    notes
}

fn no_calls(recorded: &Recorded) -> ErrorReply {
    let message = match recorded.exchanges.len() {
        0 => format!("`{}` called no model server through Plait.", recorded.command.join(" ")),
        count => {
            format!("`{}` sent {count} requests, and none is a call of a model.", recorded.command.join(" "))
        }
    };
    ErrorReply::from(Fault::new(codes::RECORD_NO_CALLS, message).hint(
        "Check that the program reads its base URL from the environment, such as OPENAI_BASE_URL or ANTHROPIC_BASE_URL.",
    ))
}

fn not_a_program(run: &RunId) -> ErrorReply {
    ErrorReply::new(codes::RECORD_NOT_A_PROGRAM, format!("Run {run} is not that of a recorded program."))
        .hint("`plait runs list` says which runs are of programs.")
}

fn unreadable(path: &Path, why: &str) -> ErrorReply {
    ErrorReply::new(codes::RECORD_LOG, format!("The log {} cannot be read: {why}.", path.display()))
}
