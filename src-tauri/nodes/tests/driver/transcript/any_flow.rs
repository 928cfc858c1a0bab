//! Random flows with sub-flows, loops, workflow memory, people and several agents, against a naive account of what was said.
//!
//! Every text in a run is said once, so a text is the identity of a message. [`reference`] says what the contexts, the memory and each
//! request must hold.

mod reference;

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::Stage;
use crate::conversations::script;
use plait_testing::FakeSubflows;
use reference::{Line, Reference};

/// How often the loop of a flow is repeated.
const ITERATIONS: usize = 2;
/// The nodes that make the contexts.
const CONTEXTS: [&str; 3] = ["c", "d", "e"];

/// What a step does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A model replies. With `own_words`, to a prompt that contains the message.
    Chat {
        own_words: bool,
        skips_history: bool,
    },
    /// A model call fails, and a node gets the error.
    Failing,
    /// A classification, or an extraction.
    SideQuery {
        adds: bool,
        extracts: bool,
    },
    Child,
    /// Messages are added, the last by the user or by the assistant.
    Inject {
        ends_with_user: bool,
        count: usize,
    },
    Person {
        adds: bool,
    },
}

/// Where a step is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Before,
    Inside,
    After,
}

/// Where a step has its message from.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Source {
    /// The last output on the context edge.
    Edge,
    /// What was asked first; inside of a loop, the result of the iteration before.
    Start,
    /// The output of an earlier step of the same place.
    Step(usize),
}

#[derive(Clone, Debug)]
struct Step {
    name: String,
    kind: Kind,
    place: Place,
    context: usize,
    source: Source,
    uses_memory: bool,
}

/// A random step, with references to be taken modulo what there is.
#[derive(Clone, Copy, Debug)]
struct Gene {
    kind: u8,
    flags: (bool, bool),
    context: u8,
    source: u8,
    forgets: bool,
}

#[derive(Clone, Debug)]
struct AnyFlow {
    steps: Vec<Step>,
    has_memory: bool,
    /// Whether the loop has a conversation.
    is_conversation: bool,
}

fn genes(most: usize) -> impl Strategy<Value = Vec<Gene>> {
    let gene = (0..12_u8, any::<(bool, bool)>(), 0..6_u8, any::<u8>(), prop::bool::weighted(0.2));
    let gene = gene.prop_map(|(kind, flags, context, source, forgets)| Gene {
        kind,
        flags,
        context,
        source,
        forgets,
    });
    prop::collection::vec(gene, 0..=most)
}

fn any_flow() -> impl Strategy<Value = AnyFlow> {
    (genes(4), genes(4), genes(3), any::<bool>(), any::<bool>()).prop_map(
        |(before, inside, after, has_memory, is_conversation)| {
            let mut flow = AnyFlow { steps: Vec::new(), has_memory, is_conversation };
            flow.grow(&before, Place::Before);
            flow.grow(&inside, Place::Inside);
            if flow.has_loop() {
                flow.grow(&after, Place::After);
            }
            flow
        },
    )
}

impl AnyFlow {
    fn grow(&mut self, genes: &[Gene], place: Place) {
        // The steps with outputs, and what waits on each context edge: nothing, or something that a history has or has not.
        let mut outputs: Vec<usize> = Vec::new();
        let mut waiting: [Option<bool>; 3] = [None; 3];
        let mut used = [place == Place::Before; 3];
        for gene in genes {
            let at = self.steps.len();
            // Most steps are in the same context.
            let context = usize::from(gene.context / 2) * usize::from(gene.context % 2 == 1);
            let in_conversation = place == Place::Inside && self.is_conversation;
            let kind = match gene.kind {
                0..=4 => Kind::Chat {
                    own_words: gene.flags.0 && gene.kind == 0 && self.has_memory && !gene.forgets,
                    skips_history: gene.flags.1 && gene.kind == 1,
                },
                5 => Kind::Failing,
                6 if !in_conversation => Kind::SideQuery { adds: gene.flags.0, extracts: gene.flags.1 },
                6..=8 => Kind::Child,
                9 | 10 => Kind::Inject { ends_with_user: gene.flags.0, count: 1 + usize::from(gene.flags.1) },
                // What waits unanswered is replaced by what the person says then.
                _ if waiting[context] == Some(false) => Kind::Child,
                _ => Kind::Person { adds: gene.flags.0 },
            };
            // A value from the steps before is what puts a step after them. In a conversation, a step knows the turns of those alone.
            let follows = outputs.last().is_some_and(|last| self.steps[*last].context == context);
            let kind = match kind {
                Kind::Inject { .. } if used[context] => kind,
                Kind::Person { .. } if used[context] && (follows || !in_conversation) => kind,
                Kind::Inject { .. } | Kind::Person { .. } => {
                    Kind::Chat { own_words: false, skips_history: false }
                }
                kind => kind,
            };
            used[context] |= kind != Kind::Failing;
            let source = match gene.source {
                0..100 if waiting[context].is_some() && (follows || !in_conversation) => Source::Edge,
                value if value % 2 == 0 && !outputs.is_empty() && !in_conversation => {
                    Source::Step(outputs[usize::from(value) / 2 % outputs.len()])
                }
                _ => outputs.last().map_or(Source::Start, |last| Source::Step(*last)),
            };
            match kind {
                Kind::Chat { .. } | Kind::Child | Kind::Inject { ends_with_user: true, .. } => {
                    waiting[context] = Some(true);
                }
                Kind::Person { adds } => waiting[context] = Some(adds),
                Kind::Inject { .. } | Kind::Failing | Kind::SideQuery { .. } => {}
            }
            if matches!(kind, Kind::Chat { .. } | Kind::Child | Kind::Person { .. }) {
                outputs.push(at);
            }
            // Without edges between them, nodes have their turns in the order of their names. The loop is `t`.
            let name = format!("{}{at:02}", if place == Place::After { "u" } else { "s" });
            self.steps.push(Step {
                name,
                kind,
                place,
                context,
                source,
                uses_memory: self.has_memory && !gene.forgets,
            });
        }
        if place == Place::Inside && outputs.is_empty() {
            self.steps.retain(|step| step.place != Place::Inside);
        }
    }

