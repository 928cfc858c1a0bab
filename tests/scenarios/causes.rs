//! `plait diff RUN RUN --why`: of several differences between two runs, those are found that turn the outcome, within the cost that was
//! shown before.

use serde_json::{Value, json};

use crate::support::binary::{CliOutput, Home};
use crate::support::folder::{FlowFolder, flow_json};
use crate::support::server::{ModelServer, ServerReply, last_message_text};

/// A chat with instructions and a prompt, and a chat before it that neither has to do with.
fn flow(instructions: &str, prompt: &str, other: &str, temperature: f64) -> Value {
    flow_json(
        "verdict",
        json!({
            "start": { "type": "contextStart", "config": {
                "provider": "openai", "model": "gpt-4o", "systemInstructions": instructions } },
            "other": { "type": "chat", "config": { "prompt": other, "skipHistory": true, "maxTokens": 50 } },
            "ask": { "type": "chat", "config": {
                "prompt": prompt, "temperature": temperature, "skipHistory": true, "maxTokens": 50 } },
            "done": { "type": "output" },
        }),
        &["start.context -> other.context", "start.context -> ask.context", "ask.response -> done.value"],
    )
}

/// Says no only if its instructions are harsh and the prompt names the cake.
async fn server() -> ModelServer {
    ModelServer::start(|request, _| {
        let says = |text: &str| request.to_string().contains(text);
        let verdict =
            if says("Be harsh.") && last_message_text(request).contains("cake") { "no" } else { "yes" };
        ServerReply::Text(verdict.to_owned())
    })
    .await
}

/// The runs of two flows, the first one's ID and the second one's.
fn two_runs(home: &Home, before: &Value, after: &Value) -> (String, String) {
    let folder = FlowFolder::with_files(&[("before.flow.json", before), ("after.flow.json", after)]);
    let run = |file: &str| {
        let output = home.plait(&["run", &folder.file(file), "--json"]);
        assert_eq!(output.code, 0, "{output:#?}");
        output.events()[0]["run"].as_str().unwrap().to_owned()
    };
    (run("before.flow.json"), run("after.flow.json"))
}

fn why(home: &Home, (before, after): &(String, String), arguments: &[&str]) -> CliOutput {
    home.plait(&[&["diff", before, after, "--why", "--yes"], arguments].concat())
}

