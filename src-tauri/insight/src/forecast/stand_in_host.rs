//! A world in which nothing happens: models reply with a text of the expected size, and tools, servers, knowledge bases and other
//! flows are refused. It takes no time.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures::future::{self, BoxFuture};
use serde_json::Value;

use super::filler;
use super::measured::{SizeEstimate, SizeSource, assumed_summary};
use super::observed::Shared;
use plait_core::attachment::NoAttachmentStore;
use plait_core::error::Fault;
use plait_core::expression::evaluation::{Evaluation, Evaluator};
use plait_core::flow::TreeLimits;
use plait_core::id::MemoryId;
use plait_core::origin::Origin;
use plait_core::user::UserName;
use plait_journal::{Entry, Journal};
use plait_llm::long_term_memory::{MemoryRecord, MemoryStore, Recall, RecallRequest};
use plait_llm::provider::{ChunkSink, ModelReply, ModelRequest, Provider, Providers, StopReason};
use plait_llm::quota::{QuotaChain, TreeAccount, TreeUsage};
use plait_llm::retriever::{
    KnowledgeRef, Match, Passage, Retrieval, RetrievalRequest, RetrievedChunk, Retriever,
};
use plait_llm::tool::{ToolHost, ToolInvocation, ToolSpec};
use plait_run::codes;
use plait_run::host::subflow::NoSubflows;
use plait_run::host::{Clock, Host};
use plait_run::plan::Plan;

/// The most model calls of a dry run: enough for what people look at, few enough to take well under a second.
const MAX_CALLS: u64 = 1_000;
/// The most tokens that are made up.
const MAX_FILLER_TOKENS: u64 = 2_000_000;
/// The most events, beside some for each node.
const MAX_EVENTS: u64 = 50_000;
const MAX_EVENTS_PER_NODE: u64 = 20;

/// The host of a dry run. `tools` are the ones that flows may name.
pub(super) fn host(plan: &Plan, tools: Arc<[ToolSpec]>, shared: &Arc<Shared>) -> Host {
    let limits = TreeLimits {
        max_runs: None,
        max_model_calls: Some(MAX_CALLS),
        max_events: Some(MAX_EVENTS + MAX_EVENTS_PER_NODE * plan.nodes.len() as u64),
        ..TreeLimits::default()
    };
    let tree = Arc::new(TreeAccount::new(limits, TreeUsage { runs: 1, ..TreeUsage::default() }));
    Host {
        providers: Arc::new(StandInProviders(Arc::clone(shared))),
        tools: Arc::new(KnownTools(tools)),
        retriever: Arc::new(FullRetriever(Arc::clone(shared))),
        memories: Arc::new(UnknownMemories),
        attachments: NoAttachmentStore::shared(),
        clock: Arc::new(NoTime),
        evaluator: Arc::new(NoEvaluator),
        subflows: Arc::new(NoSubflows),
        earlier: plait_journal::earlier_run::EarlierTree::default(),
        debugger: plait_run::debugger::Debugger::default(),
        quotas: QuotaChain { tree, ..QuotaChain::default() },
    }
}

struct StandInProviders(Arc<Shared>);

impl Providers for StandInProviders {
    fn get(&self, _: &str) -> Result<Arc<dyn Provider>, Fault> {
        Ok(Arc::new(StandInProvider(Arc::clone(&self.0))))
    }

    fn names(&self) -> Vec<String> {
        Vec::new()
    }
}

/// Any model.
struct StandInProvider(Arc<Shared>);

#[async_trait]
impl Provider for StandInProvider {
    async fn call(&self, request: ModelRequest, _: &mut ChunkSink<'_>) -> Result<ModelReply, Fault> {
        let size = self.reply_size(&request);
        let mut observed = self.0.observed.lock();
        observed.add_request(request.max_tokens, size);
        if observed.filler_tokens.saturating_add(size.tokens) > MAX_FILLER_TOKENS {
            let message = "The forecast looks no further.";
            return Err(Fault::new(codes::RUN_TOO_MANY_MODEL_CALLS, message));
        }
        observed.filler_tokens += size.tokens;
        let serial = observed.next_serial();
        let text = match &request.response_schema {
            Some(schema) => filler::instance(schema, size.tokens, serial).to_string(),
            None => filler::text(size.tokens, serial),
        };
        Ok(ModelReply { text, stop_reason: StopReason::End, ..ModelReply::default() })
    }