    fn has_loop(&self) -> bool {
        self.steps.iter().any(|step| step.place == Place::Inside)
    }

    /// The last step with an output before the loop, or in it.
    fn last_output(&self, place: Place) -> Option<&Step> {
        self.steps.iter().rev().find(|step| step.place == place && step.output().is_some())
    }

    fn nodes_and_edges(&self) -> (Value, Vec<String>) {
        let mut nodes = json!({
            "c": { "type": "contextStart" },
            "d": { "type": "newContext" },
            "e": { "type": "newContext" },
            "in": { "type": "manualInput", "config": { "text": "Asked0" } },
        });
        let mut edges = Vec::new();
        if self.has_loop() {
            nodes["t"] = json!({ "type": "loop", "config": {
                "kind": "times", "times": ITERATIONS, "conversation": self.is_conversation, "ai_turn_source": "all_agents",
                "history_management": { "max_tokens": 100_000, "max_turns": 100 },
            } });
            let before = self.last_output(Place::Before).and_then(Step::output);
            edges.push(format!("{} -> t.input", before.unwrap_or_else(|| "in.value".to_owned())));
            if let Some(last) = self.last_output(Place::Inside).and_then(Step::output) {
                edges.push(format!("{last} -> t.next"));
            }
        }
        let mut place = Place::Before;
        let mut contexts = CONTEXTS.map(|node| format!("{node}.context"));
        let mut before = contexts.clone();
        for step in &self.steps {
            if step.place != place {
                if place == Place::Before {
                    before.clone_from(&contexts);
                }
                place = step.place;
                contexts.clone_from(&before);
            }
            let mut node = step.node();
            if step.place == Place::Inside {
                node["parent"] = json!("t");
            }
            let name = &step.name;
            nodes[name] = node;
            edges.push(format!("{} -> {name}.context", contexts[step.context]));
            let value = match &step.source {
                Source::Edge => None,
                Source::Start => Some(match place {
                    Place::Before => "in.value".to_owned(),
                    Place::Inside => "t.previous".to_owned(),
                    Place::After => "t.result".to_owned(),
                }),
                Source::Step(at) => self.steps[*at].output(),
            };
            if let Some((value, input)) = value.zip(step.input()) {
                edges.push(format!("{value} -> {name}.{input}"));
            }
            match step.kind {
                Kind::Failing => {
                    let caught = format!("{name}error");
                    edges.push(format!("{name}.error -> {caught}.error"));
                    nodes[&caught] = json!({ "type": "text", "config": { "template": "{{error.code}}" } });
                    if step.place == Place::Inside {
                        nodes[&caught]["parent"] = json!("t");
                    }
                }
                Kind::Inject { .. } if step.place == Place::Inside => {
                    edges.push(format!("t.index -> {name}.n"));
                }
                _ => {}
            }
            if step.kind != Kind::Failing {
                contexts[step.context] = format!("{name}.context");
            }
        }
        (nodes, edges)
    }
}