fn inquiry(output: &CliOutput) -> Value {
    let state: Value = serde_json::from_str(&output.out).unwrap_or_else(|_| panic!("{output:#?}"));
    state["inquiry"].clone()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_causes_that_only_together_turn_the_outcome_are_found_within_the_cost_shown_before() {
    let server = server().await;
    let home = Home::default();
    home.set_provider_url(&server.url).await;
    let before = flow("Be kind.", "Is tea good?", "One?", 0.5);
    let after = flow("Be harsh.", "Is cake good?", "Two?", 0.1);
    let runs = two_runs(&home, &before, &after);
    let calls = server.calls().len();
    let found = why(&home, &runs, &["--json", "--when", "value == 'no'"]);
    assert_eq!(found.code, 0, "{found:#?}");
    let inquiry = inquiry(&found);
    let swaps = inquiry["swaps"].as_array().unwrap();
    assert_eq!(swaps.len(), 4, "{swaps:#?}");
    let name = |at: &Value| {
        let swap = &swaps[usize::try_from(at.as_u64().unwrap()).unwrap()];
        format!("{}{}", swap["node"].as_str().unwrap(), swap["change"]["pointer"].as_str().unwrap())
    };
    let trials = inquiry["trials"].as_array().unwrap();
    let turned: Vec<&Value> =
        trials.iter().filter(|trial| trial["runs"][0]["flipped"] == json!(true)).collect();
    assert_eq!(turned.len(), 1, "{trials:#?}");
    let mut causes: Vec<String> = turned[0]["swaps"].as_array().unwrap().iter().map(name).collect();
    causes.sort();
    assert_eq!(causes, ["ask/config/prompt", "start/config/systemInstructions"]);
    // Each fork cost no more than was said, and what a fork does not change is not bought again.
    let spent = |trial: &Value| {
        trial["runs"].as_array().unwrap().iter().map(|run| run["nanoUsd"].as_u64().unwrap()).sum::<u64>()
    };
    for trial in trials {
        assert_eq!(trial["unknown"], 0);
        assert!(spent(trial) <= trial["atMostNanoUsd"].as_u64().unwrap(), "{trial:#?}");
    }
    let only_other = trials
        .iter()
        .find(|trial| trial["swaps"].as_array().unwrap().iter().map(name).eq(["other/config/prompt"]));
    assert_eq!(only_other.unwrap()["runs"].as_array().unwrap().len(), 1);
    let bought = server.calls().len() - calls;
    assert!(bought <= 2 * trials.len(), "{bought}");
    let shown = why(&home, &runs, &["--when", "value == 'no'"]);
    assert!(
        shown.out.contains("together with") && shown.out.contains("\"Be kind.\" → \"Be harsh.\""),
        "{shown:#?}"
    );
    assert!(shown.err.contains("4 differences") && shown.err.contains("at most $"), "{shown:#?}");
}

/// Forks that ask a person are answered as the person answered; a question that is new is named.
#[test]
fn forks_that_ask_are_answered_as_before() {
    let home = Home::default();
    let asking = |prompt: &str, template: &str, has_approval: bool| {
        let mut nodes = json!({
            "person": { "type": "userInput", "config": { "prompt": prompt } },
            "text": { "type": "text", "config": { "template": template } },
            "done": { "type": "output" },
        });
        let mut edges = vec!["person.message -> text.value", "text.text -> done.value"];
        if has_approval {
            nodes["approve"] = json!({ "type": "approval", "config": { "prompt": "Send {{value}}?" } });
            edges[1] = "text.text -> approve.value";
            edges.extend(["text.text -> approve.in", "approve.approved -> done.value"]);
        }
        flow_json("asking", nodes, &edges)
    };
    let run = |name: &str, flow: &Value, answers: &[&str]| {
        let file = home.file(name, &flow.to_string());
        let arguments: Vec<&str> = answers.iter().flat_map(|answer| ["--answer", answer]).collect();
        let output = home.plait(&[&["run", &file, "--json"], &arguments[..]].concat());
        assert_eq!(output.code, 0, "{output:#?}");
        output.events()[0]["run"].as_str().unwrap().to_owned()
    };
    let first = run("a.flow.json", &asking("Who?", "Dear {{value}}", false), &["Ada"]);
    let second = run("b.flow.json", &asking("Who is it?", "Hello {{value}}", false), &["Ada"]);
    let found = why(&home, &(first, second), &["--json"]);
    assert_eq!(found.code, 0, "{found:#?}");
    for trial in inquiry(&found)["trials"].as_array().unwrap() {
        for run in trial["runs"].as_array().unwrap() {
            assert!(run["flipped"].is_boolean() && run.get("unanswered").is_none(), "{trial:#}");
        }
    }
    assert!(found.out.contains("/config/template"), "{found:#?}");

    // What was approved was another text.
    let first = run("c.flow.json", &asking("Who?", "Dear {{value}}", true), &["Ada", "yes"]);
    let second = run("d.flow.json", &asking("Who is it?", "Bye {{value}}", true), &["Bob", "yes"]);
    let found = why(&home, &(first, second), &[]);
    assert!(
        found.err.contains("canceled: `approve` asks") && found.err.contains("neither run answers"),
        "{found:#?}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_cause_is_sampled_and_what_tells_no_difference_is_refused() {
    let server = server().await;
    let home = Home::default();
    home.set_provider_url(&server.url).await;
    let before = flow("Be harsh.", "Is tea good?", "One?", 0.5);
    let runs = two_runs(&home, &before, &flow("Be harsh.", "Is cake good?", "Two?", 0.5));
    // Without a condition: the outputs are not those of the first run.
    let found = why(&home, &runs, &["--samples", "3"]);
    assert_eq!(found.code, 0, "{found:#?}");
    assert!(
        found.out.contains("`/config/prompt` of `ask`") && found.out.contains("in 3 of 3 forks"),
        "{found:#?}"
    );
    assert!(found.out.contains("44 to 100 %"), "the interval of Wilson for three of three: {found:#?}");
    let calls = server.calls().len();
    for (arguments, code) in [
        (&["--when", "value != ''"][..], "causes.same_outcome"),
        (&["--when", "tokens"], "causes.no_condition"),
        (&["--when", "nosuch"], "switch.condition"),
    ] {
        let refused = why(&home, &runs, arguments);
        assert!(refused.code != 0 && refused.err.contains(code), "{arguments:?}: {refused:#?}");
    }
    let same = why(&home, &(runs.0.clone(), runs.0.clone()), &[]);
    assert!(same.err.contains("causes.none"), "{same:#?}");
    // Nobody said yes.
    let asked = home.plait(&["diff", &runs.0, &runs.1, "--why"]);
    assert!(asked.err.contains("run.not_confirmed"), "{asked:#?}");
    assert_eq!(server.calls().len(), calls, "nothing was bought");
}
