//! Settings without effect: warns of each setting that a flow sets and that nothing reads. What a node type's own settings do, the
//! type says ([`NodeType::unused`](crate::node::NodeType::unused)); this module says it what is around the node, and knows what
//! depends on other nodes: the conversations of loops, limits, and the settings of the flow. A run does not need any of it.

use rustc_hash::FxHashSet;
use serde_json::{Map, Value};

use super::analysis::ScopeAnalysis;
use super::summarizers;
use super::wiring::{Vertex, Wiring};
use crate::codes;
use crate::node::{LoopPart, Surroundings};
use plait_core::config::{Unused, no_effect};
use plait_core::diagnostic::{Diagnostic, escape};
use plait_core::flow::{Flow, MemoryMode, MemorySettings, RetryPolicy, TreeLimits};
use plait_core::id::NodeId;
use plait_core::similar_name::similar_name;
use plait_llm::loop_history::{AiTurnSource, ConversationSettings, HITL, HistoryManagement, HistoryStrategy};

/// What the config of an agent that only summarizes is read for.
const SUMMARIZER_SETTINGS: [&str; 6] =
    ["overrideProvider", "overrideModel", "prompt", "temperature", "maxTokens", "options"];

/// Warns of the settings of a flow that have no effect.
pub(super) fn check_unused_settings(flow: &Flow, root: &ScopeAnalysis, diagnostics: &mut Vec<Diagnostic>) {
    let mut checker = Checker {
        flow,
        memory: flow.settings.memory.clone().unwrap_or_default(),
        uses_memory: false,
        summarizes: false,
        is_known: true,
        has_prompt_only_context: has_prompt_only_context(root),
        inherited_history: FxHashSet::default(),
        diagnostics,
    };
    checker.scope(root, None);
    checker.summarizers();
    checker.flow_settings();
}

/// The conversational loop around a scope.
#[derive(Clone, Copy)]
struct Around<'a> {
    settings: &'a ConversationSettings,
    /// The nodes that `ai_turn_source: last` means.
    last: &'a FxHashSet<&'a NodeId>,
}

#[expect(clippy::struct_excessive_bools, reason = "independent facts about a flow")]
struct Checker<'f, 'd> {
    flow: &'f Flow,
    memory: MemorySettings,
    /// Whether a node may do something with the workflow's memory.
    uses_memory: bool,
    /// Whether a loop summarizes its history by the summarizer of the flow.
    summarizes: bool,
    /// Whether all nodes could be read.
    is_known: bool,
    /// Whether the model of a context surely takes a single prompt.
    has_prompt_only_context: bool,
    /// The settings of histories that a loop takes from the flow.
    inherited_history: FxHashSet<&'static str>,
    diagnostics: &'d mut Vec<Diagnostic>,
}

impl Checker<'_, '_> {
    fn scope(&mut self, scope: &ScopeAnalysis, around: Option<Around<'_>>) {
        let wiring = &scope.wiring;
        self.is_known &= wiring.unbound.ids.is_empty();
        let mut fed: Vec<FxHashSet<&str>> = vec![FxHashSet::default(); wiring.vertices.len()];
        for wire in &wiring.wires {
            fed[wire.target]
                .insert(wiring.vertices[wire.target].node.ports().inputs[wire.target_port].name.as_str());
        }
        for (at, fed) in fed.into_iter().enumerate().filter(|(at, _)| !wiring.is_border(*at)) {
            let vertex = &wiring.vertices[at];
            self.uses_memory |= vertex.node.behavior().memory.mode(&self.memory) != MemoryMode::Off;
            let loop_part = match around {
                None => LoopPart::Outside,
                Some(around) if around.role(vertex).is_some() => LoopPart::Speaking,
                Some(_) => LoopPart::Silent,
            };
            let surroundings = Surroundings { fed, loop_part, memory: self.memory.clone() };
            for unused in vertex.node.unused(&surroundings) {
                self.report(&vertex.id, &unused);
            }
            self.limits(vertex, scope.nesting.around[at].is_empty());
            let Some(body) = scope.bodies.get(&at) else { continue };
            match &vertex.node.behavior().conversation {
                Some(settings) => {
                    let last = last_nodes(body);
                    let inner = Around { settings, last: &last };
                    self.conversation(&vertex.id, inner, body, surroundings.feeds("input"));
                    self.scope(body, Some(inner));
                }
                None => self.scope(body, around),
            }
        }
    }

