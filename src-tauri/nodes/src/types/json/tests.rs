use std::sync::Arc;

use serde_json::{Value, json};

use crate::testing::NodeHarness;
use plait_core::origin::Origins;
use plait_llm::loop_history::PersonAnswer;

fn run(query: &str, value: Value, mode: &str) -> Result<Value, (String, String)> {
    let run = NodeHarness::new().run("json", json!({ "query": query, "mode": mode }), &[("value", value)]);
    match &run.result {
        Ok(_) => Ok(run.output("result").cloned().unwrap_or_else(|| json!("(dead)"))),
        Err(fault) => Err((fault.code.to_string(), fault.message.clone())),
    }
}

fn first(query: &str, value: Value) -> Value {
    run(query, value, "first").unwrap_or_else(|(code, message)| panic!("{query}: {code}: {message}"))
}

fn code(query: &str, value: Value) -> String {
    run(query, value, "first").map_or_else(|(code, _)| code, |value| format!("gave {value}"))
}

#[test]
fn queries_select_reshape_and_compute() {
    let value = json!({ "user": { "name": "Ada", "tags": ["x", "y"] }, "prices": [1, 2.5, 3] });
    for (query, expected) in [
        (".", value.clone()),
        (".user.name", json!("Ada")),
        (".user.tags[-1]", json!("y")),
        (".missing", Value::Null),
        (".prices | add", json!(6.5)),
        (".prices | map(. * 2)", json!([2, 5, 6])),
        ("[.prices[] * (1, 10)]", json!([1, 10, 2.5, 25, 3, 30])),
        ("{name: .user.name, n: (.prices | length)}", json!({ "name": "Ada", "n": 3 })),
        (".user | {name, \"k\\(1 + 1)\": .tags}", json!({ "name": "Ada", "k2": ["x", "y"] })),
        (".user.tags | join(\"-\")", json!("x-y")),
        ("[.. | strings]", json!(["Ada", "x", "y"])),
        ("del(.user, .prices[0])", json!({ "prices": [2.5, 3] })),
        (".prices[] |= . + 1 | .prices", json!([2, 3.5, 4])),
        (".prices[1] *= 2 | .prices", json!([1, 5, 3])),
        ("[limit(3; repeat(1))]", json!([1, 1, 1])),
        ("[range(5)] | map(select(. % 2 == 0))", json!([0, 2, 4])),
        ("reduce .prices[] as $p (0; . + $p)", json!(6.5)),
        (". as {user: {$name}} | $name", json!("Ada")),
        ("def f(x): x * 2; f(.prices[0])", json!(2)),
        ("[paths | select(length == 1)[0]]", json!(["prices", "user"])),
        (".user.name | test(\"^A\")", json!(true)),
        ("\"[1, {\\\"a\\\": null}]\" | fromjson", json!([1, { "a": null }])),
        ("\"ab\" * 3", json!("ababab")),
        ("[1, 2] | tojson", json!("[1,2]")),
        ("\"\\(.prices[0]) for \\(.user.name)\"", json!("1 for Ada")),
        ("try error(\"x\") catch .", json!("x")),
        ("[.prices[] | if . > 2 then \"dear\" else \"cheap\" end]", json!(["cheap", "dear", "dear"])),
        ("18446744073709551615", json!(18_446_744_073_709_551_615_u64)),
        ("nan", Value::Null),
        ("4 / 2", json!(2)),
        ("-9007199254740992.0", json!(-9_007_199_254_740_992_i64)),
        ("1e300", json!(1e300)),
        ("@base64 \"\\(.user.name)\"", json!("QWRh")),
        ("first(range(10; 20))", json!(10)),
        ("[.user.tags | to_entries[] | .value]", json!(["x", "y"])),
        ("path(.user.tags[])", json!(["user", "tags", 0])),
        ("getpath([\"user\", \"name\"])", json!("Ada")),
        ("[splits(\", \")]?", json!("(dead)")),
    ] {
        assert_eq!(first(query, value.clone()), expected, "{query}");
    }
}

#[test]
fn query_without_result_is_dead_or_an_empty_list() {
    assert_eq!(first("empty", json!(1)), json!("(dead)"));
    assert_eq!(run("empty", json!(1), "list"), Ok(json!([])));
    assert_eq!(run(".[]", json!([1, 2]), "list"), Ok(json!([1, 2])));
    assert_eq!(first(".[]", json!([1, 2])), json!(1));
}

