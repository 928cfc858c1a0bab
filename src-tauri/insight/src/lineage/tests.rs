use std::sync::Arc;

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::test_runs::{host, info, run_to_end};
use plait_core::flow::{self, Flow, LazyFlow};
use plait_journal::earlier_run::EarlierTree;
use plait_journal::{Entry, JournalLines};
use plait_testing::{FakeProvider, ScriptedReply, flow_of};

/// The run as it is read from a store.
fn recorded(flow: &Flow, replies: &[ScriptedReply]) -> Arc<RecordedRun> {
    of_lines(&journal_of(flow, replies), flow)
}

fn journal_of(flow: &Flow, replies: &[ScriptedReply]) -> Vec<Entry> {
    let provider = FakeProvider::default();
    provider.push_replies(replies.iter().cloned());
    run_to_end(flow, info(None, None), host(Arc::new(provider), EarlierTree::default()))
}

fn of_lines(journal: &[Entry], flow: &Flow) -> Arc<RecordedRun> {
    let lines = journal.iter().map(|entry| (serde_json::to_vec(entry).unwrap(), entry.clone()));
    let flow = LazyFlow::read_written(flow::write(flow).unwrap()).unwrap();
    Arc::new(RecordedRun::of_lines("run".into(), Box::new(Lines(lines.collect())), Some(flow)))
}

struct Lines(Vec<(Vec<u8>, Entry)>);

impl JournalLines for Lines {
    fn count(&self) -> usize {
        self.0.len()
    }

    fn line(&self, index: usize) -> &[u8] {
        &self.0[index].0
    }

    fn entry(&self, index: usize) -> Option<Entry> {
        Some(self.0[index].1.clone())
    }
}

fn place(spot: &str) -> LineagePlace {
    LineagePlace { run: "run".into(), spot: spot.parse().unwrap() }
}

fn text(text: &str) -> Selection {
    Selection::Text { text: text.to_owned(), occurrence: 0 }
}

/// The steps and choices of a chain: each place with its text, `?` for the same text, `~` for what was computed.
fn described(chain: &LineageChain) -> (Vec<String>, Vec<String>) {
    let describe = |step: &LineageStep| {
        let mark = match step.certainty {
            LineageCertainty::Copied => "",
            LineageCertainty::SameText => "?",
            LineageCertainty::Computed => "~",
        };
        format!("{mark}{} {}", step.place.spot, step.text)
    };
    (chain.steps.iter().map(describe).collect(), chain.choices.iter().map(describe).collect())
}

#[test]
fn chat_leads_to_the_messages_that_have_the_same_text() {
    let flow = flow_of(
        &json!({
            "start": { "type": "contextStart", "config": { "provider": "p", "model": "m",
                "systemInstructions": "Be brief." } },
            "name": { "type": "value", "config": { "value": "Ada" } },
            "chat": { "type": "chat", "config": { "prompt": "Greet {{name}} today." } },
            "shout": { "type": "json", "config": { "query": "ascii_upcase" } },
            "out": { "type": "output" },
        }),
        &[
            "start.context -> chat.context",
            "name.value -> chat.name",
            "chat.response -> shout.value",
            "shout.result -> out.value",
        ],
        &json!({}),
    );
    let run = recorded(&flow, &[ScriptedReply::text("Hello Ada, 7 times.")]);
    let load = |_: &RunId| Some(Arc::clone(&run));
    let lineage = Lineage::new(&load);

    let chain = lineage.where_from(&place("chat.response"), &text("Ada")).unwrap();
    let steps = [
        "chat.response Ada",
        "chat:reply.1 Ada",
        "?chat:prompt.1.2 Ada",
        "chat:in.name Ada",
        "name.value Ada",
    ];
    assert_eq!(described(&chain), (steps.map(str::to_owned).to_vec(), Vec::new()));
    let setting = Some("/value".to_owned());
    let source = Some(LineageSource::Flow { node: "name".into(), setting });
    assert_eq!(chain.steps.last().unwrap().source, source);

    // What the model made up comes from the whole prompt, and nobody is led on without a choice.
    let chain = lineage.where_from(&place("chat.response"), &text("7")).unwrap();
    let (steps, choices) = described(&chain);
    assert_eq!(steps, ["chat.response 7", "chat:reply.1 7"]);
    assert_eq!(choices, ["~chat:prompt.1.1 Be brief.", "~chat:prompt.1.2 Greet Ada today."]);

    // A query is not looked into.
    let (steps, choices) = described(&lineage.where_from(&place("out.value"), &text("ADA")).unwrap());
    assert_eq!(steps, ["out.value ADA", "out:in.value ADA", "shout.result ADA"]);
    assert_eq!(choices, ["~shout:in.value Hello Ada, 7 times."]);

    let (steps, _) = described(&lineage.where_from(&place("chat:prompt.1.1"), &text("brief")).unwrap());
    assert_eq!(steps, ["chat:prompt.1.1 brief"]);
    let (steps, choices) = described(&lineage.where_to(&place("name.value"), &text("Ada")).unwrap());
    assert_eq!(
        steps[..3],
        ["name.value Ada", "chat:in.name Ada", "chat:prompt.1.2 Ada"],
        "{steps:?} {choices:?}"
    );
    assert!(steps.contains(&"?chat:reply.1 Ada".to_owned()), "{steps:?} {choices:?}");
}

