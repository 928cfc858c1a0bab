//! Each setting of a loop's history either acts on what models receive or is reported by the check. The settings are those of the
//! schemas, so a new one fails here until it has a case.

use std::collections::BTreeSet;

use plait_api::dispatch;
use plait_core::config::keys;
use plait_core::flow;
use plait_formats::pipeline::{self, Pipeline};
use plait_llm::context::Role;
use serde_json::{Value, json};

use crate::support::app::App;
use crate::support::provider::{RecordingProvider, SentRequest};

/// Where a setting stands in a pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    /// In the loop, by the path of its schema.
    Loop,
    /// In a step, here the step `close`.
    Step,
    /// In `settings.config`, for all loops.
    Config,
}

/// A pipeline with a conversational loop: a draft, a question to a person, and a close, twice. The model repeats the prompt.
#[derive(Clone, Default)]
struct Talk {
    of_loop: Value,
    of_close: Value,
    of_draft: Value,
    config: Value,
    /// Whether there is an agent `sums`.
    has_summarizer: bool,
    /// Whether nobody is asked.
    asks_nobody: bool,
}

fn merge(into: &mut Value, from: &Value) {
    for (key, value) in from.as_object().into_iter().flatten() {
        match into.get_mut(key).filter(|known| known.is_object() && value.is_object()) {
            Some(known) => merge(known, value),
            None => into[key] = value.clone(),
        }
    }
}

impl Talk {
    /// With these settings in the loop.
    fn with(of_loop: Value) -> Self {
        Self { of_loop, ..Self::default() }
    }

    /// With agents that take a single prompt.
    fn prompt_only(self) -> Self {
        let agent = json!({ "agent": { "provider": "offline", "model": "prompt" } });
        Self { of_close: agent.clone(), of_draft: agent, ..self }
    }

    fn close(self, of_close: Value) -> Self {
        Self { of_close, ..self }
    }

    fn config(self, config: Value) -> Self {
        Self { config, ..self }
    }

    fn text(&self) -> String {
        let mut draft = json!({ "kind": "step", "name": "draft", "prompt": "Draft {{index}}" });
        let mut close = json!({ "kind": "step", "name": "close", "prompt": "Close {{index}}" });
        merge(&mut draft, &self.of_draft);
        merge(&mut close, &self.of_close);
        let ask =
            (!self.asks_nobody).then(|| json!({ "kind": "hitl", "name": "ask", "prompt": "{{previous}}" }));
        let body: Vec<Value> = [Some(draft), ask, Some(close)].into_iter().flatten().collect();
        let mut of_loop = json!({ "kind": "times", "times": 2, "conversation": true, "body": body });
        merge(&mut of_loop, &self.of_loop);
        let mut document = json!({
            "version": "0.1", "input": "Plan.", "steps": [{ "kind": "loop", "name": "talk", "loop": of_loop }],
        });
        if self.has_summarizer {
            let sums = json!({ "provider": "offline", "model": "sums", "system_prompt": "Condense it." });
            document["agents"] = json!({ "sums": sums });
        }
        if self.config.is_object() {
            document["settings"] = json!({ "config": self.config });
        }
        // JSON is YAML.
        serde_json::to_string_pretty(&document).unwrap()
    }
}

/// A case of a setting: a pipeline where it acts, and one where it cannot.
struct Setting {
    place: Place,
    name: &'static str,
    acts: Talk,
    /// `role: text` of the messages of the last request, except the message itself; or of a summarizer's request.
    sent: &'static [&'static str],
    silent: Talk,
    /// Where the check says so, below the node of the setting, and by which code.
    reported: (&'static str, &'static str),
}

const NO_EFFECT: &str = "config.no_effect";
const WHOLE: [&str; 4] = ["user: Plan.", "user: A0", "assistant: re: Close 0", "user: A1"];