impl Step {
    fn node(&self) -> Value {
        match self.kind {
            Kind::Chat { own_words, skips_history } => {
                let mut config = json!({ "skipHistory": skips_history });
                if own_words {
                    config["prompt"] = json!(self.own_prompt("{{message}}"));
                }
                if !self.uses_memory {
                    config["memory"] = json!({ "mode": "off" });
                }
                json!({ "type": "chat", "config": config })
            }
            Kind::Failing => {
                json!({ "type": "chat", "config": { "contextWindow": 1, "memory": { "mode": "off" } } })
            }
            Kind::SideQuery { adds, extracts: false } => json!({ "type": "classify", "config": {
                "addToHistory": adds, "classes": [{ "name": "refund", "description": "" }],
            } }),
            Kind::SideQuery { adds, extracts: true } => json!({ "type": "extract", "config": {
                "addToHistory": adds, "schema": { "type": "object" },
            } }),
            Kind::Child => {
                let source = if self.source == Source::Edge { "lastMessage" } else { "nodeOutput" };
                json!({ "type": "subflow", "config": { "file": "child.flow.json", "inputSource": source } })
            }
            Kind::Inject { count, .. } => {
                let number = if self.place == Place::Inside { "{{n}}" } else { "" };
                let messages: Vec<Value> = (0..count)
                    .map(|at| json!({ "role": self.role_of_injected(at), "content": self.injected(at, number) }))
                    .collect();
                json!({ "type": "injectMessages", "config": { "messages": messages } })
            }
            Kind::Person { adds } => json!({ "type": "userInput", "config": { "addToHistory": adds } }),
        }
    }

    fn own_prompt(&self, message: &str) -> String {
        format!("{message} Own{}", &self.name[1..])
    }

    fn role_of_injected(&self, at: usize) -> &'static str {
        match self.kind {
            Kind::Inject { ends_with_user, count } if ends_with_user == (at + 1 == count) => "user",
            _ => "assistant",
        }
    }

    fn injected(&self, at: usize, iteration: &str) -> String {
        format!("Note{}x{at}x{iteration}", &self.name[1..])
    }

    fn input(&self) -> Option<&'static str> {
        match self.kind {
            Kind::SideQuery { extracts: true, .. } => Some("text"),
            Kind::Chat { .. } | Kind::Failing | Kind::SideQuery { .. } => Some("message"),
            Kind::Child => Some("value"),
            Kind::Inject { .. } | Kind::Person { .. } => None,
        }
    }

    fn output(&self) -> Option<String> {
        let port = match self.kind {
            Kind::Chat { .. } => "response",
            Kind::Child => "text",
            Kind::Person { .. } => "message",
            Kind::Failing | Kind::SideQuery { .. } | Kind::Inject { .. } => return None,
        };
        Some(format!("{}.{port}", self.name))
    }
}

/// What the world said in a run, by activation, and what Plait made of it.
struct Played {
    events: Vec<Value>,
    /// The last request of each activation.
    requests: BTreeMap<String, Vec<Line>>,
    nodes: Value,
}

impl Played {
    fn of(flow: &AnyFlow) -> Result<Self, TestCaseError> {
        let stage = Stage::new();
        let replies: Vec<String> = (0..80)
            .map(|at| json!({ "class": "refund", "reason": format!("Reply{at}") }).to_string())
            .collect();
        script(&stage, &replies.iter().map(String::as_str).collect::<Vec<_>>());
        for at in (0..40).rev() {
            let end = FakeSubflows::finished_end(&json!({ "said": { "value": format!("Result{at}") } }));
            stage.subflows.push_end(end);
        }
        let (nodes, edges) = flow.nodes_and_edges();
        let settings = if flow.has_memory {
            json!({ "memory": { "mode": "readWrite", "recentTurns": 100 } })
        } else {
            json!({})
        };
        let mut answers = 0;
        let events = stage.play_answering(&nodes, &json!(edges), &settings, |open| {
            answers += 1;
            Some((open[0].clone(), Some(json!(format!("Answer{answers}")))))
        });
        let end = events.last().unwrap();
        prop_assert_eq!(&end["type"], "run.finished", "{}\n{}\n{}", end, nodes, json!(edges));
        let mut requests = BTreeMap::new();
        let rendered: Vec<&Value> =
            events.iter().filter(|event| event["type"] == "prompt.rendered").collect();
        let sent = stage.provider.requests();
        prop_assert_eq!(rendered.len(), sent.len());
        for (rendered, sent) in rendered.into_iter().zip(&sent) {
            let mut ids: Vec<&str> = sent.messages.iter().map(|message| message.id.as_str()).collect();
            ids.sort_unstable();
            prop_assert!(ids.windows(2).all(|pair| pair[0] != pair[1]), "{ids:?} in {rendered} of {nodes}");
            let lines = sent
                .messages
                .iter()
                .map(|message| (format!("{:?}", message.role).to_lowercase(), message.content.text()));
            requests.insert(activation(rendered), lines.collect());
        }
        Ok(Self { events, requests, nodes })
    }

