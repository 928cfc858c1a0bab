//! Expressions that would never end, or take all memory, end with a coded error, and so do the commands that check them.
//! Each is run by the real binary, which evaluates it in a worker process.

use std::process::Stdio;

use serde_json::{Map, Value, json};

use crate::support::binary::{CliOutput, Home};

/// A flow of one node fed by a value.
fn flow(node: &str, config: &Value, input: &str, value: &Value) -> Value {
    json!({
        "version": 1,
        "nodes": {
            "value": { "type": "value", "config": { "value": value } },
            "node": { "type": node, "config": config },
        },
        "edges": {
            "e": { "source": "value", "sourceOutput": "value", "target": "node", "targetInput": input },
        },
    })
}

fn run(flow: &Value) -> CliOutput {
    let home = Home::default();
    let path = home.file("bounded.flow.json", &flow.to_string());
    home.plait(&["run", &path])
}

fn assert_fails(output: &CliOutput, codes: &[&str]) {
    assert_eq!(output.code, 1, "{output:#?}");
    assert!(
        codes.iter().any(|code| output.err.contains(&format!("error[{code}]"))),
        "{codes:?}: {output:#?}"
    );
}

fn assert_condition_fails(condition: &str, value: &Value) {
    let config = json!({ "cases": [{ "name": "yes", "when": condition }] });
    assert_fails(&run(&flow("switch", &config, "value", value)), &["expression.limit", "switch.too_much"]);
}

#[test]
fn condition_with_nested_loops_over_literals_ends() {
    let mut condition = "true".to_owned();
    for name in ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"] {
        condition = format!("[1,2,3,4,5,6,7,8].all({name}, {condition})");
    }
    assert_condition_fails(&condition, &json!(1));
}

#[test]
fn condition_that_doubles_a_text_ends() {
    let doubling = ".map(x, x + x)".repeat(40);
    assert_condition_fails(&format!("['0123456789']{doubling}.size() == 0"), &json!(1));
}

#[test]
fn condition_that_doubles_a_list_and_walks_it_ends() {
    let doubling = ".map(x, x + x)".repeat(40);
    assert_condition_fails(&format!("[[1, 2]]{doubling}[0].all(x, x > 0)"), &json!(1));
}

#[test]
fn queries_whose_steps_the_budget_does_not_see_end() {
    // A value that shares its halves is small in memory and has 2⁴⁰ parts.
    let shared = format!("[1] | {}", vec!["[., .]"; 40].join(" | "));
    for query in [
        format!("{shared} | tojson"),
        format!("({shared}) as $a | ({shared}) as $b | $a == $b"),
        format!("({shared}) as $a | [$a, $a] | sort"),
        format!("({shared}) as $a | [$a, $a] | group_by(.)"),
        format!("({shared}) as $a | [$a, $a] | unique"),
        format!("{shared} | flatten | length"),
    ] {
        let output = run(&flow("json", &json!({ "query": query }), "value", &json!(1)));
        assert_fails(&output, &["expression.limit", "json.limit"]);
    }
}

#[test]
fn query_that_slices_a_long_text_at_each_step_ends() {
    let query = "[range(400000)] as $all | reduce $all[] as $i (.; .[1:]) | length";
    let output = run(&flow("json", &json!({ "query": query }), "value", &json!("x".repeat(2_000_000))));
    assert_fails(&output, &["expression.limit", "json.limit"]);
}

#[test]
fn template_that_joins_with_a_long_separator_ends() {
    let list: Vec<u8> = vec![1; 200_000];
    let nodes = json!({
        "version": 1,
        "nodes": {
            "l": { "type": "value", "config": { "value": list } },
            "b": { "type": "value", "config": { "value": "y".repeat(1_000_000) } },
            "text": { "type": "text", "config": { "template": "{{len (join l b)}}" } },
        },
        "edges": {
            "l": { "source": "l", "sourceOutput": "value", "target": "text", "targetInput": "l" },
            "b": { "source": "b", "sourceOutput": "value", "target": "text", "targetInput": "b" },
        },
    });
    assert_fails(&run(&nodes), &["expression.limit", "template.render", "template.too_large"]);
}