#[expect(clippy::too_many_lines, reason = "a table of cases")]
fn settings() -> Vec<Setting> {
    let history = |settings: Value| Talk::with(json!({ "history_management": settings }));
    let summarizing = |settings: Value| {
        let mut own = json!({ "strategy": "summarize", "max_turns": 1, "summarizer_agent": "sums" });
        merge(&mut own, &settings);
        Talk { has_summarizer: true, ..history(own) }
    };
    let without = |settings: Value| {
        let mut own = json!({ "conversation": false });
        merge(&mut own, &settings);
        Talk::with(own)
    };
    let loop_case = |name, acts: Talk, sent, silent: Talk, reported| Setting {
        place: Place::Loop,
        name,
        acts,
        sent,
        silent,
        reported: (reported, NO_EFFECT),
    };
    let nobody_hears = json!({ "use_history": false });
    let start = |own: Value| json!({ "init": { "history": { "start_with": own } } });
    let inherited = |key: &str, value: Value, more: Value| {
        let mut config = json!({ format!("history_management.{key}"): value });
        merge(&mut config, &more);
        config
    };
    let truncates = json!({ "history_management.strategy": "truncate_turns" });
    let strategy = |name: &str| inherited("strategy", json!(name), json!({}));
    let config_case = |name, acts: Talk, sent, silent: Talk| Setting {
        place: Place::Config,
        name,
        acts,
        sent,
        silent,
        reported: ("", NO_EFFECT),
    };
    vec![
        loop_case(
            "conversation",
            Talk::with(json!({ "conversation": true })),
            &WHOLE,
            Talk { of_draft: nobody_hears.clone(), ..Talk::default() }.close(nobody_hears),
            "/conversation",
        ),
        loop_case(
            "history_management.strategy",
            history(json!({ "strategy": "truncate_turns", "max_turns": 1 })),
            &WHOLE[3..],
            without(json!({ "history_management": { "strategy": "truncate_turns" } })),
            "/history_management",
        ),
        loop_case(
            "history_management.max_tokens",
            history(json!({ "strategy": "truncate_tokens", "max_tokens": 1 })),
            &[],
            history(json!({ "strategy": "truncate_turns", "max_tokens": 1 })),
            "/history_management/max_tokens",
        ),
        loop_case(
            "history_management.max_turns",
            history(json!({ "strategy": "truncate_turns", "max_turns": 2 })),
            &WHOLE[2..],
            history(json!({ "strategy": "truncate_tokens", "max_turns": 2 })),
            "/history_management/max_turns",
        ),
        loop_case(
            "history_management.summarizer_agent",
            summarizing(json!({})),
            &["user: Turns:\n\nuser: Plan.\n\nuser: A0\n"],
            summarizing(json!({ "strategy": "truncate_turns" })),
            "/history_management/summarizer_agent",
        ),
        loop_case(
            "history_management.summarize_ratio",
            summarizing(json!({ "summarize_ratio": 0.2 })),
            &["user: Turns:\n\nuser: Plan.\n"],
            summarizing(json!({ "summarize_ratio": 7 })),
            "/history_management/summarize_ratio",
        ),
        loop_case(
            "ai_turn_source",
            Talk::with(json!({ "ai_turn_source": "last" })),
            &WHOLE,
            Talk::with(json!({ "ai_turn_source": "last", "user_turn_sources": ["close"] })),
            "/ai_turn_source",
        ),
        loop_case(
            "ai_turn_source",
            Talk::with(json!({ "ai_turn_source": "all_agents" })),
            &[
                "user: Plan.",
                "assistant: re: Draft 0",
                "user: A0",
                "assistant: re: Close 0",
                "assistant: re: Draft 1",
                "user: A1",
            ],
            Talk::with(json!({ "ai_turn_source": "all_agents", "user_turn_sources": ["draft", "close"] })),
            "/ai_turn_source",
        ),
        loop_case(
            "named_steps",
            Talk::with(json!({ "ai_turn_source": "named_steps", "named_steps": ["draft"] })),
            &["user: Plan.", "assistant: re: Draft 0", "user: A0", "assistant: re: Draft 1", "user: A1"],
            Talk::with(json!({ "named_steps": ["draft"] })),
            "/named_steps",
        ),
        loop_case(
            "ai_turn_source",
            Talk::with(json!({ "ai_turn_source": "named_steps", "named_steps": ["close"] })),
            &WHOLE,
            without(json!({ "ai_turn_source": "named_steps", "named_steps": ["close"] })),
            "/ai_turn_source",
        ),
        loop_case(
            "user_turn_sources",
            Talk::with(json!({ "user_turn_sources": ["hitl"] })),
            &WHOLE,
            Talk { asks_nobody: true, ..Talk::with(json!({ "user_turn_sources": ["hitl"] })) },
            "/user_turn_sources/0",
        ),
        loop_case(
            "user_turn_sources",
            Talk::with(json!({ "user_turn_sources": ["named_steps"], "named_steps": ["draft"] })),
            &["user: Plan.", "user: re: Draft 0", "assistant: re: Close 0", "user: re: Draft 1"],
            without(json!({ "user_turn_sources": ["named_steps"], "named_steps": ["draft"] })),
            "/user_turn_sources",
        ),
        loop_case(
            "user_turn_sources",
            Talk::with(json!({ "user_turn_sources": ["draft"] })),
            &["user: Plan.", "user: re: Draft 0", "assistant: re: Close 0", "user: re: Draft 1"],
            without(json!({ "user_turn_sources": ["draft"] })),
            "/user_turn_sources",
        ),
        Setting {
            place: Place::Loop,
            name: "history_template",
            acts: Talk::with(
                json!({ "history_template": "{{#each history}}\n<{{role}}>{{content}}\n{{/each}}" }),
            )
            .prompt_only(),
            sent: &["<conversation_history>\n<user>Plan.\n<user>A0\n<assistant>"],
            silent: Talk::with(json!({ "history_template": "{{#each history}}\n{{content}}\n{{/each}}" })),
            reported: ("/history_template", "history.template_ignored"),
        },
        loop_case(
            "init.history.start_with.from_initial_input",
            Talk::with(start(json!({ "from_initial_input": false }))),
            &WHOLE[1..],
            without(start(json!({ "from_initial_input": false }))),
            "/init",
        ),
        loop_case(
            "init.history.start_with.prefix",
            Talk::with(start(json!({ "prefix": "Human: " }))).prompt_only(),
            &["<conversation_history>\nuser: Human: Plan.\nuser: A0\n"],
            Talk::with(start(json!({ "prefix": "Human: " }))),
            "/init/history/start_with/prefix",
        ),
        Setting {
            place: Place::Step,
            name: "use_history",
            acts: Talk::default().close(json!({ "use_history": false })),
            sent: &[],
            silent: without(json!({})).close(json!({ "use_history": false })),
            reported: ("/use_history", NO_EFFECT),
        },
        Setting {
            place: Place::Step,
            name: "pinned",
            acts: history(json!({ "strategy": "truncate_turns", "max_turns": 1 }))
                .close(json!({ "pinned": true })),
            sent: &WHOLE[2..3],
            silent: Talk::with(json!({ "ai_turn_source": "named_steps", "named_steps": ["draft"] }))
                .close(json!({ "pinned": true })),
            reported: ("/pinned", NO_EFFECT),
        },
        config_case(
            "history_management.strategy",
            history(json!({ "max_turns": 1 })).config(strategy("truncate_turns")),
            &WHOLE[3..],
            history(json!({ "strategy": "truncate_turns" })).config(strategy("truncate_turns")),
        ),
        config_case(
            "history_management.max_tokens",
            Talk::default().config(inherited("max_tokens", json!(1), json!({}))),
            &[],
            history(json!({ "strategy": "truncate_turns" })).config(inherited(
                "max_tokens",
                json!(1),
                json!({}),
            )),
        ),
        config_case(
            "history_management.max_turns",
            Talk::default().config(inherited("max_turns", json!(2), truncates)),
            &WHOLE[2..],
            Talk::default().config(inherited("max_turns", json!(2), json!({}))),
        ),
        config_case(
            "history_management.summarize_ratio",
            summarizing(json!({})).config(inherited("summarize_ratio", json!(0.2), json!({}))),
            &["user: Turns:\n\nuser: Plan.\n"],
            Talk::default().config(inherited("summarize_ratio", json!(0.2), json!({}))),
        ),
    ]
}

