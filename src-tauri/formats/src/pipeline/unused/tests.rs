use std::fmt::Write as _;

use crate::pipeline::{Pipeline, scaffold};
use plait_core::diagnostic::Severity;

/// The line of each warning with its message, as `plait check` shows them.
fn warnings(text: &str) -> String {
    let pipeline = Pipeline::read(text).unwrap_or_else(|errors| panic!("{errors:#?}"));
    let checked = plait_run::plan::check(&pipeline.flow, &plait_nodes::registry()).diagnostics;
    let mut shown = String::new();
    for found in
        checked.iter().chain(&pipeline.warnings).filter(|found| found.code.as_str() != "loop.no_exit")
    {
        assert_eq!(found.severity, Severity::Warning, "{found:?}");
        let (line, _) = pipeline.places.line_and_column(text, &found.pointer);
        let _ = writeln!(shown, "{line}: {}", found.message);
    }
    shown
}

fn in_loop(settings: &str, body: &str) -> String {
    format!(
        "version: \"0.1\"\nsteps:\n  - kind: loop\n    name: l\n    loop:\n{settings}      body:\n        - {{kind: step, \
         name: a{body}}}\n"
    )
}

#[test]
fn settings_of_seed_cases_are_reported_at_their_lines() {
    let ratio =
        "      conversation: true\n      history_management: {strategy: summarize, summarize_ratio: 1.5}\n";
    assert_eq!(
        warnings(&in_loop(ratio, "")),
        "7: `summarize_ratio` has no effect: 1.5 is not between 0 and 1, so 0.5 counts.\n"
    );
    let turns =
        "      conversation: true\n      history_management: {strategy: truncate_tokens, max_turns: 3}\n";
    assert_eq!(
        warnings(&in_loop(turns, "")),
        "7: `max_turns` has no effect: the strategy `truncate_tokens` does not use it.\n"
    );
    let none = "      history_management: {strategy: truncate_turns, max_turns: 3}\n      ai_turn_source: all_agents\n";
    assert_eq!(
        warnings(&in_loop(none, ", use_history: true")),
        "6: `history_management` has no effect: the loop has no conversation.\n\
         7: `ai_turn_source` has no effect: the loop has no conversation.\n\
         9: `use_history` has no effect: the node is in no loop with `conversation: true`.\n"
    );
}

#[test]
fn parts_that_the_flow_does_not_show_are_reported() {
    let text = r#"version: "0.1"
agents:
  nobody: {model: echo}
  sums: {model: echo, tools: auto, mcp_servers: [files]}
steps:
  - kind: loop
    name: l
    loop:
      kind: times
      times: 2
      items: [1]
      conversation: true
      history_management: {strategy: summarize, summarizer_agent: sums}
      body:
        - {kind: step, name: a, prompt: "Hello", config: {prompt: "Other"}}
layout:
  gone: {x: 1, y: 2}
frames:
  f: {title: Both, nodes: [a, lost], x: 1, y: 2, width: 3, height: 4}
"#;
    assert_eq!(
        warnings(text),
        "11: `items` has no effect: it counts for `kind: forEach` only.\n\
         15: `prompt` has no effect: `prompt` of the step takes its place.\n\
         3: `nobody` has no effect: no step and no loop names it.\n\
         4: `tools` has no effect: the agent only writes summaries.\n\
         4: `mcp_servers` has no effect: the agent only writes summaries.\n\
         17: `gone` has no effect: there is no step of this name.\n\
         19: `lost` has no effect: no step becomes a node of this name.\n"
            .lines()
            .collect::<Vec<_>>()
            .join("\n")
            + "\n"
    );
}

#[test]
fn pipelines_whose_settings_all_act_have_no_warning() {
    for text in [
        scaffold(true),
        scaffold(false),
        include_str!("../../../../../tests/fixtures/pipelines/minimal.yaml"),
        include_str!("../../../../../tests/fixtures/pipelines/review.yaml"),
    ] {
        assert_eq!(warnings(text), "", "{text}");
    }
}

#[test]
fn messages_say_the_words_to_write() {
    let problem = |text: &str| {
        let found = &Pipeline::read(text).unwrap_err()[0];
        format!("{} {}", found.diagnostic.message, found.diagnostic.hint.clone().unwrap_or_default())
    };
    let yes = in_loop("      conversation: yes\n", "");
    assert!(problem(&yes).ends_with("expected a boolean. Write `true`."), "{}", problem(&yes));
    let off = in_loop("", ", use_history: off");
    assert!(problem(&off).ends_with("Write `false`."), "{}", problem(&off));
    let number = in_loop("      max_iterations: \"3\"\n", "");
    assert!(problem(&number).ends_with("Write 3 without quotes."), "{}", problem(&number));
    let text = in_loop("", ", prompt: 12");
    assert!(problem(&text).ends_with("Put it in quotes: `\"12\"`."), "{}", problem(&text));
    for (unquoted, quoted) in [
        ("{{previous}}", "`\"{{previous}}\"`"),
        ("{{previous}}: more", "`\"{{previous}}: more\"`"),
        ("{{#if previous}}x{{/if}}", "`\"{{#if previous}}x{{/if}}\"`"),
    ] {
        let text = format!("version: \"0.1\"\nsteps:\n  - kind: step\n    name: a\n    prompt: {unquoted}\n");
        let found = problem(&text);
        assert!(found.starts_with("Without quotes, `{{` begins a mapping"), "{found}");
        assert!(found.ends_with(&format!("Put the whole text in quotes: {quoted}.")), "{found}");
    }
}

#[test]
fn unknown_settings_of_the_flow_are_refused_at_every_level() {
    let text = "version: \"0.1\"\nsteps:\n  - {kind: step, name: a}\nsettings:\n  maxConcurency: 3\n  memory: {recent_turns: 3}\n  limits: {max_runs: 3}\n";
    let found = Pipeline::read(text).unwrap_err();
    let found: Vec<_> = found.iter().map(|found| (found.diagnostic.code.as_str(), found.line)).collect();
    assert_eq!(
        found,
        [("pipeline.unknown_key", 5), ("pipeline.unknown_key", 6), ("pipeline.unknown_key", 7)]
    );
}