#[test]
fn query_errors_have_a_position() {
    for (query, expected) in [
        (".a |", "At the end of the query"),
        (".a\n | foo(1)", "Line 2, column 4 of the query: there is no filter `foo`"),
        ("$x", "there is no variable `$x`"),
        ("{a", "closing brace"),
        (".a ]", "Line 1, column 4"),
        (".a .b c", "nothing is expected before `c`"),
        ("import \"x\" as x; .", "Line 1"),
    ] {
        let (code, message) = run(query, json!(1), "first").unwrap_err();
        assert_eq!(code, "config.invalid", "{query}");
        assert!(message.contains(expected), "{query}: {message}");
    }
    let (code, message) = run(".a", json!([1]), "first").unwrap_err();
    assert_eq!(code, "json.query");
    assert!(message.contains("cannot index"), "{message}");
    assert_eq!(code_and_message("error(\"mine\")").1, "The query fails: mine.");
}

fn code_and_message(query: &str) -> (String, String) {
    run(query, json!(1), "first").unwrap_err()
}

#[test]
fn query_reads_only_its_input() {
    for query in
        ["env", "$ENV", "now", "input", "inputs", "debug", "stderr", "halt", "halt_error", "localtime"]
    {
        assert_eq!(code(query, json!(0)), "config.invalid", "{query}");
    }
}

#[test]
fn runaway_queries_are_stopped() {
    for query in [
        "last(repeat(1))",
        "[range(0; 1e18)]",
        "last(range(0; 1; 0))",
        "def f: f; f",
        "def f: 1 + f; f",
        "def f: [f]; f",
        "def f: (try f catch f), f; f",
        "until(false; .)",
        "[recurse(length)] | length",
        "[.[] as $a | .[] as $b | .[] as $c | .[] as $d | 1] | length",
        "reduce range(60) as $i (\"ab\"; . + .)",
        "reduce range(60) as $i ([1]; . + .)",
        "reduce range(60) as $i (\"ab\"; \"\\(.)\\(.)\")",
        "reduce range(60) as $i (10; . * .)",
        "reduce range(60) as $i (\"ab\"; . * 2)",
        "reduce range(60) as $i (\"ab\"; . *= 2)",
        "\"x\" * 1000000000000",
        "\"x\" * 1e300",
        "\"x\" as $x | $x | . *= 1000000000000",
        "reduce range(60) as $i (0; [., .])",
        "reduce range(500) as $i (0; [.])",
        "reduce range(1000000) as $i (0; [.])",
        "reduce range(200) as $i (0; {a: .})",
        "first(range(1e18) | select(. < 0))",
        "[limit(1e18; repeat(1))]",
        "[skip(1e18; repeat(1))]",
    ] {
        let found = code(query, json!((0..100).collect::<Vec<_>>()));
        assert!(found == "json.limit", "{query}: {found}");
    }
}

#[test]
fn lists_of_results_are_bounded() {
    assert_eq!(run("range(200000)", json!(1), "list").unwrap_err().0, "json.limit");
}

#[test]
fn hostile_queries_do_not_end_the_process() {
    for query in [
        "(".repeat(8_000) + &")".repeat(8_000),
        "[".repeat(8_000) + &"]".repeat(8_000),
        "-".repeat(16_000) + "1",
        "1".to_owned() + &"+1".repeat(8_000),
        ".".to_owned() + &"|.".repeat(8_000),
        ".".to_owned() + &".[]".repeat(5_000),
        "1 as $x|".repeat(1_900) + ".",
        "if 1 then ".repeat(1_500),
        "def f: ".repeat(2_000),
        "try ".repeat(4_000) + ".",
        "\"\\(".repeat(5_000),
        "(1,2)|".repeat(2_500) + ".",
        "\"[\" * 10000000 | fromjson".to_owned(),
        "[range(100000) | 0] as $p | setpath($p; 1)".to_owned(),
        "[range(50000) | \"(\"] | add | test(.)".to_owned(),
    ] {
        // Any result is fine, as long as there is one.
        code(&query, json!(1));
    }
}

#[test]
fn answers_of_people_are_a_variable() {
    let mut harness = NodeHarness::new();
    for answer in ["Yes", "No"] {
        harness.answers.push(Arc::new(PersonAnswer {
            node: "ask".into(),
            question: "Go on?".to_owned(),
            answer: Arc::new(json!(answer)),
            origins: Origins::NONE,
        }));
    }
    for (query, result) in [
        ("[.x, $hitl_history[].answer]", json!([1, "Yes", "No"])),
        ("$hitl_history | length", json!(2)),
        ("$hitl_history[-1] | {node, question}", json!({ "node": "ask", "question": "Go on?" })),
    ] {
        let run = harness.run("json", json!({ "query": query }), &[("value", json!({ "x": 1 }))]);
        assert_eq!(run.output("result"), Some(&result), "{query}: {:?}", run.result);
    }
    assert_eq!(first("$hitl_history", json!(null)), json!([]), "outside of loops");
}