    /// The outputs of an activation.
    fn output(&self, step: &Step, epoch: &str) -> Option<String> {
        let port = step.output()?.split_once('.')?.1.to_owned();
        let at = format!("{}{epoch}", step.name);
        let mut finished = self.events.iter().filter(|event| event["type"] == "node.finished");
        let event = finished.find(|event| activation(event) == at)?;
        Some(event["outputs"][port].as_str()?.to_owned())
    }

    /// The reply of the model in an activation.
    fn reply(&self, step: &Step, epoch: &str) -> Option<String> {
        let at = format!("{}{epoch}", step.name);
        let mut replied = self.events.iter().filter(|event| event["type"] == "model.replied");
        let event = replied.find(|event| activation(event) == at)?;
        Some(event["reply"]["text"].as_str()?.to_owned())
    }

    /// The messages that each context has in the end, by the node that made it, with the nodes that wrote them.
    fn histories(&self) -> [Vec<(Line, String)>; 3] {
        CONTEXTS.map(|node| {
            let mut created = self.events.iter().filter(|event| event["type"] == "context.created");
            let id = created
                .find(|event| event["node"] == node)
                .map(|event| event["context"]["contextId"].clone());
            let mut history = Vec::new();
            for event in self.events.iter().filter(|event| Some(&event["contextId"]) == id.as_ref()) {
                let messages = match event["type"].as_str() {
                    Some("turn.committed") => &event["messages"],
                    Some("context.changed") => &event["change"]["messages"],
                    _ => continue,
                };
                for message in messages.as_array().unwrap() {
                    let text = |key: &str| message[key].as_str().unwrap().to_owned();
                    history
                        .push(((text("role"), text("content")), event["node"].as_str().unwrap().to_owned()));
                }
            }
            history
        })
    }

    /// The texts of the workflow's memory.
    fn memory(&self) -> Vec<String> {
        let appended = self.events.iter().filter(|event| event["type"] == "memory.appended");
        let turns = appended.flat_map(|event| event["change"]["turns"].as_array().unwrap());
        turns.map(|turn| turn["text"].as_str().unwrap().to_owned()).collect()
    }
}

/// The activation of an event, as text: `node` or `node#1`.
fn activation(event: &Value) -> String {
    let epoch = event["epoch"].as_array().into_iter().flatten().map(|counter| format!("#{counter}"));
    format!("{}{}", event["node"].as_str().unwrap(), epoch.collect::<String>())
}

fn check(flow: &AnyFlow) -> Result<(), TestCaseError> {
    let played = Played::of(flow)?;
    let mut reference = Reference::new(flow);
    reference.play(&played)?;
    let what = || format!("{:#?}\n{}", flow.steps, played.nodes);
    prop_assert_eq!(played.memory(), reference.memory.clone(), "{}", what());
    for (at, history) in played.histories().iter().enumerate() {
        let lines: Vec<Line> = history.iter().map(|(line, _)| line.clone()).collect();
        prop_assert_eq!(&lines, &reference.history(at), "context {} of {}", CONTEXTS[at], what());
        let mut texts: Vec<&str> = lines.iter().map(|(_, text)| text.as_str()).collect();
        texts.sort_unstable();
        prop_assert!(texts.windows(2).all(|pair| pair[0] != pair[1]), "{:?} of {}", texts, what());
        // Only nodes that add what was said without an answer leave a message of the user before another one.
        for pair in history.windows(2).filter(|pair| pair.iter().all(|((role, _), _)| role == "user")) {
            let by = &played.nodes[&pair[0].1]["type"];
            prop_assert!(by == "injectMessages" || by == "userInput", "{:?} of {}", pair, what());
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_was_said_reaches_each_model_once_and_in_order(flow in any_flow()) {
        check(&flow)?;
    }
}

/// A new node type that takes what waits in a context has to be played here, or to say why not.
#[test]
fn each_node_type_that_takes_from_a_context_is_played() {
    let played = ["chat", "classify", "extract", "subflow", "injectMessages", "userInput"];
    let others = [
        // Ask a person about a value; what waits stays.
        "approval",
        // Make contexts, or change their settings.
        "newContext",
        "setContext",
        // Search with what waits or store a memory, and leave it there.
        "retrieve",
        "recall",
        "remember",
        // Says its text as a person does.
        "manualInput",
        // The nodes inside take it.
        "loop",
    ];
    let registry = plait_nodes::registry();
    let takes = |ports: &plait_core::port::Ports| {
        ports.inputs.iter().any(|port| port.kind == plait_core::port::PortKind::Context)
    };
    let found: Vec<&str> = registry
        .descriptors()
        .into_iter()
        .filter(|descriptor| takes(&descriptor.ports))
        .map(|descriptor| descriptor.node_type.as_str())
        .filter(|node_type| !played.contains(node_type) && !others.contains(node_type))
        .collect();
    assert_eq!(found, Vec::<&str>::new());
}
