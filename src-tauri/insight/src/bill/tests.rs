//! Bills against runs: random flows are edited at random, and no rerun costs more than its bill says.

use std::sync::Arc;

use async_trait::async_trait;
use parking_lot::Mutex;
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::test_runs::{host, info, plan_of, run_to_end};
use plait_core::error::Fault;
use plait_core::flow::Flow;
use plait_core::id::{Epoch, ReplyKey, RunId};
use plait_journal::Entry;
use plait_journal::earlier_run::{EarlierRun, EarlierTree};
use plait_llm::provider::{ChunkSink, ModelReply, ModelRequest, Provider};
use plait_testing::{RunStart, flow_of};

/// Replies as long as they may be, no two of them the same, and counts them.
#[derive(Clone, Default)]
struct Replies(Arc<Mutex<u64>>);

#[async_trait]
impl Provider for Replies {
    async fn call(&self, request: ModelRequest, _: &mut ChunkSink<'_>) -> Result<ModelReply, Fault> {
        let mut count = self.0.lock();
        *count += 1;
        let words = request.max_tokens.unwrap_or(1).saturating_sub(1);
        let text = format!("{count}{}", " a".repeat(words as usize));
        Ok(ModelReply { text, ..ModelReply::default() })
    }

    /// Without the node that asks, as those of HTTP providers are.
    fn whole_hash(&self, request: &ModelRequest) -> Result<ReplyKey, Fault> {
        let activation = Activation { node: "".into(), epoch: Epoch::root() };
        ModelRequest { activation, ..request.clone() }.key()
    }

    async fn models(&self) -> Result<Vec<String>, Fault> {
        Ok(Vec::new())
    }
}

/// The text that each run is started with.
const INPUT: Option<&str> = Some("matches");

/// What a fork of `earlier` takes over; of nothing, without entries.
fn fork_of(flow: &Flow, earlier: &[Entry]) -> (EarlierTree, Option<EarlierRun>) {
    if earlier.is_empty() {
        return (EarlierTree::default(), None);
    }
    let tree = EarlierTree::of([(RunId::from("old"), earlier)], true);
    let view = tree.view(Some(&"old".into()), flow.nodes.keys());
    (tree, view)
}

/// Runs a flow as a fork of `earlier`.
fn run(flow: &Flow, replies: &Replies, earlier: &[Entry]) -> Vec<Entry> {
    let (tree, view) = fork_of(flow, earlier);
    run_to_end(flow, info(INPUT, view), host(Arc::new(replies.clone()), tree))
}

fn bill_of(flow: &Flow, replies: &Replies, earlier: &[Entry]) -> Bill {
    let rehearsal = Rehearsal::default();
    let (tree, view) = fork_of(flow, earlier);
    let standing = standing_host(host(Arc::new(replies.clone()), tree.clone()));
    let (_, setup) = rehearsal.setup(plan_of(flow), info(INPUT, view), standing, None);
    rehearse(setup, RunStart::new("run").into()).unwrap();
    Bill::of(rehearsal, &ModelOverrides::default(), &tree)
}

/// What the model calls of a run cost, and how many were bought and reused.
fn paid(entries: &[Entry]) -> (Spending, usize) {
    let is_reused = |entry: &&Entry| {
        matches!(entry.event, Event::Call(_, CallEvent::ModelReplied { reused: Some(_), .. }))
    };
    (
        entries.iter().filter_map(|entry| Spending::of(&entry.event)).sum(),
        entries.iter().filter(is_reused).count(),
    )
}

/// A flow of chats, each of which may use the reply of an earlier one.
#[derive(Clone, Debug)]
struct Chats(Vec<Chat>);

#[derive(Clone, Debug)]
struct Chat {
    name: u8,
    prompt: u8,
    /// Which of the chats before it it uses.
    uses: Option<usize>,
    max_tokens: u32,
    /// How often it is asked.
    times: Option<u32>,
    /// How often it is tried.
    attempts: u32,
}

impl Chats {
    fn flow(&self) -> Flow {
        let mut nodes = json!({
            "main": { "type": "contextStart", "config": { "provider": "openai", "model": "gpt-4o" } },
        });
        let mut edges: Vec<String> = Vec::new();
        for (at, chat) in self.0.iter().enumerate() {
            let name = format!("chat {at} {}", chat.name);
            let used = chat.uses.filter(|_| at > 0).map(|used| used % at);
            let prompt = match used {
                Some(_) => format!("prompt {} {{{{used}}}}", chat.prompt),
                None => format!("prompt {}", chat.prompt),
            };
            nodes[&name] = json!({
                "type": "chat",
                "retry": { "attempts": chat.attempts },
                "config": { "prompt": prompt, "maxTokens": chat.max_tokens, "skipHistory": true },
            });
            edges.push(format!("main.context -> {name}.context"));
            let name = if let Some(times) = chat.times {
                let around = format!("loop {at}");
                nodes[&around] = json!({ "type": "loop", "config": { "kind": "times", "times": times } });
                nodes[&name]["parent"] = around.as_str().into();
                edges.push(format!("{name}.response -> {around}.next"));
                name
            } else {
                name
            };
            if let Some(used) = used {
                let other = &self.0[used];
                let source = match other.times {
                    Some(_) => format!("loop {used}.results"),
                    None => format!("chat {used} {}.response", other.name),
                };
                edges.push(format!("{source} -> {name}.used"));
            }
        }
        let edges: Vec<&str> = edges.iter().map(String::as_str).collect();
        flow_of(&nodes, &edges, &json!({}))
    }
}

