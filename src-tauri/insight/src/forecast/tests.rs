//! Forecasts against runs: what a dry run says of each prompt is what a run with replies of that size sends.

use std::sync::Arc;

use async_trait::async_trait;
use parking_lot::Mutex;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::test_runs::{host, info, plan_of, run_to_end};
use plait_core::flow;
use plait_journal::earlier_run::EarlierTree;
use plait_journal::{CallEvent, Entry, Event, RunEvent};
use plait_llm::prompt_record::{OmissionReason, PromptRecord};
use plait_llm::provider::{ChunkSink, ModelReply, ModelRequest, Provider};
use plait_run::codes;
use plait_testing::flow_of;

mod costs;
mod outlooks;

fn forecast_with(flow: &flow::Flow, models: ModelOverrides) -> FlowForecast {
    let request = ForecastRequest {
        flow_name: "flow",
        input: None,
        models: Arc::new(models),
        tools: Arc::default(),
        earlier: Arc::default(),
        live: Arc::default(),
        so_far: None,
    };
    forecast(plan_of(flow), &request).unwrap()
}

fn forecast_of(flow: &flow::Flow) -> FlowForecast {
    forecast_with(flow, ModelOverrides::default())
}

fn node<'f>(forecast: &'f FlowForecast, id: &str) -> &'f NodeForecast {
    forecast
        .nodes
        .iter()
        .find(|node| node.node.as_str() == id)
        .unwrap_or_else(|| panic!("no {id}: {forecast:?}"))
}

/// Replies with as many tokens as the request allows, in other words than a forecast; without a limit, with so many.
struct Replies {
    count: Mutex<u64>,
    unlimited: u64,
}

#[async_trait]
impl Provider for Replies {
    async fn call(&self, request: ModelRequest, _: &mut ChunkSink<'_>) -> Result<ModelReply, Fault> {
        let mut count = self.count.lock();
        *count += 1;
        let tokens = request.max_tokens.map_or(self.unlimited, u64::from);
        Ok(ModelReply { text: filler::text(tokens, 10_000 + *count), ..ModelReply::default() })
    }

    async fn models(&self) -> Result<Vec<String>, Fault> {
        Ok(Vec::new())
    }
}

/// Runs a flow, and gives its journal. Replies have their `maxTokens`, or as many tokens as a forecast assumes.
fn run(flow: &flow::Flow) -> Vec<Entry> {
    let replies = Arc::new(Replies { count: Mutex::new(0), unlimited: 300 });
    run_to_end(flow, info(None, None), host(replies, EarlierTree::default()))
}

/// The prompts of one node for its replies, with their epochs, as a run recorded them.
fn prompts<'e>(entries: &'e [Entry], id: &'e str) -> impl Iterator<Item = (&'e Epoch, &'e PromptRecord)> {
    entries.iter().filter_map(move |entry| match &entry.event {
        Event::Call(at, CallEvent::PromptRendered { step: 0, prompt, .. })
            if at.node.as_str() == id && prompt.purpose.is_none() =>
        {
            Some((&at.epoch, &**prompt))
        }
        _ => None,
    })
}

/// The first iteration in which a run leaves messages out because of the window, or fails for that.
fn first_overflow(entries: &[Entry], id: &str) -> Option<(Option<String>, bool)> {
    let is_trimmed = |prompt: &PromptRecord| {
        let turns = prompt.conversation.iter().flat_map(|conversation| &conversation.left_out);
        prompt.omitted.is_some() || turns.into_iter().any(|turns| turns.reason == OmissionReason::Window)
    };
    let trimmed =
        prompts(entries, id).find(|(_, prompt)| is_trimmed(prompt)).map(|(epoch, _)| (epoch.label(), false));
    let failed = entries.iter().find_map(|entry| match &entry.event {
        Event::Node(at, plait_journal::NodeEvent::Failed { error, .. })
            if at.node.as_str() == id && error.code == codes::CONTEXT_TOO_LARGE =>
        {
            Some((at.epoch.label(), true))
        }
        _ => None,
    });
    trimmed.or(failed)
}

/// The failed node that ended a run.
fn failed_node(entries: &[Entry]) -> Option<String> {
    entries.iter().find_map(|entry| match &entry.event {
        Event::Run(RunEvent::Failed { node, .. }) => Some(node.to_string()),
        _ => None,
    })
}