    /// The settings of a conversation that depend on the nodes inside.
    fn conversation(&mut self, id: &NodeId, around: Around<'_>, body: &ScopeAnalysis, has_input: bool) {
        let Around { settings, last } = around;
        self.inheritance(id, &settings.history_management);
        let mut members = Vec::new();
        collect_members(&body.wiring, &mut members);
        // What could not be read may be anything.
        if !body.wiring.unbound.ids.is_empty() {
            return;
        }
        if !members.iter().any(|member| member.node.behavior().gets_loop_history()) {
            let reason = "no model node in the loop gets its history";
            self.report(id, &Unused::new("/conversation", reason, "put a model node into the loop"));
            return;
        }
        let adds_turns = members.iter().any(|member| around.is_ai_turn(member));
        if settings.ai_turn_source != AiTurnSource::NamedSteps && !adds_turns {
            let names: Vec<String> = last.iter().map(|id| format!("`{id}`")).collect();
            let what = match names.as_slice() {
                _ if settings.ai_turn_source == AiTurnSource::AllAgents => {
                    "what each model node says is a turn of the user".to_owned()
                }
                [] => "the body has no last node".to_owned(),
                [name] => format!(
                    "the last node of the body, {name}, is no model node that says a turn of the assistant"
                ),
                several => format!("the last nodes of the body, {}, are no model nodes", several.join(", ")),
            };
            let message = format!("No turn of the assistant is ever added: {what}.");
            let found = Diagnostic::on_node(codes::CONFIG_NO_EFFECT, id, message).warning();
            let hint = match settings.ai_turn_source {
                AiTurnSource::AllAgents => "Take a model node out of `user_turn_sources`.",
                _ => {
                    "Set `ai_turn_source: all_agents`, or `named_steps` with the names of the nodes whose replies are turns."
                }
            };
            self.diagnostics.push(found.below("/config/ai_turn_source").hint(hint));
        }
        for (pointer, name) in settings.named_nodes() {
            if pointer.starts_with("/history_management") {
                continue;
            }
            let Some(member) = members.iter().find(|member| member.id.as_str() == name) else {
                if self.flow.nodes.contains_key(name) {
                    let reason = "a node in a conversation inside says its turns there";
                    self.report(id, &Unused::new(pointer, reason, ""));
                }
                continue;
            };
            let is_ai =
                pointer.starts_with("/named_steps") && settings.ai_turn_source == AiTurnSource::NamedSteps;
            if is_ai && !around.is_ai_turn(member) {
                let reason = format!("`{name}` asks a person, so what it says is a turn of the user");
                self.report(id, &Unused::new(pointer, reason, "take `hitl` out of `user_turn_sources`"));
            }
        }
        let asks = members.iter().any(|member| member.node.behavior().pauses);
        if let Some(at) =
            settings.user_turn_sources.iter().position(|source| source == HITL).filter(|_| !asks)
        {
            let reason = "no node in the loop asks a person";
            self.report(
                id,
                &Unused::new(format!("/user_turn_sources/{at}"), reason, "put one into the loop"),
            );
        }
        let takes_text = self.has_prompt_only_agent(body);
        if settings.history_template.is_some() && !takes_text {
            let message =
                "Models that take messages ignore `history_template`: they get the turns as messages.";
            let found = Diagnostic::on_node(codes::HISTORY_TEMPLATE_IGNORED, id, message).warning();
            self.diagnostics.push(
                found
                    .below("/config/history_template")
                    .hint("It counts for models that are marked as prompt-only in the settings."),
            );
        }
        let start = "/init/history/start_with";
        if !has_input {
            let reason = "nothing leads to the loop's `input`";
            for setting in ["from_initial_input", "prefix"] {
                self.report(id, &Unused::new(format!("{start}/{setting}"), reason, "connect it"));
            }
        } else if !takes_text {
            let reason = "models that take messages get the turns as messages";
            let remedy = "mark the model as prompt-only in the settings, if it takes a prompt only";
            self.report(id, &Unused::new(format!("{start}/prefix"), reason, remedy));
        }
    }

