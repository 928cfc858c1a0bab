//! `proposal.*`: edits of flows that agents propose. A person looks at the difference, and accepts or drops it. Only `proposal.accept`
//! writes the flow's file.

use std::path::Path;
use std::sync::Arc;

use plait_adapters::KeyStore;
use plait_core::diagnostic::Diagnostic;
use plait_core::flow::{self, Flow};
use plait_core::hash::content_hash;
use plait_formats::pipeline;
use plait_insight::flow_diff::FlowDiff;
use plait_run::host::Clock;
use plait_store::{Proposal, Store, flow_files};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::ErrorReply;
use crate::blocking::run_blocking;
use crate::codes;
use crate::command::Command;
use crate::flows::{CheckFlow, FlowService, SaveFlow, SavedFlow, secrets, text, unreadable};
use crate::runs::RunService;

/// The most characters of the note of a proposal.
pub const MAX_NOTE_CHARS: usize = 2_000;
/// How many digits of a hash an ID has.
const ID_DIGITS: usize = 8;

/// Proposed edits.
pub struct ProposalService {
    store: Store,
    clock: Arc<dyn Clock>,
    keys: KeyStore,
    flows: Arc<FlowService>,
    runs: RunService,
}

impl ProposalService {
    pub(crate) fn new(
        store: &Store,
        clock: &Arc<dyn Clock>,
        keys: &KeyStore,
        flows: &Arc<FlowService>,
        runs: &RunService,
    ) -> Self {
        Self {
            store: store.clone(),
            clock: Arc::clone(clock),
            keys: keys.clone(),
            flows: Arc::clone(flows),
            runs: runs.clone(),
        }
    }

    /// What a proposal changes in the file as it is now.
    async fn shown(&self, proposal: Proposal) -> Result<ShownProposal, ErrorReply> {
        let flow = flow::read(&proposal.text).map_err(|error| {
            unreadable(Path::new(&proposal.path), std::slice::from_ref(&error))
                .hint("Drop it: `plait proposals drop`.")
        })?;
        let check = CheckFlow { flow: flow.clone(), path: Some(proposal.path.clone()) };
        let diagnostics = check.run(&self.flows).await?.diagnostics;
        run_blocking(move || {
            let (current, hash) =
                current(&proposal.path).map_or((None, None), |(flow, hash)| (Some(flow), Some(hash)));
            let diff = FlowDiff::between(current.as_ref().unwrap_or(&Flow::default()), &flow);
            Ok(ShownProposal {
                is_outdated: hash.as_ref() != Some(&proposal.base_hash),
                proposal: ProposalSummary::of(&proposal, &flow),
                diff,
                diagnostics,
                flow,
            })
        })
        .await
    }

    /// The proposal whose ID begins like this. `proposal.unknown`.
    async fn find(&self, prefix: String) -> Result<Proposal, ErrorReply> {
        let store = self.store.clone();
        run_blocking(move || {
            let mut found: Vec<Proposal> = store.proposals()?;
            found.retain(|proposal| !prefix.is_empty() && proposal.id.starts_with(&prefix));
            match (found.pop(), found.is_empty()) {
                (Some(only), true) => Ok(only),
                (None, _) => Err(ErrorReply::new(
                    codes::PROPOSAL_UNKNOWN,
                    format!("There is no proposed edit `{prefix}`."),
                )
                .hint("`plait proposals list` lists them. It may have been accepted or dropped.")),
                (Some(_), false) => Err(ErrorReply::new(
                    codes::PROPOSAL_UNKNOWN,
                    format!("Several proposed edits begin with `{prefix}`."),
                )
                .hint("Give more of the ID.")),
            }
        })
        .await
    }

    async fn remove(&self, id: String) -> Result<(), ErrorReply> {
        let store = self.store.clone();
        run_blocking(move || Ok(store.remove_proposal(&id)?)).await?;
        self.runs.announce_change();
        Ok(())
    }
}

/// The flow of a file, and its hash.
fn current(path: &str) -> Result<(Flow, String), ErrorReply> {
    let file = flow_files::read(Path::new(path))?;
    let flow =
        pipeline::read_file(&file.path, &file.text).map_err(|errors| unreadable(&file.path, &errors))?;
    Ok((flow, file.hash))
}

/// A proposed edit, without the flow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ProposalSummary {
    pub id: String,
    /// The file of the flow, as an absolute path.
    pub path: String,
    /// The name of the edited flow.
    pub name: String,
    /// What the edit is for, in the words of the agent.
    pub note: String,
    /// When it was proposed, in milliseconds since the Unix epoch.
    #[ts(type = "number")]
    pub at: u64,
}

impl ProposalSummary {
    fn of(proposal: &Proposal, flow: &Flow) -> Self {
        let Proposal { id, path, note, at, .. } = proposal.clone();
        Self { id, path, name: flow.name.clone(), note, at }
    }
}

/// A proposed edit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ShownProposal {
    pub proposal: ProposalSummary,
    /// The edited flow.
    pub flow: Flow,
    /// What it changes in the file as it is now.
    pub diff: FlowDiff,
    /// The problems of the edited flow.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether the file was changed or removed since the edit was proposed.
    pub is_outdated: bool,
}

