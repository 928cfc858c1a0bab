use std::fmt::Write as _;

use super::*;

/// `code line:column message` of each problem.
pub(super) fn problems(text: &str) -> String {
    let mut found = String::new();
    for ReadError { diagnostic, line, column } in Pipeline::read(text).unwrap_err() {
        let hint = diagnostic.hint.unwrap_or_default();
        let _ = writeln!(found, "{line}:{column} {} {} {hint}", diagnostic.code, diagnostic.message);
    }
    found
}

/// The first problem without its message: `code line:column`.
pub(super) fn place(text: &str) -> String {
    let found = Pipeline::read(text).unwrap_err();
    format!("{} {}:{}", found[0].diagnostic.code, found[0].line, found[0].column)
}

/// A pipeline of these lines in `steps`.
pub(super) fn with_steps(steps: &str) -> String {
    format!("version: \"0.1\"\nsteps:\n{steps}")
}

#[test]
fn yaml_errors_have_a_code_and_a_place() {
    let texts = [
        "",
        "# only a comment\n",
        "version: \"0.1\"\nsteps:\n\t- kind: step\n",
        "a: 1\nb: 2\na: 3\n",
        "version: [\n",
        "a: &x 1\n",
        "a: *x\n",
        "a: !secret x\n",
        "a: 1\n---\nb: 2\n",
        "[a, b]: 1\n",
        "a: 123456789012345678901234567890\n",
        "a: .inf\n",
        "- a\n",
        "é: \"ü\" x\n",
    ];
    let found: Vec<String> = texts.iter().map(|text| format!("{text:?} {}", problems(text))).collect();
    let found = found.concat();
    insta::assert_snapshot!(found);
}

#[test]
fn anchor_bomb_and_deep_nesting_end_at_once() {
    let mut bomb = "a0: &a0 [x, x]\n".to_owned();
    for level in 1..40 {
        let _ = writeln!(bomb, "a{level}: &a{level} [*a{0}, *a{0}]", level - 1);
    }
    assert_eq!(place(&bomb), "pipeline.anchor 1:9");
    for deep in ["[".repeat(100_000), "{a: ".repeat(100_000), "- ".repeat(100_000)] {
        assert!(place(&deep).starts_with("pipeline.not_yaml 1:"), "{}", place(&deep));
    }
    let many = format!("a: [{}]", "1,".repeat(300_000));
    assert!(place(&many).starts_with("flow.too_large 1:"));
    assert_eq!(place(&"#".repeat(5 << 20)), "flow.too_large 1:1");
}

#[test]
fn every_problem_of_the_format_is_found_at_its_place() {
    let text = r#"version: "2.0"
nmae: Typo
agents:
  writer:
    temprature: 1
    max_tokens: 0
steps:
  - kind: step
    name: draft
    agent: wirter
  - kind: stepp
    name: x
  - kind: step
  - name: y
  - kind: step
    name: draft
    prompt: 5
  - kind: step
    name: "a b"
  - kind: step
    name: input
  - kind: hitl
    name: ask
    promt: "?"
  - kind: parallel
    name: p
    branches:
      one:
        - kind: step
          name: q
  - kind: loop
    name: empty
    loop:
      kind: whlie
      body: []
  - just a text
"#;
    insta::assert_snapshot!(problems(text));
}

#[test]
fn names_in_loops_are_checked() {
    let text = with_steps(
        r"  - kind: step
    name: before
  - kind: loop
    name: talk
    loop:
      conversation: true
      ai_turn_source: named_steps
      named_steps: [clarify, finalise, before]
      user_turn_sources: [hitl, clarify, ask, nobody]
      history_management:
        strategy: summarize
        summarizer_agent: nobody
      body:
        - kind: step
          name: clarify
        - kind: hitl
          name: ask
        - kind: step
          name: finalize
",
    );
    insta::assert_snapshot!(problems(&text));
}

#[test]
fn variables_of_prompts_are_what_ran_before() {
    let text = with_steps(
        r#"  - kind: step
    name: first
    prompt: "{{second}}"
  - kind: step
    name: second
    prompt: "{{first}} {{input}} {{previous}} {{index}}"
  - kind: loop
    name: repeat
    loop:
      body:
        - kind: step
          name: inner
          prompt: "{{index}} {{second}} {{item}}"
  - kind: step
    name: last
    prompt: "{{inner}} {{repeat}} {{#if missing}}{{missing}}{{/if}}"
"#,
    );
    insta::assert_snapshot!(problems(&text));
}

#[test]
fn values_follow_the_core_schema() {
    let text = "version: 0.1\nsteps:\n  - kind: step\n    name: 12\n    config: {a: no, b: 012, c: 1e3, d: ~, e: 0x1F, f: -1.5, g: True, h: 1_000, i: 'x', j: +5, k: 2026-11-22, l: , m: 0}\n";
    let flow = Pipeline::read(text).unwrap().flow;
    let config = serde_json::Value::Object(flow.nodes["12"].config.clone());
    let expected = serde_json::json!({
        "a": "no", "b": "012", "c": 1000.0, "d": null, "e": 31, "f": -1.5, "g": true, "h": "1_000", "i": "x", "j": 5,
        "k": "2026-11-22", "l": null, "m": 0,
    });
    assert_eq!(config, expected);
}