/// Settings of a loop that say how often it is repeated, and of steps that say nothing about a history.
const OTHER_SETTINGS: [(Place, &[&str]); 2] = [
    (
        Place::Loop,
        &[
            "kind",
            "condition",
            "times",
            "concurrency",
            "on_error",
            "max_iterations",
            "body",
            "items",
            "quota",
        ],
    ),
    (
        Place::Step,
        &[
            "kind",
            "name",
            "title",
            "after",
            "agent",
            "prompt",
            "retry",
            "timeout_ms",
            "quota",
            "config",
            "loop",
            "branches",
            "separator",
            "condition",
            "placeholder",
            "schema",
        ],
    ),
];

/// The paths of the settings that a schema without alternatives describes.
fn leaves(schema: &Value, definitions: &Value, path: &str, found: &mut BTreeSet<String>) {
    let schema = match schema["$ref"].as_str() {
        Some(reference) => &definitions[reference.rsplit('/').next().unwrap()],
        None => schema,
    };
    let Some(properties) = schema["properties"].as_object().filter(|_| schema["oneOf"].is_null()) else {
        found.insert(path.to_owned());
        return;
    };
    for (name, own) in properties {
        let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        leaves(own, definitions, &path, found);
    }
}

/// All settings of histories: those of pipelines by their schema, which holds those of nodes, and the keys of the configuration.
fn declared() -> BTreeSet<(Place, String)> {
    let schema = pipeline::schema();
    let definitions = &schema["$defs"];
    let mut declared = BTreeSet::new();
    let steps = definitions["Step"]["oneOf"].as_array().unwrap();
    for (place, others) in OTHER_SETTINGS {
        let of_steps = steps.iter().filter(|_| place == Place::Step);
        let of_loops = [&definitions["Loop"]].into_iter().filter(|_| place == Place::Loop);
        let properties = of_steps.chain(of_loops).filter_map(|part| part["properties"].as_object()).flatten();
        for (key, own) in properties.filter(|(key, _)| !others.contains(&key.as_str())) {
            let mut found = BTreeSet::new();
            leaves(own, definitions, key, &mut found);
            declared.extend(found.into_iter().map(|path| (place, path)));
        }
    }
    let of_histories =
        keys().iter().map(|key| key.name).filter(|name| name.starts_with("history_management."));
    declared.extend(of_histories.map(|name| (Place::Config, name.to_owned())));
    declared
}

