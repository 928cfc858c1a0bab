//! The table of keys. A key is one entry; everything else follows from it: `plait config`, hints in the window, checks, the
//! documentation.

use serde_json::json;

use super::key::{BuiltIn, ConfigKey, NodePlace, Rule, ValueKind};
use crate::flow::{DEFAULT_RECENT_TURNS, MAX_RECENT_TURNS};
use crate::flow::{MAX_ATTEMPTS, RetryPolicy, TreeLimits};
use crate::offline::{ECHO, OFFLINE};

/// How many activations run at once: enough to hide the latency of model calls, few enough to stay below the rate limits of common
/// providers.
pub const DEFAULT_MAX_CONCURRENCY: u32 = 16;
/// After how many epochs in a row without a question a cycle without `limits.maxEpochs` ends: more than a model needs to
/// correct itself, few enough that a mistake stays cheap.
pub const DEFAULT_MAX_UNATTENDED_EPOCHS: u32 = 100;
/// How many iterations a loop runs at most, for the same reasons.
pub const DEFAULT_MAX_ITERATIONS: u32 = 100;
/// The greatest number of iterations that a loop may be given.
pub const MAX_ITERATIONS: u32 = 1_000_000;
/// How many rounds of tool calls a model gets: more than a task of several steps needs, few enough to notice a model that turns in
/// circles.
pub const DEFAULT_MAX_TOOL_ROUNDS: u32 = 8;
/// How many tokens of turns are sent if nothing else is set.
pub const DEFAULT_MAX_TOKENS: u32 = 4096;
/// How many turns are sent under `truncate_turns` if nothing else is set.
pub const DEFAULT_MAX_TURNS: u32 = 20;
/// The proportion of turns that a summary condenses if none, or an impossible one, is set.
pub const DEFAULT_SUMMARIZE_RATIO: f64 = 0.5;

const MAX_U32: u64 = u32::MAX as u64;
/// What JSON numbers hold without loss everywhere.
const MAX_SAFE: u64 = (1 << 53) - 1;

const fn whole(min: u64, max: u64) -> ValueKind {
    ValueKind::Integer { min, max }
}

const CHAT: &[&str] = &["chat", "llmRequest"];
const MODELS: &[&str] = &["chat", "llmRequest", "classify", "extract"];
/// Nodes that ask a model, a server or a tool: their executions can take long, or fail for a while.
const CALLERS: &[&str] =
    &["chat", "llmRequest", "classify", "extract", "callTool", "httpRequest", "retrieve"];

const fn at(types: &'static [&'static str], pointer: &'static str) -> NodePlace {
    NodePlace { types, pointer, without_context: false }
}

const fn without_context(types: &'static [&'static str], pointer: &'static str) -> NodePlace {
    NodePlace { types, pointer, without_context: true }
}

const SIDE_QUERIES: &[&str] = &["classify", "extract"];

/// All keys, by topic. Forms show them in this order.
pub fn keys() -> &'static [ConfigKey] {
    KEYS
}

use BuiltIn::{Depends, Value};