#[test]
fn template_that_compares_large_values_in_each_iteration_ends() {
    let large = json!({ "list": vec![1; 90_000], "text": vec!["z".repeat(100); 20_000] });
    let template = "{{#each in.list}}{{#if (eq ../in.text ../in.text)}}.{{/if}}{{/each}}";
    let output = run(&flow("text", &json!({ "template": template }), "in", &large));
    assert_fails(&output, &["expression.limit"]);
    assert!(output.err.contains("it takes too long"), "{output:#?}");
}

/// Levels of definitions. Each refers to the next one twice.
fn doubling_schema(levels: usize) -> Value {
    let mut definitions = Map::from_iter([("0".to_owned(), json!({ "type": "string" }))]);
    for level in 1..=levels {
        let below = json!({ "$ref": format!("#/$defs/{}", level - 1) });
        definitions.insert(level.to_string(), json!({ "allOf": [below, below] }));
    }
    json!({ "$defs": definitions, "$ref": format!("#/$defs/{levels}") })
}

#[test]
fn schema_of_forty_doubling_levels_is_refused() {
    let asks = json!({ "version": 1, "nodes": { "ask": { "type": "userInput", "config": { "schema": doubling_schema(40) } } }, "edges": {} });
    let home = Home::default();
    let path = home.file("ask.flow.json", &asks.to_string());
    let output = home.plait(&["check", &path]);
    assert_eq!(output.code, 2, "{output:#?}");
    assert!(output.err.contains("too many steps"), "{output:#?}");
    let output = home.plait(&["run", &path, "--answer", "yes"]);
    assert_eq!(output.code, 2, "{output:#?}");
}

#[test]
fn schema_of_five_thousand_patterns_is_refused_by_check() {
    let patterns: Map<_, _> =
        (0..5_000).map(|n| (format!("p{n}"), json!({ "pattern": format!("^(a{{{n}}}|b)+$") }))).collect();
    let schema = json!({ "type": "object", "properties": patterns });
    let asks = json!({ "version": 1, "nodes": { "ask": { "type": "userInput", "config": { "schema": schema } } }, "edges": {} });
    let home = Home::default();
    let output = home.plait(&["check", &home.file("ask.flow.json", &asks.to_string())]);
    assert_eq!(output.code, 2, "{output:#?}");
    assert!(output.err.contains("5000 patterns"), "{output:#?}");
}

#[test]
fn error_port_receives_the_limit_and_the_run_goes_on() {
    let doubling = ".map(x, x + x)".repeat(40);
    let mut flow = flow(
        "switch",
        &json!({ "cases": [{ "name": "yes", "when": format!("['0123456789']{doubling}.size() == 0") }] }),
        "value",
        &json!(1),
    );
    flow["nodes"]["after"] = json!({ "type": "catch", "config": { "template": "{{code}}" } });
    flow["nodes"]["result"] = json!({ "type": "output" });
    flow["edges"]["caught"] =
        json!({ "source": "node", "sourceOutput": "error", "target": "after", "targetInput": "error" });
    flow["edges"]["out"] =
        json!({ "source": "after", "sourceOutput": "result", "target": "result", "targetInput": "value" });
    let output = run(&flow);
    assert_eq!(output.code, 0, "{output:#?}");
    assert!(output.out.contains("expression.limit"), "{output:#?}");
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_an_expression_and_its_worker() {
    // Memory stays small, so that only the time limit or Ctrl+C ends it.
    let shared = format!("[1] | {}", vec!["[., .]"; 40].join(" | "));
    let query = format!("({shared}) as $a | ({shared}) as $b | $a == $b");
    let flow = flow("json", &json!({ "query": query }), "value", &json!(1));
    let home = Home::default();
    let path = home.file("endless.flow.json", &flow.to_string());
    let mut child = home.command(&["run", &path, "--json"]).stderr(Stdio::null()).spawn().unwrap();
    let mut lines = std::io::BufRead::lines(std::io::BufReader::new(child.stdout.take().unwrap()));
    let started = |line: &str| line.contains("\"node.started\"") && line.contains("\"node\":\"node\"");
    assert!(lines.by_ref().map_while(Result::ok).any(|line| started(&line)));
    let interrupt = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(interrupt.unwrap().success());
    let ends: Vec<String> = lines.map_while(Result::ok).collect();
    assert_eq!(child.wait().unwrap().code(), Some(130), "{ends:#?}");
    assert!(ends.iter().any(|line| line.contains("\"run.cancelled\"")), "{ends:#?}");
}