    /// Whether a node surely gets the history of a loop as text. Others may: the settings say which models take a prompt only.
    fn has_prompt_only_agent(&self, body: &ScopeAnalysis) -> bool {
        let vertices = &body.wiring.vertices;
        let of_context = |at: usize| {
            let maker = body.contexts.rows.get(at)?.works_in.only()?;
            let behavior = vertices.get(maker)?.node.behavior();
            behavior.takes_prompt_only.filter(|_| behavior.makes_context)
        };
        let is_one = |at: usize| {
            let behavior = vertices[at].node.behavior();
            let takes_text = || behavior.takes_prompt_only.or_else(|| of_context(at));
            behavior.gets_loop_history() && takes_text().unwrap_or(self.has_prompt_only_context)
        };
        // A conversation inside has a history of its own.
        let shares_history = |at: usize| vertices[at].node.behavior().conversation.is_none();
        (0..vertices.len()).any(is_one)
            || body.bodies.iter().any(|(at, inner)| shares_history(*at) && self.has_prompt_only_agent(inner))
    }

    /// Collects what the history of a loop takes from the settings of the flow.
    fn inheritance(&mut self, id: &NodeId, history: &HistoryManagement) {
        let own = |name: &str| self.flow.nodes.get(id)?.config.get("history_management")?.get(name);
        let inherited = HistoryManagement::INHERITED.into_iter();
        let inherited: Vec<_> = inherited.filter(|name| history.reads(name) && own(name).is_none()).collect();
        self.inherited_history.extend(inherited);
        let agent = history.summarizer_agent.as_ref().and_then(|agent| self.flow.nodes.get(agent));
        let has_model = agent.is_some_and(|agent| is_set(&agent.config, "/overrideModel"));
        self.summarizes |= history.strategy == HistoryStrategy::Summarize && !has_model;
    }

    /// The limits of a node that bound nothing. Those of loops have checks of their own.
    fn limits(&mut self, vertex: &Vertex, is_outside_cycles: bool) {
        let behavior = vertex.node.behavior();
        if behavior.is_pinned {
            // They have an effect again once it is unpinned.
            return;
        }
        if behavior.repeats.is_none() && vertex.limits.max_epochs.is_some() && is_outside_cycles {
            self.warn(&vertex.id, "/limits/maxEpochs", "the node is in no cycle of edges", "");
        }
        let node_type = self.flow.nodes.get(&vertex.id).map(|node| node.node_type.as_str());
        let calls_models = behavior.is_agent
            || behavior.repeats.is_some()
            || behavior.calls.is_some()
            || behavior.makes_context
            || node_type == Some("callTool");
        if vertex.limits.quota.is_some() && !calls_models {
            self.warn(&vertex.id, "/limits/quota", "the node calls no model", "set it on a node that does");
        }
        if let Some(retry) = vertex.retry.as_ref().filter(|retry| retry.attempts == 1) {
            let default = RetryPolicy { attempts: 1, ..RetryPolicy::default() };
            let own = RetryPolicy { extra: Map::new(), ..retry.clone() };
            if own != default {
                let reason = "with `attempts: 1` there is no second attempt";
                self.warn(&vertex.id, "/retry", reason, "set more `attempts`");
            }
        }
        if let Some(node) = self.flow.nodes.get(&vertex.id) {
            self.unknown_keys(
                Some(&vertex.id),
                "/limits",
                &node.limits.extra,
                &["maxEpochs", "timeoutMs", "quota"],
            );
            if let Some(retry) = &node.retry {
                let known = ["attempts", "backoffMs", "maxBackoffMs", "jitter"];
                self.unknown_keys(Some(&vertex.id), "/retry", &retry.extra, &known);
            }
        }
    }