#[rustfmt::skip]
static KEYS: &[ConfigKey] = &[
    ConfigKey::new("agent.provider", "Agent’s provider", ValueKind::Text, Value(|| json!(OFFLINE)), "The provider of the default agent: of pipeline steps without an agent, of `newContext`, `classify` and `extract` nodes without a context, and of summaries of loops without a summarizer.").format("provider").everywhere("agent")
        .in_node(&[without_context(&["newContext"], "/config/provider"), without_context(SIDE_QUERIES, "/config/overrideProvider")]),
    ConfigKey::new("agent.model", "Agent’s model", ValueKind::Text, Value(|| json!(ECHO)), "The model of the default agent. It belongs to the provider: where another one is set, a model must be, too.").format("model").everywhere("agent")
        .in_node(&[without_context(&["newContext"], "/config/model"), without_context(SIDE_QUERIES, "/config/overrideModel")])
        .rule(Rule::Follows("agent.provider")),
    ConfigKey::new("agent.instructions", "Agent’s instructions", ValueKind::Text, Depends("none"), "The system instructions of the default agent, for pipeline steps and `newContext` nodes. An agent with another model does not get them.").format("multiline").everywhere("agent")
        .in_node(&[without_context(&["newContext"], "/config/systemInstructions")])
        .rule(Rule::Follows("agent.model")),
    ConfigKey::new("maxToolRounds", "Max tool rounds", whole(0, MAX_U32), Value(|| json!(DEFAULT_MAX_TOOL_ROUNDS)), "Maximum rounds of tool calls before the model must answer.").everywhere("runDefaults")
        .in_node(&[at(CHAT, "/config/maxToolRounds")]),
    ConfigKey::new("timeoutMs", "Timeout", whole(1, MAX_SAFE), Depends("no limit"), "The maximum duration of one execution, in milliseconds; then the node fails with `node.timeout`. The settings and the flow set it for nodes that ask a model, a server or a tool.").unit("ms").everywhere("runDefaults")
        .in_node(&[at(CALLERS, "/limits/timeoutMs")]),
    ConfigKey::new("retry.attempts", "Max attempts", whole(1, MAX_ATTEMPTS as u64), Value(|| json!(RetryPolicy::default().attempts)), "The maximum number of attempts, the first included. A node with a `retry` of its own sets all four values of it.").everywhere("runDefaults")
        .in_node(&[at(CALLERS, "/retry/attempts")]),
    ConfigKey::new("retry.backoffMs", "Initial delay", whole(0, MAX_SAFE), Value(|| json!(RetryPolicy::default().backoff_ms)), "The delay before the second attempt, in milliseconds. It doubles with each further attempt.").unit("ms").everywhere("runDefaults")
        .in_node(&[at(CALLERS, "/retry/backoffMs")]),
    ConfigKey::new("retry.maxBackoffMs", "Max delay", whole(0, MAX_SAFE), Value(|| json!(RetryPolicy::default().max_backoff_ms)), "The maximum delay between attempts, in milliseconds.").unit("ms").everywhere("runDefaults")
        .in_node(&[at(CALLERS, "/retry/maxBackoffMs")]),
    ConfigKey::new("retry.jitter", "Jitter", ValueKind::Number { min: 0.0, max: 1.0 }, Value(|| json!(RetryPolicy::default().jitter)), "The share of each delay that is random.").everywhere("runDefaults")
        .in_node(&[at(CALLERS, "/retry/jitter")]),
    ConfigKey::new("max_iterations", "Max iterations of loops", whole(1, MAX_ITERATIONS as u64), Value(|| json!(DEFAULT_MAX_ITERATIONS)), "The greatest number of iterations of a loop. One that would go on ends with a warning.").short_label("Max iterations").everywhere("runDefaults").in_loop("/config/max_iterations"),
    ConfigKey::new("history_management.strategy", "Loop history", ValueKind::Choice(&[("truncate_tokens", "Truncate tokens"), ("truncate_turns", "Truncate turns"), ("summarize", "Summarize")]), Value(|| json!("truncate_tokens")), "How the history of a conversational loop is kept within bounds.").short_label("Strategy").everywhere("runDefaults").in_loop("/config/history_management/strategy"),
    ConfigKey::new("history_management.max_tokens", "Max tokens of loop history", whole(1, MAX_U32), Value(|| json!(DEFAULT_MAX_TOKENS)), "The most tokens of turns that models get, for `truncate_tokens` and `summarize`.").short_label("Max tokens").everywhere("runDefaults").in_loop("/config/history_management/max_tokens"),
    ConfigKey::new("history_management.max_turns", "Max turns of loop history", whole(1, MAX_U32), Value(|| json!(DEFAULT_MAX_TURNS)), "The most turns that models get, for `truncate_turns`, and for `summarize` where it is set.").short_label("Max turns").everywhere("runDefaults").in_loop("/config/history_management/max_turns"),
    ConfigKey::new("history_management.summarize_ratio", "Share of turns to summarize", ValueKind::Ratio, Value(|| json!(DEFAULT_SUMMARIZE_RATIO)), "The proportion of the turns that a summary condenses, oldest first.").short_label("Summarize ratio").everywhere("runDefaults").in_loop("/config/history_management/summarize_ratio"),
    ConfigKey::new("maxConcurrency", "Max concurrency", whole(1, MAX_U32), Value(|| json!(DEFAULT_MAX_CONCURRENCY)), "How many nodes of a run may run at once.").settings("runDefaults").flow_at("/maxConcurrency"),
    ConfigKey::new("maxUnattendedEpochs", "Max unattended iterations", whole(1, MAX_U32), Value(|| json!(DEFAULT_MAX_UNATTENDED_EPOCHS)), "After how many iterations in a row without a question to a person a cycle ends, unless “Max iterations” of a node (`limits.maxEpochs`) bounds it.").settings("runDefaults").flow_at("/maxUnattendedEpochs"),
    ConfigKey::new("limits.maxRuns", "Max runs", whole(1, MAX_SAFE), Value(|| json!(TreeLimits::DEFAULT_MAX_RUNS)), "How many runs there may be: a run and all runs of sub-flows below it.").settings_at("runLimits", "/limits/maxRuns").flow_at("/limits/maxRuns").live(),
    ConfigKey::new("limits.maxModelCalls", "Max model calls", whole(1, MAX_SAFE), Value(|| json!(TreeLimits::DEFAULT_MAX_MODEL_CALLS)), "How many model calls of a run and of all runs below it may be answered.").settings_at("runLimits", "/limits/maxModelCalls").flow_at("/limits/maxModelCalls").live(),
    ConfigKey::new("limits.maxEvents", "Max events", whole(1, MAX_SAFE), Value(|| json!(TreeLimits::DEFAULT_MAX_EVENTS)), "After how many events of a run and of all runs below it no node starts any more.").settings_at("runLimits", "/limits/maxEvents").flow_at("/limits/maxEvents").live(),
    ConfigKey::new("quotas.run", "Quota of a run", ValueKind::Quota, Depends("no limit"), "What the model calls of a run and of the runs below it may use.").settings_at("quotas", "/quotas/run").flow_at("/quotas/run").live(),
    ConfigKey::new("quotas.conversation", "Quota of a conversation", ValueKind::Quota, Depends("no limit"), "What the model calls of all runs of a conversation may use.").settings_at("quotas", "/quotas/conversation").flow_at("/quotas/conversation").live(),
    ConfigKey::new("quotas.day", "Quota of a day", ValueKind::Quota, Depends("no limit"), "What the model calls of all runs of a day may use.").settings_at("quotas", "/quotas/day").live(),
    ConfigKey::new("quotas.loop", "Quota of a loop", ValueKind::Quota, Depends("no limit"), "What the model calls inside a loop may use, each time it runs. All quotas around a call hold.").short_label("Quota").in_loop("/limits/quota"),
    ConfigKey::new("quotas.node", "Quota of a node", ValueKind::Quota, Depends("no limit"), "What the model calls of a node may use in a run; those of a loop’s body, each time the loop runs. All quotas around a call hold.").short_label("Quota").in_node(&[at(MODELS, "/limits/quota")]),
    ConfigKey::new("contextWindow", "Context window", whole(1, MAX_U32), Depends("the model's own"), "The most tokens of a model call, prompt and reply together. Set it where Plait does not know the model, or to use less of its window.").flow_at("/contextWindow")
        .in_node(&[at(&["chat", "llmRequest", "extract"], "/config/contextWindow")]),
    ConfigKey::new("memory.mode", "Workflow memory", ValueKind::Choice(&[("off", "Off"), ("read", "Read"), ("readWrite", "Read and write")]), Value(|| json!("off")), "What a model node may do with the workflow's memory.").short_label("Mode").flow_at("/memory/mode")
        .in_node(&[at(CHAT, "/config/memory/mode")]),
    ConfigKey::new("memory.recentTurns", "Recent turns in memory", whole(1, MAX_RECENT_TURNS as u64), Value(|| json!(DEFAULT_RECENT_TURNS)), "How many turns of the workflow's memory are kept verbatim. A node can see fewer of them, not more.").short_label("Recent turns").settings("runDefaults").flow_at("/memory/recentTurns")
        .in_node(&[at(CHAT, "/config/memory/recentTurns")]).rule(Rule::NodeLowers),
    ConfigKey::new("summarizer.provider", "Summarizer’s provider", ValueKind::Text, Depends("the default agent's for loops, the context's for memory"), "The provider that summarizes the workflow's memory, and histories of loops without a summarizer.").short_label("Provider").format("provider").settings_at("memory", "/summarizer/provider").flow_at("/memory/summarizer/provider")
        .in_node(&[at(CHAT, "/config/memory/summarizer/provider")]),
    ConfigKey::new("summarizer.model", "Summarizer’s model", ValueKind::Text, Depends("the default agent's for loops, the context's for memory"), "The model that summarizes. It belongs to the provider.").short_label("Model").format("model").settings_at("memory", "/summarizer/model").flow_at("/memory/summarizer/model")
        .in_node(&[at(CHAT, "/config/memory/summarizer/model")])
        .rule(Rule::Follows("summarizer.provider")),
    ConfigKey::new("telemetry.endpoint", "OTLP endpoint", ValueKind::Text, Depends("nothing is sent"), "The OTLP/HTTP endpoint that spans of runs are sent to.").example("http://127.0.0.1:4318").settings_at("telemetry", "/telemetry/endpoint"),
    ConfigKey::new("telemetry.headersVariable", "Environment variable with headers", ValueKind::Text, Depends("none"), "The environment variable that holds headers of the requests with spans.").example("OTEL_EXPORTER_OTLP_HEADERS").settings_at("telemetry", "/telemetry/headersVariable"),
    ConfigKey::new("telemetry.content", "Include messages and tool results", ValueKind::Boolean, Value(|| json!(false)), "Whether spans contain messages, tool arguments and results.").settings_at("telemetry", "/telemetry/content"),
    ConfigKey::new("theme", "Theme", ValueKind::Choice(&[("system", "System"), ("light", "Light"), ("dark", "Dark")]), Value(|| json!("system")), "The color theme of the window.").settings_at("appearance", "/theme"),
    ConfigKey::new("reducedMotion", "Reduce motion", ValueKind::Boolean, Value(|| json!(false)), "Whether animations are off.").settings_at("appearance", "/reducedMotion"),
];
