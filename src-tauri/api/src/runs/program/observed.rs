//! What was observed of a program as a run: the first draft of a flow that does the same, and the journal that the driver writes of it.

use std::collections::BTreeMap;
use std::sync::Arc;

use plait_adapters::ProviderSettings;
use plait_adapters::providers::ProviderKind;
use plait_core::attachment::Attachment;
use plait_core::config::with_settings;
use plait_core::flow::Flow;
use plait_core::hash::content_hash;
use plait_core::id::RunId;
use plait_core::origin::Origins;
use plait_journal::{
    ENGINE_REVISION, Entry, Event, FlowRef, InputOverrides, ProgramRef, ReplySource, RunEvent,
};
use plait_llm::grant::Grants;
use plait_llm::quota::QuotaChain;
use plait_recorder::conversation::conversations;
use plait_recorder::draft::draft;
use plait_recorder::exchange::{Exchange, Recorded};
use plait_recorder::observed::{ObservedCall, read_call};
use plait_recorder::play::{Observation, Played};
use plait_recorder::upstream::protocol;
use plait_run::host::{Host, RunInfo};

use super::no_calls;
use crate::ErrorReply;
use crate::flows::text::write_flow;
use crate::runs::launch::plan_to_run;
use crate::runs::service::RunService;

/// The most paths that are no calls of a model and are named.
const MAX_NAMED_PATHS: usize = 5;

/// What was observed of a program.
pub(super) struct Observed {
    pub(super) name: String,
    /// Where the draft comes from.
    pub(super) said: String,
    pub(super) program: ProgramRef,
    pub(super) calls: Vec<ObservedCall>,
    /// Whether the program was observed to its end.
    pub(super) is_whole: bool,
}

/// A program that was observed, as a run.
pub(super) struct ObservedJournal {
    pub(super) entries: Vec<Entry>,
    pub(super) flow: Flow,
    /// The document that `run.started` names.
    pub(super) document: String,
    pub(super) calls: usize,
    pub(super) notes: Vec<String>,
}

impl RunService {
    /// What a log says. `record.no_calls`.
    pub(super) async fn observed_in(
        &self,
        recorded: &Recorded,
        exchanges: Option<Attachment>,
    ) -> Result<Observed, ErrorReply> {
        let providers = self.parts.providers.table().settings();
        let mut calls = Vec::new();
        for exchange in &recorded.exchanges {
            calls.extend(read_call(exchange, |kind, base_url| provider_at(&providers, kind, base_url)).await);
        }
        if calls.is_empty() {
            return Err(no_calls(recorded));
        }
        let program = ProgramRef {
            command: recorded.command.clone(),
            exit: recorded.exit,
            exchanges,
            notes: notes_of(recorded, &calls, &providers),
        };
        let said = format!("First draft of what `{}` did, as it was recorded.", recorded.command.join(" "));
        let is_whole = recorded.exit.is_some();
        Ok(Observed { name: recorded.name.clone(), said, program, calls, is_whole })
    }

    /// The environment in which an observed run is played: nothing of it is charged to anybody.
    pub(super) fn host_of_observed(&self, run: &RunId) -> Host {
        Host { quotas: QuotaChain::default(), ..self.host_of_rehearsal(run, None) }
    }

    /// Plays the run of what was observed. Blocks.
    pub(super) fn play_observed(
        &self,
        run: &RunId,
        host: Host,
        observed: Observed,
    ) -> Result<ObservedJournal, ErrorReply> {
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
        let document = write_flow(&flow)?;
        let hash = content_hash(document.as_bytes());
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
            set: Arc::default(),
            pins: Vec::new(),
            ignores_pins: false,
            origins: Origins::NONE,
            parent_run_id: None,
            conversation: None,
            grants: grants.clone(),
            models: Arc::new(parts.calibration.current()),
            config: Arc::clone(&config),
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
        Ok(ObservedJournal { entries, flow, document, calls: count, notes })
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