    /// Agents that only summarize: what else their configs set.
    fn summarizers(&mut self) {
        for id in summarizers::unconnected(self.flow) {
            let Some((id, node)) = self.flow.nodes.get_key_value(id) else { continue };
            for key in node.config.keys().filter(|key| !SUMMARIZER_SETTINGS.contains(&key.as_str())) {
                let reason = "the node only writes summaries";
                self.report(id, &Unused::new(format!("/{}", escape(key)), reason, ""));
            }
        }
    }

    /// The settings of the flow.
    fn flow_settings(&mut self) {
        const KNOWN: [&str; 8] = [
            "maxConcurrency",
            "maxUnattendedEpochs",
            "limits",
            "quotas",
            "contextWindow",
            "memory",
            "folders",
            "config",
        ];
        let settings = &self.flow.settings;
        self.unknown_keys(None, "/settings", &settings.extra, &KNOWN);
        if let Some(limits) = &settings.limits {
            self.unknown_keys(None, "/settings/limits", &limits.extra, &TreeLimits::KEYS);
        }
        if let Some(memory) = &settings.memory {
            let known = ["mode", "recentTurns", "summarizer"];
            self.unknown_keys(None, "/settings/memory", &memory.extra, &known);
        }
        if !self.is_known {
            return;
        }
        for name in HistoryManagement::INHERITED {
            let key = format!("history_management.{name}");
            if settings.config.contains_key(&key) && !self.inherited_history.contains(name) {
                let reason = "no loop with `conversation: true` takes it from the flow";
                self.warn_at(&format!("/settings/config/{key}"), reason, "");
            }
        }
        if self.uses_memory {
            return;
        }
        let reason = "no node of the flow uses the workflow's memory";
        let remedy = "set `memory.mode` to `read` or `readWrite`";
        if self.memory.recent_turns.is_some() {
            self.warn_at("/settings/memory/recentTurns", reason, remedy);
        }
        if !self.memory.summarizer.is_empty() && !self.summarizes {
            let reason = format!("{reason}, and no loop summarizes its history with it");
            self.warn_at("/settings/memory/summarizer", &reason, remedy);
        }
    }

    fn unknown_keys(
        &mut self,
        node: Option<&NodeId>,
        place: &str,
        extra: &Map<String, Value>,
        known: &[&str],
    ) {
        for key in extra.keys() {
            let reason = "Plait knows no such key here";
            let remedy = similar_name(key, known.iter().copied())
                .map_or_else(String::new, |similar| format!("write `{similar}`"));
            let pointer = format!("{place}/{}", escape(key));
            match node {
                Some(node) => self.warn(node, &pointer, reason, &remedy),
                None => self.warn_at(&pointer, reason, &remedy),
            }
        }
    }

    /// Warns of a setting of a node's config, if the flow sets it.
    fn report(&mut self, id: &NodeId, unused: &Unused) {
        let is_set = self.flow.nodes.get(id).is_some_and(|node| is_set(&node.config, &unused.pointer));
        if is_set {
            self.warn(id, &format!("/config{}", unused.pointer), &unused.reason, &unused.remedy);
        }
    }

    fn warn(&mut self, id: &NodeId, pointer: &str, reason: &str, remedy: &str) {
        let place = format!("/nodes/{}{pointer}", escape(id.as_str()));
        self.diagnostics.push(no_effect(place, &setting_name(pointer), reason, remedy).node(id));
    }

    fn warn_at(&mut self, pointer: &str, reason: &str, remedy: &str) {
        self.diagnostics.push(no_effect(pointer, &setting_name(pointer), reason, remedy));
    }
}