/// `proposal.make`: keeps an edited flow for a person to decide on. The file is not changed. Secrets in the flow are replaced by labels.
/// `flow.*` if the file cannot be read, `proposal.no_change` if it holds the same flow already, `proposal.too_many`.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct ProposeFlow {
    /// The file of the flow.
    pub path: String,
    /// The edited flow.
    pub flow: Flow,
    /// What the edit is for.
    pub note: String,
}

impl Command for ProposeFlow {
    const NAME: &'static str = "proposal.make";
    type Service = ProposalService;
    type Reply = ShownProposal;

    async fn run(self, service: &ProposalService) -> Result<ShownProposal, ErrorReply> {
        let Self { path, mut flow, note } = self;
        let redaction = service.keys.redaction_with_stored_keys().await;
        let (store, at) = (service.store.clone(), service.clock.now_ms());
        let proposal = run_blocking(move || {
            let path = std::path::absolute(&path).map_or(path, |path| path.display().to_string());
            let path = Path::new(&path).canonicalize().map_or(path, |path| path.display().to_string());
            let (current, base_hash) = current(&path)?;
            secrets::redact(&mut flow, &redaction)?;
            if flow == current {
                let message = "The proposed flow is the same as that of the file.";
                return Err(ErrorReply::new(codes::PROPOSAL_NO_CHANGE, message)
                    .hint("Propose the whole edited flow."));
            }
            let text = text::write_flow(&flow)?;
            let mut id = content_hash(format!("{at}\n{path}\n{text}").as_bytes());
            id.truncate(ID_DIGITS);
            let note: String = redaction.text(&note).chars().take(MAX_NOTE_CHARS).collect();
            let proposal = Proposal { id, path, base_hash, at, note, text };
            store.put_proposal(&proposal)?;
            Ok(proposal)
        })
        .await?;
        service.runs.announce_change();
        service.shown(proposal).await
    }
}

/// `proposal.list`: the proposed edits that nobody has decided on, the latest first.
#[derive(Debug, Default, Serialize, Deserialize, TS)]
pub struct ListProposals {
    /// Only those of this flow file.
    #[serde(default)]
    #[ts(optional)]
    pub path: Option<String>,
}

impl Command for ListProposals {
    const NAME: &'static str = "proposal.list";
    type Service = ProposalService;
    type Reply = Vec<ProposalSummary>;

    async fn run(self, service: &ProposalService) -> Result<Vec<ProposalSummary>, ErrorReply> {
        let store = service.store.clone();
        run_blocking(move || {
            let mut proposals = store.proposals()?;
            if let Some(path) = self.path {
                let path = Path::new(&path).canonicalize().map_or(path, |path| path.display().to_string());
                proposals.retain(|proposal| proposal.path == path);
            }
            let named = proposals.iter().map(|proposal| {
                let flow = flow::read(&proposal.text).unwrap_or_default();
                ProposalSummary::of(proposal, &flow)
            });
            Ok(named.collect())
        })
        .await
    }
}

/// `proposal.show`: a proposed edit, and what it changes in the file as it is now. `proposal.unknown`.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct ShowProposal {
    /// Its ID, or how that begins.
    pub id: String,
}

impl Command for ShowProposal {
    const NAME: &'static str = "proposal.show";
    type Service = ProposalService;
    type Reply = ShownProposal;

    async fn run(self, service: &ProposalService) -> Result<ShownProposal, ErrorReply> {
        let proposal = service.find(self.id).await?;
        service.shown(proposal).await
    }
}

/// `proposal.accept`: writes the edited flow to its file, and removes the proposal. `proposal.unknown`, `proposal.outdated` if the file has
/// changed since, and the errors of `flow.save`.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct AcceptProposal {
    /// Its ID, or how that begins.
    pub id: String,
    /// Write it also over what changed in the file since.
    #[serde(default)]
    #[ts(optional, as = "Option<bool>")]
    pub replace: bool,
}

impl Command for AcceptProposal {
    const NAME: &'static str = "proposal.accept";
    type Service = ProposalService;
    type Reply = SavedFlow;

    async fn run(self, service: &ProposalService) -> Result<SavedFlow, ErrorReply> {
        let proposal = service.find(self.id).await?;
        let flow = service.shown(proposal.clone()).await?.flow;
        let save = SaveFlow {
            path: proposal.path.clone(),
            flow,
            base_hash: Some(proposal.base_hash),
            force: self.replace,
            source: None,
        };
        let saved = save.run(&service.flows).await.map_err(|error| {
            if error.code != codes::FLOW_CHANGED_ON_DISK {
                return error;
            }
            let message = format!("{} was changed after the edit was proposed.", proposal.path);
            ErrorReply::new(codes::PROPOSAL_OUTDATED, message).hint(
                "Look at the difference with `plait proposals show`, then accept it with `--replace` or drop it.",
            )
        })?;
        service.remove(proposal.id).await?;
        Ok(saved)
    }
}

/// `proposal.drop`: removes a proposed edit; the file is not changed. Returns what was removed. `proposal.unknown`.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct DropProposal {
    /// Its ID, or how that begins.
    pub id: String,
}

impl Command for DropProposal {
    const NAME: &'static str = "proposal.drop";
    type Service = ProposalService;
    type Reply = ProposalSummary;

    async fn run(self, service: &ProposalService) -> Result<ProposalSummary, ErrorReply> {
        let proposal = service.find(self.id).await?;
        service.remove(proposal.id.clone()).await?;
        let flow = flow::read(&proposal.text).unwrap_or_default();
        Ok(ProposalSummary::of(&proposal, &flow))
    }
}