/// Asserts that the forecast of each model node is what its run sends.
fn assert_as_run(flow: &flow::Flow, ids: &[&str]) {
    let (forecast, entries) = (forecast_of(flow), run(flow));
    for id in ids {
        let of_node = node(&forecast, id);
        let sent: Vec<_> =
            prompts(&entries, id).map(|(epoch, prompt)| (epoch.label(), prompt.tokens)).collect();
        let said: Vec<_> = of_node
            .points
            .iter()
            .filter(|point| point.tokens <= of_node.window - of_node.reserve)
            .map(|point| (point.epoch.label(), point.tokens))
            .collect();
        let common = sent.len().min(said.len());
        let failed = failed_node(&entries);
        // A run that failed before it came to this node shows none of its prompts.
        assert!(common > 0 || (sent.is_empty() && failed.is_some()), "{id}: {entries:?}");
        assert_eq!(said[..common], sent[..common], "{id}");
        let overflow = match &of_node.outlook {
            Outlook::Overflows { iteration, fails, .. } => Some((iteration.clone(), *fails)),
            _ => None,
        };
        // A run that failed at another node shows no more of this one; the forecast goes on.
        if failed.as_deref().is_none_or(|failed| failed == *id) || first_overflow(&entries, id).is_some() {
            assert_eq!(overflow, first_overflow(&entries, id), "{id}: {:?}", of_node.outlook);
        }
        if failed.is_none() {
            let executions = of_node.executions;
            assert!(executions.at_most.is_some_and(|most| sent.len() as u64 <= most), "{id}: {executions:?}");
            if executions.is_exact {
                assert_eq!(executions.at_most, Some(sent.len() as u64), "{id}");
            }
        }
    }
}

/// A loop of two agents in one context.
#[derive(Clone, Debug)]
struct LoopCase {
    times: u32,
    kind: &'static str,
    window: u32,
    instructions: u64,
    question: u64,
    max_tokens: [Option<u32>; 2],
    conversation: Option<Value>,
    /// Whether the loop is in another one, and how often that repeats it.
    outer: Option<u32>,
    memory: bool,
}

impl LoopCase {
    fn flow(&self) -> flow::Flow {
        let chat = |parent: &str, question: &str, max_tokens: Option<u32>| {
            let mut config = json!({ "prompt": question });
            if let Some(max_tokens) = max_tokens {
                config["maxTokens"] = max_tokens.into();
            }
            if self.memory {
                config["memory"] = json!({ "mode": "readWrite" });
            }
            json!({ "type": "chat", "parent": parent, "config": config })
        };
        let mut config = match self.kind {
            "times" => json!({ "kind": "times", "times": self.times }),
            _ => json!({ "kind": "while", "condition": format!("index < {}", self.times) }),
        };
        if let Some(management) = &self.conversation {
            config["conversation"] = true.into();
            config["history_management"] = management.clone();
        }
        let mut inner = json!({ "type": "loop", "config": config });
        if self.outer.is_some() {
            inner["parent"] = "outer".into();
        }
        let question = filler::text(self.question, 77);
        let mut nodes = json!({
            "start": { "type": "contextStart", "config": {
                "systemInstructions": filler::text(self.instructions, 5),
            } },
            "inner": inner,
            "first": chat("inner", &question, self.max_tokens[0]),
            "second": chat("inner", &format!("{question} {{{{said}}}}"), self.max_tokens[1]),
        });
        let mut edges = vec![
            "inner.context -> first.context",
            "first.context -> second.context",
            "first.response -> second.said",
            "second.response -> inner.next",
        ];
        if let Some(times) = self.outer {
            nodes["outer"] = json!({ "type": "loop", "config": { "kind": "times", "times": times } });
            edges.extend([
                "start.context -> outer.context",
                "outer.context -> inner.context",
                "inner.result -> outer.next",
            ]);
        } else {
            edges.push("start.context -> inner.context");
        }
        flow_of(&nodes, &edges, &json!({ "contextWindow": self.window }))
    }
}

fn cases() -> impl Strategy<Value = LoopCase> {
    let conversation = prop_oneof![
        Just(None),
        (20_u32..2_000).prop_map(|most| Some(json!({ "strategy": "truncate_tokens", "max_tokens": most }))),
        (1_u32..8).prop_map(|most| Some(json!({ "strategy": "truncate_turns", "max_turns": most }))),
    ];
    let most = || prop_oneof![Just(None), (1_u32..400).prop_map(Some)];
    (
        (1_u32..12, prop_oneof![Just("times"), Just("while")], 600_u32..9_000),
        (1_u64..300, 1_u64..200),
        [most(), most()],
        (conversation, proptest::option::of(1_u32..4), any::<bool>()),
    )
        .prop_map(
            |((times, kind, window), (instructions, question), max_tokens, (conversation, outer, memory))| {
                LoopCase {
                    times,
                    kind,
                    window,
                    instructions,
                    question,
                    max_tokens,
                    conversation,
                    outer,
                    memory,
                }
            },
        )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn forecast_of_a_loop_is_what_its_run_sends(case in cases()) {
        assert_as_run(&case.flow(), &["first", "second"]);
    }
}