#[test]
fn history_leads_to_the_reply_that_it_repeats() {
    let flow = flow_of(
        &json!({
            "start": { "type": "contextStart", "config": { "provider": "p", "model": "m" } },
            "one": { "type": "value", "config": { "value": "What is new?" } },
            "first": { "type": "chat" },
            "two": { "type": "value", "config": { "value": "And then?" } },
            "second": { "type": "chat" },
        }),
        &[
            "start.context -> first.context",
            "one.value -> first.message",
            "first.context -> second.context",
            "two.value -> second.message",
        ],
        &json!({}),
    );
    let run = recorded(&flow, &[ScriptedReply::text("A 4711 came."), ScriptedReply::text("The 4711 left.")]);
    let load = |_: &RunId| Some(Arc::clone(&run));
    let lineage = Lineage::new(&load);
    let (steps, choices) = described(&lineage.where_from(&place("second.response"), &text("4711")).unwrap());
    let expected = [
        "second.response 4711",
        "second:reply.1 4711",
        "?second:prompt.1.2 4711",
        "first.response 4711",
        "first:reply.1 4711",
    ];
    assert_eq!(steps, expected, "{choices:?}");
    let (steps, _) = described(&lineage.where_from(&place("second:prompt.1.1"), &text("new")).unwrap());
    assert_eq!(steps[1..], ["first:prompt.1.1 new", "first:in.message new", "one.value new"]);
    let (steps, choices) = described(&lineage.where_to(&place("first:reply.1"), &text("4711")).unwrap());
    assert!(
        steps.iter().chain(&choices).any(|step| step.ends_with("second:prompt.1.2 4711")),
        "{steps:?} {choices:?}"
    );
}

#[test]
fn ranges_count_utf16_code_units() {
    let text = "a😀é";
    assert_eq!(from_utf16(text, TextRange { start: 1, end: 3 }), Some(1..5));
    assert_eq!(from_utf16(text, TextRange { start: 3, end: 4 }), Some(5..7));
    assert_eq!(from_utf16(text, TextRange { start: 2, end: 4 }), None);
    assert_eq!(from_utf16(text, TextRange { start: 0, end: 5 }), None);
    assert_eq!(to_utf16(text, &(5..7)), TextRange { start: 3, end: 4 });
}

fn first_template() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        Just("{{x.a}}".to_owned()),
        Just("{{trim x.a}}".to_owned()),
        Just("{{upper x.a}}".to_owned()),
        Just("{{x}}".to_owned()),
        Just("{{#each x.list}}<{{this}}{{@index}}>{{/each}}".to_owned()),
        "[ a-cé]{1,4}",
    ];
    prop::collection::vec(part, 1..5).prop_map(|parts| parts.concat())
}

fn next_template() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        Just("{{x}}".to_owned()),
        Just("{{trim x}}".to_owned()),
        Just("{{lower x}}".to_owned()),
        Just("{{#if x}}{{x}}{{/if}}".to_owned()),
        "[ a-cé😀]{1,4}",
    ];
    prop::collection::vec(part, 1..4).prop_map(|parts| parts.concat())
}