#[test]
fn each_setting_of_histories_has_a_case() {
    let cases: BTreeSet<_> = settings().iter().map(|case| (case.place, case.name.to_owned())).collect();
    assert_eq!(cases, declared());
    // A node has them under the same names.
    let registry = plait_nodes::registry();
    for (node_type, place) in [("loop", Place::Loop), ("chat", Place::Step)] {
        let descriptor = registry.descriptor(node_type).unwrap();
        let of_node: Vec<String> = descriptor.settings().into_iter().map(|(path, _)| path).collect();
        for (_, name) in cases.iter().filter(|(of, _)| *of == place) {
            assert!(of_node.contains(name), "{node_type} has no `{name}`: {of_node:?}");
        }
    }
}

/// The words of a setting that has only some: each is in a case.
#[test]
fn each_choice_of_a_setting_of_histories_acts_in_a_case() {
    let registry = plait_nodes::registry();
    let descriptor = registry.descriptor("loop").unwrap();
    let written: String = settings().iter().map(|case| case.acts.text()).collect();
    for (path, schema) in descriptor.settings() {
        let choices = [&schema["enum"], &schema["oneOf"]].into_iter().filter_map(Value::as_array).flatten();
        let words = choices.filter_map(|choice| choice.as_str().or_else(|| choice["const"].as_str()));
        for word in
            words.filter(|_| path.starts_with("history_management") || path.starts_with("ai_turn_source"))
        {
            assert!(written.contains(&format!("\"{word}\"")), "{path}: {word}");
        }
    }
}

impl Setting {
    /// The place in a flow that a finding has which is about this setting or what it is part of.
    fn pointer(&self, below: &str) -> String {
        match self.place {
            Place::Loop => format!("/nodes/talk/config{below}"),
            Place::Step => format!("/nodes/close/config{below}"),
            Place::Config => format!("/settings/config/{}", self.name),
        }
    }
}

/// The flow of a pipeline, as its file in the other format has it, and the code and place of what the check finds.
async fn checked(talk: &Talk) -> (flow::Flow, Vec<(String, String)>) {
    let text = talk.text();
    let pipeline = Pipeline::read(&text).unwrap_or_else(|errors| panic!("{text}\n{errors:#?}"));
    let flow = flow::read(&flow::write(&pipeline.flow).unwrap()).unwrap();
    let app = App::with(&RecordingProvider::echo());
    let found = dispatch(&app.plait, "flow.check", json!({ "flow": flow })).await.unwrap();
    let found = found["diagnostics"].as_array().unwrap().iter();
    let text_of = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut places: Vec<_> = found.map(|one| (text_of(&one["code"]), text_of(&one["pointer"]))).collect();
    places.extend(pipeline.warnings.iter().map(|one| (one.code.to_string(), one.pointer.clone())));
    (flow, places)
}

#[tokio::test]
async fn each_setting_of_histories_acts_on_what_models_receive() {
    for case in settings() {
        let (flow, found) = checked(&case.acts).await;
        assert_eq!(found, [], "{:?} {} acts, so nothing is reported", case.place, case.name);
        let provider = RecordingProvider::echo();
        App::with(&provider).run(&flow, ["A0", "A1"]).await;
        let sent = provider.sent();
        let summary = sent.iter().find(|request| request.system.as_deref() == Some("Condense it."));
        let messages = |request: &SentRequest| -> Vec<String> {
            let role = |role: Role| format!("{role:?}").to_lowercase();
            request.messages.iter().map(|(by, text)| format!("{}: {text}", role(*by))).collect()
        };
        let what = format!("{:?} {}: {sent:#?}", case.place, case.name);
        if let Some(summary) = summary {
            assert_eq!(messages(summary), case.sent, "{what}");
            continue;
        }
        let last = messages(sent.last().unwrap());
        if last.len() == 1 && case.sent.len() == 1 {
            let (_, text) = &sent.last().unwrap().messages[0];
            assert!(text.starts_with(case.sent[0]) && text.ends_with("\n\nClose 1"), "{what}");
            continue;
        }
        assert_eq!(last, [case.sent, &["user: Close 1"]].concat(), "{what}");
    }
}

#[tokio::test]
async fn each_setting_of_histories_that_cannot_act_is_reported() {
    for case in settings() {
        let (below, code) = case.reported;
        let place = (code.to_owned(), case.pointer(below));
        let (_, found) = checked(&case.silent).await;
        assert!(found.contains(&place), "{:?} {}: {place:?} in {found:#?}", case.place, case.name);
    }
}