/// One change of a flow.
#[derive(Clone, Debug)]
enum Edit {
    Rename(usize, u8),
    Ask(usize, u8),
    Insert(usize, Chat),
    Remove(usize),
    Repeat(usize, Option<u32>),
    Limit(usize, u32),
}

impl Edit {
    fn apply(&self, Chats(chats): &mut Chats) {
        let at = |at: usize, chats: &[Chat]| at % chats.len();
        match self {
            Self::Rename(which, name) => {
                let which = at(*which, chats);
                chats[which].name = *name;
            }
            Self::Ask(which, prompt) => {
                let which = at(*which, chats);
                chats[which].prompt = *prompt;
            }
            Self::Insert(which, chat) => {
                let which = at(*which, chats);
                chats.insert(which, chat.clone());
            }
            Self::Remove(which) if chats.len() > 1 => {
                let which = at(*which, chats);
                chats.remove(which);
            }
            Self::Remove(_) => {}
            Self::Repeat(which, times) => {
                let which = at(*which, chats);
                chats[which].times = *times;
            }
            Self::Limit(which, max_tokens) => {
                let which = at(*which, chats);
                chats[which].max_tokens = *max_tokens;
            }
        }
    }
}

fn chat() -> impl Strategy<Value = Chat> {
    let times = proptest::option::weighted(0.3, 1_u32..4);
    (any::<u8>(), 0_u8..3, proptest::option::of(0_usize..8), 1_u32..20, times, 1_u32..3).prop_map(
        |(name, prompt, uses, max_tokens, times, attempts)| Chat {
            name,
            prompt,
            uses,
            max_tokens,
            times,
            attempts,
        },
    )
}

fn edit() -> impl Strategy<Value = Edit> {
    prop_oneof![
        (0_usize..8, any::<u8>()).prop_map(|(at, name)| Edit::Rename(at, name)),
        (0_usize..8, 0_u8..3).prop_map(|(at, prompt)| Edit::Ask(at, prompt)),
        (0_usize..8, chat()).prop_map(|(at, chat)| Edit::Insert(at, chat)),
        (0_usize..8).prop_map(Edit::Remove),
        (0_usize..8, proptest::option::of(1_u32..4)).prop_map(|(at, times)| Edit::Repeat(at, times)),
        (0_usize..8, 1_u32..20).prop_map(|(at, most)| Edit::Limit(at, most)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 250, ..ProptestConfig::default() })]

    /// Four edits in each case: a thousand.
    #[test]
    fn bill_is_never_below_what_is_paid(
        chats in proptest::collection::vec(chat(), 1..7),
        edits in proptest::collection::vec(edit(), 4),
    ) {
        let replies = Replies::default();
        let mut chats = Chats(chats);
        let mut earlier = run(&chats.flow(), &replies, &[]);
        for edit in edits {
            edit.apply(&mut chats);
            let flow = chats.flow();
            let bought_before = *replies.0.lock();
            let bill = bill_of(&flow, &replies, &earlier);
            prop_assert_eq!(*replies.0.lock(), bought_before, "a bill buys nothing");
            let rerun = run(&flow, &replies, &earlier);
            let (spent, reused) = paid(&rerun);
            prop_assert_eq!(*replies.0.lock() - bought_before, spent.calls);
            prop_assert_eq!(bill.unknown, 0, "{:?}", bill);
            prop_assert!(bill.at_most_nano_usd >= spent.cost.nano_usd, "{edit:?}: {bill:#?} and {spent:#?}");
            prop_assert!(bill.reused.calls <= reused as u64, "{edit:?}: {bill:#?} and {reused}");
            if bill.behind.is_empty() {
                prop_assert_eq!((bill.reused.calls, bill.bought.len() as u64), (reused as u64, spent.calls));
            }
            earlier = rerun;
        }
    }
}

#[test]
fn equal_flow_buys_nothing() {
    let chat = Chat { name: 0, prompt: 0, uses: Some(0), max_tokens: 5, times: Some(3), attempts: 1 };
    let flow = Chats(vec![chat.clone(), chat]).flow();
    let replies = Replies::default();
    let first = run(&flow, &replies, &[]);
    let bill = bill_of(&flow, &replies, &first);
    assert_eq!(bill.summary, "reuses 6, buys 0");
    assert_eq!(bill.at_most_nano_usd, 0);
    assert_eq!(paid(&run(&flow, &replies, &first)).0.calls, 0);
}