impl Around<'_> {
    /// Whether what a node says is a turn of the user (false) or the assistant (true), if it is one. The driver decides the same.
    fn role(&self, vertex: &Vertex) -> Option<bool> {
        if self.settings.is_user_source(&vertex.id, vertex.node.behavior().pauses) {
            return Some(false);
        }
        self.is_ai_turn(vertex).then_some(true)
    }

    fn is_ai_turn(&self, vertex: &Vertex) -> bool {
        let behavior = vertex.node.behavior();
        let is_named = self.settings.ai_turn_source == AiTurnSource::NamedSteps;
        let last = self.last.contains(&vertex.id).then_some(&vertex.id);
        !self.settings.is_user_source(&vertex.id, behavior.pauses)
            && (is_named || behavior.is_agent)
            && self.settings.is_ai_source(&vertex.id, last)
    }
}

fn has_prompt_only_context(root: &ScopeAnalysis) -> bool {
    let is_one = |vertex: &Vertex| {
        let behavior = vertex.node.behavior();
        behavior.makes_context && behavior.takes_prompt_only == Some(true)
    };
    root.scopes().into_iter().any(|scope| scope.wiring.vertices.iter().any(is_one))
}

/// The last nodes of a body: those that feed `next` or, without any, the last one in plan order.
fn last_nodes(body: &ScopeAnalysis) -> FxHashSet<&NodeId> {
    let (wiring, mut last) = (&body.wiring, FxHashSet::default());
    if let Some(border) = wiring.border {
        let next = wiring.wires.iter().filter(|wire| wire.target == border.end && wire.target_port == 0);
        last.extend(next.map(|wire| &wiring.vertices[wire.source].id));
    }
    if last.is_empty() {
        let inside = body.turns.order.iter().rev().find(|at| !wiring.is_border(**at));
        last.extend(inside.map(|at| &wiring.vertices[*at].id));
    }
    last
}

/// The nodes of a conversation: those of the body, without those of conversations inside.
fn collect_members<'a>(body: &'a Wiring, members: &mut Vec<&'a Vertex>) {
    for (at, vertex) in body.vertices.iter().enumerate().filter(|(at, _)| !body.is_border(*at)) {
        members.push(vertex);
        if let Some(inner) = body.bodies.get(&at)
            && vertex.node.behavior().conversation.is_none()
        {
            collect_members(inner, members);
        }
    }
}

/// Whether a config sets something at a JSON pointer. An empty value and `false` set nothing, except where it is the other way round.
fn is_set(config: &Map<String, Value>, pointer: &str) -> bool {
    let mut parts = pointer.trim_start_matches('/').splitn(2, '/');
    let first = parts.next().unwrap_or_default().replace("~1", "/").replace("~0", "~");
    let Some(value) = config.get(&first) else { return false };
    let value = match parts.next() {
        Some(rest) => value.pointer(&format!("/{rest}")),
        None => Some(value),
    };
    match value {
        None | Some(Value::Null) => false,
        Some(Value::Bool(value)) => *value || TRUE_BY_DEFAULT.iter().any(|name| pointer.ends_with(name)),
        Some(Value::String(text)) => !text.is_empty(),
        Some(Value::Array(items)) => !items.is_empty(),
        Some(Value::Object(fields)) => !fields.is_empty(),
        Some(Value::Number(_)) => true,
    }
}

/// The switches that are on where nothing is set.
const TRUE_BY_DEFAULT: [&str; 2] = ["/use_history", "/from_initial_input"];

/// The name of a setting: the last part of its pointer. An item of a list is named by the list.
fn setting_name(pointer: &str) -> String {
    let mut parts = pointer.rsplit('/');
    let last = parts.next().unwrap_or_default();
    let name = if last.parse::<usize>().is_ok() { parts.next().unwrap_or(last) } else { last };
    name.replace("~1", "/").replace("~0", "~")
}