    async fn models(&self) -> Result<Vec<String>, Fault> {
        Ok(Vec::new())
    }
}

impl StandInProvider {
    fn reply_size(&self, request: &ModelRequest) -> SizeEstimate {
        let Shared { earlier, live, loops, .. } = &*self.0;
        let node = &request.activation.node;
        // A loop writes no reply of its own, only summaries.
        if loops.contains(node) {
            return SizeEstimate { tokens: assumed_summary(request.max_tokens), source: SizeSource::Assumed };
        }
        earlier.reply(live, node, request.max_tokens)
    }
}

/// Tools can be offered, and not be called.
struct KnownTools(Arc<[ToolSpec]>);

#[async_trait]
impl ToolHost for KnownTools {
    fn list(&self) -> Vec<ToolSpec> {
        self.0.to_vec()
    }

    async fn call(&self, call: ToolInvocation) -> Result<Value, Fault> {
        let message = format!("The tool `{}` is not called before a run.", call.tool.name);
        Err(Fault::new(codes::TOOL_UNKNOWN, message))
    }
}

/// Knowledge bases that fill what a node takes of them.
struct FullRetriever(Arc<Shared>);

#[async_trait]
impl Retriever for FullRetriever {
    async fn retrieve(&self, request: RetrievalRequest) -> Result<Retrieval, Fault> {
        let Some(base) = request.bases.first() else {
            return Ok(Retrieval {
                query: request.query,
                max_tokens: request.max_tokens,
                ..Retrieval::default()
            });
        };
        let base = match base {
            KnowledgeRef::Base(name) => name.clone(),
            KnowledgeRef::Folder(folder) => format!("./{folder}"),
        };
        let serial = self.0.observed.lock().next_serial();
        let passage =
            Passage { base, tokens: request.max_tokens, matched: Match::Words, ..Passage::default() };
        let used = vec![RetrievedChunk { passage, text: filler::text(request.max_tokens, serial) }];
        Ok(Retrieval { query: request.query, max_tokens: request.max_tokens, used, ..Retrieval::default() })
    }
}

/// What users' flows know of them is not looked up before a run: something of the expected size stands for it.
struct UnknownMemories;

#[async_trait]
impl MemoryStore for UnknownMemories {
    async fn recall(&self, _: &UserName, _: RecallRequest) -> Result<Recall, Fault> {
        Err(not_looked_up())
    }

    async fn remember(&self, _: &UserName, _: Vec<MemoryRecord>) -> Result<(), Fault> {
        Err(not_looked_up())
    }

    async fn forget(&self, _: &UserName, _: Vec<MemoryId>) -> Result<u64, Fault> {
        Err(not_looked_up())
    }
}

fn not_looked_up() -> Fault {
    Fault::new(codes::MEMORY_UNAVAILABLE, "Memories are not looked up before a run.")
}

struct NoTime;

impl Clock for NoTime {
    fn now_ms(&self) -> u64 {
        0
    }

    fn sleep(&self, _: Duration) -> BoxFuture<'static, ()> {
        Box::pin(future::ready(()))
    }

    fn random(&self) -> f64 {
        0.0
    }
}

/// Evaluates nothing that could take long.
struct NoEvaluator;

impl Evaluator for NoEvaluator {
    fn evaluate(&self, _: Evaluation) -> BoxFuture<'static, Result<Value, Fault>> {
        let message = "This is not evaluated before a run.";
        Box::pin(future::ready(Err(Fault::new(codes::EXPRESSION_UNAVAILABLE, message))))
    }
}

/// Keeps of the journal only what a forecast needs.
pub(super) struct ObservingJournal(pub Arc<Shared>);

impl Journal for ObservingJournal {
    fn append(&mut self, entries: &[Entry]) -> Result<(), Fault> {
        self.0.observed.lock().follow(entries);
        Ok(())
    }

    fn flush(&mut self) -> BoxFuture<'static, Result<(), Fault>> {
        Box::pin(future::ready(Ok(())))
    }
}

/// What stands for content that only a run has.
pub(super) fn unknown_content() -> Origin {
    Origin::Many(plait_core::origin::OriginKind::Host)
}