#[test]
fn what_may_follow_is_on_the_way_that_the_input_of_the_run_takes() {
    let flow = |prompt: &str| {
        let limited = |prompt: &str| json!({ "type": "chat", "config": { "prompt": prompt, "maxTokens": 5, "skipHistory": true } });
        let nodes = json!({
            "main": { "type": "contextStart", "config": { "provider": "openai", "model": "gpt-4o" } },
            "input": { "type": "manualInput" },
            "way": { "type": "switch", "config": { "cases": [{ "name": "right", "equals": "matches" }] } },
            "first": limited(prompt),
            "after": limited("{{first}} and {{way}}"),
        });
        let edges = [
            "main.context -> first.context",
            "main.context -> after.context",
            "input.value -> way.value",
            "way.right -> after.way",
            "first.response -> after.first",
        ];
        flow_of(&nodes, &edges, &json!({}))
    };
    let replies = Replies::default();
    let earlier = run(&flow("one"), &replies, &[]);
    assert_eq!(paid(&earlier).0.calls, 2);
    let bill = bill_of(&flow("other"), &replies, &earlier);
    let behind: Vec<&str> = bill.behind.iter().map(|node| node.node.as_str()).collect();
    assert_eq!((bill.bought.len(), behind), (1, vec!["after"]), "{bill:#?}");
    let spent = paid(&run(&flow("other"), &replies, &earlier)).0;
    assert!(bill.at_most_nano_usd >= spent.cost.nano_usd, "{bill:#?} and {spent:#?}");
}

#[test]
fn what_a_cycle_may_buy_again_is_behind() {
    let flow = |judge: &str| {
        let limited = |prompt: &str| json!({ "prompt": prompt, "maxTokens": 5, "skipHistory": true });
        let nodes = json!({
            "main": { "type": "contextStart", "config": { "provider": "openai", "model": "gpt-4o" } },
            "topic": { "type": "value", "config": { "value": "tea" } },
            "write": {
                "type": "chat",
                "limits": { "maxEpochs": 2 },
                "config": limited("write {{topic}} {{#if remark}}{{remark}}{{/if}}"),
            },
            "judge": { "type": "chat", "config": limited(judge) },
            "remark": { "type": "text", "config": { "template": "remark: {{said}}" } },
        });
        let edges = [
            "main.context -> write.context",
            "main.context -> judge.context",
            "topic.value -> write.topic",
            "write.response -> judge.text",
            "judge.response -> remark.said",
            "remark.text -> write.remark",
        ];
        flow_of(&nodes, &edges, &json!({}))
    };
    let replies = Replies::default();
    let earlier = run(&flow("judge {{text}}"), &replies, &[]);
    assert_eq!(paid(&earlier).0.calls, 4);
    let bill = bill_of(&flow("assess {{text}}"), &replies, &earlier);
    // The remark, which stands between, has not run in the rehearsal; both chats have.
    let behind: BTreeSet<&str> = bill.behind.iter().map(|node| node.node.as_str()).collect();
    assert_eq!((bill.bought.len(), behind), (1, BTreeSet::from(["judge", "write"])), "{bill:#?}");
    let spent = paid(&run(&flow("assess {{text}}"), &replies, &earlier)).0;
    assert_eq!(spent.calls, 3);
    assert!(bill.at_most_nano_usd >= spent.cost.nano_usd, "{bill:#?} and {spent:#?}");
}

#[test]
fn items_of_a_list_that_are_done_are_not_behind() {
    let flow = |judge: &str| {
        let limited = |prompt: &str| json!({ "prompt": prompt, "maxTokens": 5, "skipHistory": true });
        let nodes = json!({
            "main": { "type": "contextStart", "config": { "provider": "openai", "model": "gpt-4o" } },
            "list": { "type": "value", "config": { "value": ["a", "b"] } },
            "each": { "type": "loop", "config": { "kind": "forEach", "concurrency": 2 } },
            "write": { "type": "chat", "parent": "each", "config": limited("write {{item}}") },
            "judge": { "type": "chat", "parent": "each", "config": limited(judge) },
        });
        let edges = [
            "main.context -> write.context",
            "main.context -> judge.context",
            "list.value -> each.items",
            "each.item -> write.item",
            "write.response -> judge.text",
            "judge.response -> each.next",
        ];
        flow_of(&nodes, &edges, &json!({}))
    };
    let replies = Replies::default();
    let earlier = run(&flow("judge {{text}}"), &replies, &[]);
    let bill = bill_of(&flow("assess {{text}}"), &replies, &earlier);
    assert_eq!((bill.bought.len(), bill.reused.calls, bill.behind.len()), (2, 2, 0), "{bill:#?}");
    let spent = paid(&run(&flow("assess {{text}}"), &replies, &earlier)).0;
    assert_eq!(spent.calls, 2);
}