/// A value and the templates that are made of it, one after another, with a join and a switch at the end.
fn chain_of(a: &str, list: &[String], templates: &[String]) -> Flow {
    let mut nodes = json!({
        "v": { "type": "value", "config": { "value": { "a": a, "list": list } } },
        "join": { "type": "join", "config": { "separator": " + " } },
        "switch": { "type": "switch", "config": { "cases": [] } },
    });
    let mut edges = vec!["v.value -> t0.x".to_owned()];
    for (number, template) in templates.iter().enumerate() {
        // Each has the input, also if it says nothing of it.
        let template = format!("{{{{#if x}}}}{{{{/if}}}}{template}");
        nodes[format!("t{number}")] = json!({ "type": "text", "config": { "template": template } });
        if number > 0 {
            edges.push(format!("t{}.text -> t{number}.x", number - 1));
        }
        edges.push(format!("t{number}.text -> join.values"));
    }
    edges.push("join.text -> switch.value".to_owned());
    flow_of(&nodes, &edges, &json!({}))
}

fn cut<'t>(text: &'t str, step: &LineageStep) -> &'t str {
    &text[from_utf16(text, step.range).unwrap()]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]
    #[test]
    fn ranges_of_steps_hold_the_selected_text_and_lead_forth_again(
        a in "[ a-dé😀\"\\n]{0,6}",
        list in prop::collection::vec("[ a-dé]{0,4}", 0..3),
        first in first_template(),
        next in prop::collection::vec(next_template(), 0..4),
        from in 0_usize..1_000,
        length in 1_usize..8,
    ) {
        let templates: Vec<String> = [first].into_iter().chain(next).collect();
        let flow = chain_of(&a, &list, &templates);
        let journal = journal_of(&flow, &[]);
        let run = of_lines(&journal, &flow);
        let load = |_: &RunId| Some(Arc::clone(&run));
        let lineage = Lineage::new(&load);
        let whole = Arc::new(RecordedRun::new("run".into(), &journal, Some(flow)));
        let load_whole = |_: &RunId| Some(Arc::clone(&whole));
        let of_whole = Lineage::new(&load_whole);
        let selected = place("switch.default");
        let whole = lineage.text(&selected).unwrap();
        let bounds: Vec<usize> = whole.char_indices().map(|(at, _)| at).chain([whole.len()]).collect();
        let start = (bounds.len() - 1) * from / 1_000;
        prop_assume!(start + 1 < bounds.len());
        let range = bounds[start]..bounds[(start + length).min(bounds.len() - 1)];
        let units = to_utf16(&whole, &range);
        let mut open = vec![(Selection::Range(units), selected, whole[range].to_owned())];
        for _ in 0..20 {
            let Some((selection, place, text)) = open.pop() else { break };
            let chain = lineage.where_from(&place, &selection).unwrap();
            prop_assert_eq!(&chain, &of_whole.where_from(&place, &selection).unwrap());
            prop_assert_eq!(lineage.where_to(&place, &selection), of_whole.where_to(&place, &selection));
            for step in chain.steps.iter().chain(&chain.choices) {
                let there = lineage.text(&step.place).unwrap();
                prop_assert_eq!(cut(&there, step), &step.text);
            }
            // Steps that copy have the text itself. JSON may escape its characters in a value that is no text.
            for step in chain.steps.iter().filter(|step| step.place.spot.to_string() != "v.value") {
                let is_json = matches!(&step.place.spot, LineageSpot::Input { node, .. } if node.as_str() == "t0");
                // A template may write the same twice in a row.
                let is_repeated = text.replace(step.text.as_str(), "").is_empty();
                prop_assert!(is_json || is_repeated, "{:?} {:?}", step, text);
            }
            for pair in chain.steps.windows(2) {
                let there = lineage.text(&pair[1].place).unwrap();
                let found = Found {
                    place: pair[1].place.clone(),
                    range: from_utf16(&there, pair[1].range).unwrap(),
                    certainty: LineageCertainty::Copied,
                    source: None,
                };
                let before = lineage.text(&pair[0].place).unwrap();
                let expected = from_utf16(&before, pair[0].range).unwrap();
                let forth = lineage.forth(&found);
                // Of what a template wrote twice in a row, each part is a step of its own.
                let is_of = |step: &Found| {
                    let (one, other) = (&step.range, &expected);
                    one.start <= other.start && other.end <= one.end
                        || other.start <= one.start && one.end <= other.end
                };
                prop_assert!(
                    forth.iter().any(|step| step.place == pair[0].place && is_of(step)),
                    "{:?} leads to {:?}, not to {:?}", pair[1], forth, pair[0]
                );
            }
            for choice in chain.choices.iter().filter(|choice| choice.source.is_none()) {
                open.push((Selection::Range(choice.range), choice.place.clone(), choice.text.clone()));
            }
        }
    }
}
