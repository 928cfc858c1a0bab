//! Random flows: up to four steps before a loop, in it and after it, with contexts, memory and people; or no loop, or one in another.

use proptest::prelude::*;
use serde_json::{Value, json};

/// How often each loop of a flow is repeated.
pub(super) const ITERATIONS: usize = 2;
/// The nodes that make the contexts.
pub(super) const CONTEXTS: [&str; 3] = ["c", "d", "e"];

/// What a step does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
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
pub(super) enum Place {
    Before,
    Inside,
    After,
}

/// Where a step has its message from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// The last output on the context edge.
    Edge,
    /// What was asked first; inside of a loop, the result of the iteration before.
    Start,
    /// The output of an earlier step of the same place.
    Step(usize),
}

#[derive(Clone, Debug)]
pub(super) struct Step {
    pub(super) name: String,
    pub(super) kind: Kind,
    pub(super) place: Place,
    pub(super) context: usize,
    pub(super) source: Source,
    pub(super) uses_memory: bool,
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
pub(super) struct AnyFlow {
    pub(super) steps: Vec<Step>,
    pub(super) has_memory: bool,
    /// Whether the loop has a conversation.
    pub(super) is_conversation: bool,
    /// Whether the loop is the body of another one.
    pub(super) is_nested: bool,
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

pub(super) fn any_flow() -> impl Strategy<Value = AnyFlow> {
    (genes(4), genes(4), genes(3), any::<(bool, bool, bool)>()).prop_map(
        |(before, inside, after, (has_memory, is_conversation, is_nested))| {
            let mut flow = AnyFlow { steps: Vec::new(), has_memory, is_conversation, is_nested };
            let unsaid = flow.grow(&before, Place::Before, [false; 3]);
            flow.grow(&inside, Place::Inside, unsaid);
            if flow.has_loop() {
                flow.grow(&after, Place::After, unsaid);
            }
            flow
        },
    )
}

impl AnyFlow {
    /// Adds the steps of a place. Whether what waits on each context edge is in no history: given for the edges that lead there, and
    /// returned for those that lead on.
    fn grow(&mut self, genes: &[Gene], place: Place, mut unsaid: [bool; 3]) -> [bool; 3] {
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
                // What is held for a loop is said in each iteration, and here every text is said once.
                Kind::Inject { ends_with_user: true, count }
                    if used[context]
                        && place == Place::Inside
                        && waiting[context].is_none()
                        && unsaid[context] =>
                {
                    Kind::Inject { ends_with_user: false, count }
                }
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
            match kind {
                Kind::Chat { skips_history, .. } => unsaid[context] = skips_history,
                Kind::Person { adds } => unsaid[context] = !adds,
                Kind::Child | Kind::Inject { ends_with_user: true, .. } => unsaid[context] = false,
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
        unsaid
    }

    pub(super) fn has_loop(&self) -> bool {
        self.steps.iter().any(|step| step.place == Place::Inside)
    }

    /// The last step with an output before the loop, or in it.
    fn last_output(&self, place: Place) -> Option<&Step> {
        self.steps.iter().rev().find(|step| step.place == place && step.output().is_some())
    }

    pub(super) fn nodes_and_edges(&self) -> (Value, Vec<String>) {
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
            let before = before.unwrap_or_else(|| "in.value".to_owned());
            if self.is_nested {
                nodes["o"] = json!({ "type": "loop", "config": { "kind": "times", "times": ITERATIONS } });
                nodes["t"]["parent"] = json!("o");
                edges.extend([format!("{before} -> o.input"), "o.previous -> t.input".to_owned()]);
                edges.push("t.result -> o.next".to_owned());
            } else {
                edges.push(format!("{before} -> t.input"));
            }
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
            let mut node = step.node(self.is_nested);
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
                    Place::After if self.is_nested => "o.result".to_owned(),
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
                    if self.is_nested {
                        edges.push(format!("o.index -> {name}.m"));
                    }
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
    fn node(&self, is_nested: bool) -> Value {
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
                let number = match self.place {
                    Place::Inside if is_nested => "{{m}}x{{n}}",
                    Place::Inside => "{{n}}",
                    Place::Before | Place::After => "",
                };
                let messages: Vec<Value> = (0..count)
                    .map(|at| json!({ "role": self.role_of_injected(at), "content": self.injected(at, number) }))
                    .collect();
                json!({ "type": "injectMessages", "config": { "messages": messages } })
            }
            Kind::Person { adds } => json!({ "type": "userInput", "config": { "addToHistory": adds } }),
        }
    }

    pub(super) fn own_prompt(&self, message: &str) -> String {
        format!("{message} Own{}", &self.name[1..])
    }

    pub(super) fn role_of_injected(&self, at: usize) -> &'static str {
        match self.kind {
            Kind::Inject { ends_with_user, count } if ends_with_user == (at + 1 == count) => "user",
            _ => "assistant",
        }
    }

    pub(super) fn injected(&self, at: usize, iteration: &str) -> String {
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

    pub(super) fn output(&self) -> Option<String> {
        let port = match self.kind {
            Kind::Chat { .. } => "response",
            Kind::Child => "text",
            Kind::Person { .. } => "message",
            Kind::Failing | Kind::SideQuery { .. } | Kind::Inject { .. } => return None,
        };
        Some(format!("{}.{port}", self.name))
    }
}