#[test]
fn places_of_diagnostics_lead_into_the_text() {
    let text = include_str!("../../../../tests/fixtures/pipelines/review.yaml");
    let pipeline = Pipeline::read(text).unwrap();
    let mut found = String::new();
    for pointer in [
        "/nodes/draft",
        "/nodes/draft/config/prompt",
        "/nodes/tone/config/temperature",
        "/nodes/tone.context/config/model",
        "/nodes/each/config/concurrency",
        "/nodes/each.items",
        "/nodes/polish/config/responseSchema",
        "/nodes/verdict/config/cases/0/when",
        "/nodes/approve/config/schema",
        "/edges/draft.response-tone.draft",
        "/settings/maxConcurrency",
    ] {
        let (line, column) = pipeline.places.line_and_column(text, pointer);
        let _ = writeln!(found, "{pointer} {line}:{column} {:?}", &text[pipeline.places.span(pointer)]);
    }
    insta::assert_snapshot!(found);
}

#[test]
fn schema_describes_every_key_and_accepts_the_fixtures() {
    let schema = schema();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let texts = [
        include_str!("../../../../tests/fixtures/pipelines/minimal.yaml"),
        include_str!("../../../../tests/fixtures/pipelines/named_sources.yaml"),
        include_str!("../../../../tests/fixtures/pipelines/review.yaml"),
        scaffold(false),
        scaffold(true),
        ANSWERS,
    ];
    for text in texts {
        let value = yaml::parse(text).unwrap().to_json();
        let errors: Vec<String> =
            validator.iter_errors(&value).map(|error| format!("{} {error}", error.instance_path())).collect();
        assert_eq!(errors, Vec::<String>::new(), "{text}");
    }
    assert!(
        !validator
            .is_valid(&serde_json::json!({ "version": "0.1", "steps": [{ "kind": "step", "nmae": "x" }] }))
    );
    assert!(!validator.is_valid(&serde_json::json!({ "version": "0.1", "stepz": [] })));
}

#[test]
fn file_names_decide_what_is_a_pipeline() {
    for (name, expected) in
        [("a.yaml", true), ("a.YML", true), ("dir/a.flow.yml", true), ("a.flow.json", false), ("yaml", false)]
    {
        assert_eq!(is_pipeline(Path::new(name)), expected, "{name}");
    }
}

/// The settings of the node types that pipelines pass on, so that a new one is not forgotten.
#[test]
fn every_setting_of_loops_is_a_key() {
    let registry = plait_nodes::registry();
    let descriptor = registry.descriptors().into_iter().find(|node| node.node_type == "loop").unwrap();
    let known = keys::Keys::of::<document::Loop>();
    let settings = descriptor.config_schema["properties"].as_object().unwrap();
    let missing: Vec<_> = settings.keys().filter(|key| !known.names.contains(key)).collect();
    assert!(missing.is_empty(), "{missing:?}");
    let ordered = document::PIPELINE_KEYS.loop_config;
    let unordered: Vec<_> = known.names.iter().filter(|key| !ordered.contains(&key.as_str())).collect();
    assert_eq!(unordered, ["body", "items"], "every other key has its place");
}

#[test]
fn lowered_steps_pass_the_check_of_flows() {
    let registry = plait_nodes::registry();
    let texts = [
        include_str!("../../../../tests/fixtures/pipelines/review.yaml"),
        include_str!("../../../../tests/fixtures/pipelines/minimal.yaml"),
        include_str!("../../../../tests/fixtures/pipelines/named_sources.yaml"),
        scaffold(false),
        scaffold(true),
    ];
    for text in texts {
        let flow = Pipeline::read(text).unwrap().flow;
        let mut found = plait_run::plan::check(&flow, &registry).diagnostics;
        // A loop that only its greatest number of iterations ends is worth a warning.
        found.retain(|found| found.severity == plait_core::diagnostic::Severity::Error);
        let found: Vec<_> =
            found.iter().map(|found| format!("{} {}", found.pointer, found.message)).collect();
        assert_eq!(found, Vec::<String>::new());
    }
}

/// A loop that reads what people answered in all the ways that there are.
const ANSWERS: &str = r#"version: "0.1"
steps:
  - kind: loop
    name: talk
    loop:
      condition: size(hitl_history) < 2 || hitl_history[1].answer != "stop"
      conversation: true
      body:
        - kind: hitl
          name: ask
          prompt: "Asked {{len hitl_history}} times. Go on?"
          pinned: true
        - kind: conditional
          name: route
          condition: size(hitl_history) > 1
          branches:
            "true":
              - kind: step
                name: reply
                prompt: "{{#each hitl_history}}{{this.answer}}{{/each}}"
                pinned: true
            "false":
              - kind: step
                name: greet
"#;

#[test]
fn answers_of_people_are_no_variable_and_pins_are_keys_of_steps() {
    let flow = Pipeline::read(ANSWERS).unwrap().flow;
    let is_pinned =
        |flow: &Flow, node: &str| flow.nodes[&plait_core::id::NodeId::from(node)].config["pinned"] == true;
    assert!(is_pinned(&flow, "ask") && is_pinned(&flow, "reply"));
    assert!(flow.edges.values().all(|edge| edge.target_input.as_str() != "hitl_history"));
    let raised = super::save(None, &flow).unwrap();
    assert!(is_pinned(&Pipeline::read(&raised).unwrap().flow, "reply"), "{raised}");
}
