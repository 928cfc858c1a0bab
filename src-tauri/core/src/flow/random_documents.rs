//! Random texts that are flows, or almost: with values of other types, unknown keys, escapes, and numbers in every spelling.

use proptest::collection::vec;
use proptest::option::weighted;
use proptest::prelude::*;

/// A member of an object, with its key, unless it is left out.
type Member = BoxedStrategy<Option<String>>;

/// The text of a document: mostly a flow of the current version.
pub(super) fn document() -> impl Strategy<Value = String> {
    let version =
        prop_oneof![12 => Just("1"), 1 => Just("0"), 1 => Just("2"), 1 => Just("1.0"), 1 => Just("null")];
    object(vec![
        member("version", 0.95, version.prop_map(str::to_owned)),
        member("name", 0.7, text()),
        member("description", 0.3, text()),
        member("nodes", 0.97, items(node())),
        member("edges", 0.7, items(edge())),
        member("layout", 0.5, items(position())),
        member("frames", 0.3, items(frame())),
        member("routes", 0.3, items(vec(point(), 0..3).prop_map(list).boxed())),
        member("settings", 0.4, settings()),
    ])
}

fn node() -> BoxedStrategy<String> {
    let retry = object(vec![
        member("attempts", 0.7, number()),
        member("backoffMs", 0.5, number()),
        member("maxBackoffMs", 0.3, number()),
        member("jitter", 0.5, number()),
    ]);
    let limits = object(vec![member("maxEpochs", 0.5, number()), member("timeoutMs", 0.5, number())]);
    let origins = vec(prop::sample::select(vec!["\"person\"", "\"host:a.example\""]), 0..2);
    let pin = object(vec![
        member("outputs", 0.99, object(vec![member("text", 0.8, json())])),
        member("run", 0.5, text()),
        member(
            "origins",
            0.5,
            origins.prop_map(|labels| list(labels.into_iter().map(str::to_owned).collect())),
        ),
    ]);
    object(vec![
        member("type", 0.99, text()),
        member("title", 0.3, text()),
        member("config", 0.6, object(vec![member("template", 0.8, text()), member("values", 0.5, json())])),
        member("limits", 0.3, limits),
        member("retry", 0.3, retry),
        member("pin", 0.2, pin),
    ])
}

fn edge() -> BoxedStrategy<String> {
    object(vec![
        member("source", 0.99, text()),
        member("sourceOutput", 0.99, text()),
        member("target", 0.99, text()),
        member("targetInput", 0.99, text()),
        member("metadata", 0.3, object(Vec::new())),
    ])
}

fn position() -> BoxedStrategy<String> {
    object(vec![
        member("x", 0.99, number()),
        member("y", 0.99, number()),
        member("width", 0.3, number()),
        member("height", 0.2, number()),
        member("color", 0.2, color()),
    ])
}

fn frame() -> BoxedStrategy<String> {
    object(vec![
        member("title", 0.8, text()),
        member("color", 0.3, color()),
        member("nodes", 0.9, vec(text(), 0..3).prop_map(list)),
        member("main", 0.3, text()),
        member("x", 0.99, number()),
        member("y", 0.99, number()),
        member("width", 0.99, number()),
        member("height", 0.99, number()),
    ])
}

fn point() -> BoxedStrategy<String> {
    object(vec![member("x", 0.99, number()), member("y", 0.99, number())])
}

fn color() -> BoxedStrategy<String> {
    prop::sample::select(vec!["\"gray\"", "\"teal\"", "\"mauve\""]).prop_map(str::to_owned).boxed()
}

fn settings() -> BoxedStrategy<String> {
    let limits = object(vec![member("maxRuns", 0.5, number()), member("maxEvents", 0.5, number())]);
    object(vec![
        member("maxConcurrency", 0.3, number()),
        member("contextWindow", 0.4, json()),
        member("limits", 0.3, limits),
        member("memory", 0.3, object(vec![member("recentTurns", 0.8, number())])),
        member("folders", 0.3, vec(object(vec![member("path", 0.9, text())]), 0..2).prop_map(list)),
    ])
}

/// An object with these members and sometimes another, which no part of a flow has, or only those of other tools.
fn object(members: Vec<Member>) -> BoxedStrategy<String> {
    let others =
        prop_oneof![4 => Just("mood"), 1 => Just("data"), 1 => Just("$schema"), 1 => Just("ext\\u0072a")];
    let other = (weighted(0.15, others), json())
        .prop_map(|(key, value)| key.map(|key| format!("\"{key}\": {value}")));
    (members, other)
        .prop_map(|(members, other)| {
            let members: Vec<String> = members.into_iter().chain([other]).flatten().collect();
            format!("{{{}}}", members.join(", "))
        })
        .boxed()
}

/// A member that is there with this probability, and rarely holds something else.
fn member(key: &'static str, probability: f64, value: impl Strategy<Value = String> + 'static) -> Member {
    let value = prop_oneof![60 => value, 1 => json()];
    (weighted(probability, value), prop::bool::weighted(0.05))
        .prop_map(move |(value, is_escaped)| {
            let key = if is_escaped {
                format!("\\u{:04x}{}", key.as_bytes()[0], &key[1..])
            } else {
                key.to_owned()
            };
            value.map(|value| format!("\"{key}\": {value}"))
        })
        .boxed()
}

/// Up to three of these under keys that may be equal.
fn items(item: BoxedStrategy<String>) -> BoxedStrategy<String> {
    let key = prop_oneof![Just("a"), Just("b"), Just("c"), Just("d/~"), Just("\\u0061b"), Just("")];
    vec((key, item), 0..4)
        .prop_map(|items| {
            let members: Vec<String> =
                items.into_iter().map(|(key, item)| format!("\"{key}\": {item}")).collect();
            format!("{{{}}}", members.join(","))
        })
        .boxed()
}

fn text() -> BoxedStrategy<String> {
    let texts = vec!["", "text", "{{value}}", "a", "\\u00e9\\n", "é", "\\ud83d\\ude00", "1"];
    prop::sample::select(texts).prop_map(|text| format!("\"{text}\"")).boxed()
}

fn number() -> BoxedStrategy<String> {
    let usual = vec!["0", "1", "5", "100", "0.5"];
    let rare = vec![
        "-0",
        "-1",
        "1.0",
        "1e2",
        "4294967296",
        "18446744073709551615",
        "9007199254740993",
        "1E-400",
        "0.1",
    ];
    let both = prop_oneof![8 => prop::sample::select(usual), 1 => prop::sample::select(rare)];
    both.prop_map(str::to_owned).boxed()
}

fn json() -> BoxedStrategy<String> {
    let constants = prop::sample::select(vec!["null", "true", "false"]).prop_map(str::to_owned);
    let leaf = prop_oneof![constants, number(), text()];
    leaf.prop_recursive(2, 6, 3, |inner| {
        let member = inner.clone().prop_map(|value| format!("{{\"k\": {value}}}"));
        prop_oneof![vec(inner, 0..3).prop_map(list), member]
    })
    .boxed()
}

#[expect(clippy::needless_pass_by_value, reason = "strategies map values")]
fn list(items: Vec<String>) -> String {
    format!("[{}]", items.join(", "))
}
