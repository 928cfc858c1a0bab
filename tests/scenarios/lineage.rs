//! `plait lens from` and `plait lens to`: a wrong number leads back to the line of the file that it stands in.

use serde_json::{Value, json};

use crate::support::binary::Home;
use crate::support::folder::{FlowFolder, flow_json};
use crate::support::server::{ModelServer, ServerReply};

/// How many texts are made of one another between the two chats.
const TEXTS: usize = 25;
/// The line of the file on which the wrong number stands.
const PLANTED_LINE: usize = 17;
/// How many choices a person may need.
const MAX_CHOICES: usize = 3;

/// A file goes line by line through a loop, a sub-flow, a chat, a cycle and many texts to a second chat of the same conversation.
fn report() -> Value {
    let mut nodes = json!({
        "read": { "type": "readFile", "config": { "path": "prices.txt" } },
        "lines": { "type": "json", "config": { "query": "split(\"\\n\") | map(select(. != \"\"))" } },
        "each": { "type": "loop", "config": { "kind": "forEach" } },
        "item": { "type": "text", "parent": "each", "config": { "template": "Item {{number}} is {{line}}" } },
        "table": { "type": "text", "config": { "template": "Prices:\n{{#each rows}}- {{this}}\n{{/each}}" } },
        "sub": { "type": "subflow", "config": { "file": "child.flow.json", "inputSource": "nodeOutput" } },
        "start": { "type": "contextStart", "config": { "provider": "openai", "model": "gpt-4o",
            "systemInstructions": "Be brief." } },
        "chat": { "type": "chat", "config": { "prompt": "Summarize: {{message}}" } },
        "turn": { "type": "json", "config": { "query": "." }, "limits": { "maxEpochs": 9 } },
        "wrap": { "type": "text", "config": { "template": "{{x}}!" } },
        "again": { "type": "switch", "config": {
            "cases": [{ "name": "more", "when": "!value.endsWith('!!!')" }] } },
        "check": { "type": "chat" },
        "out": { "type": "output" },
    });
    let mut edges: Vec<String> = [
        "read.text -> lines.value",
        "lines.result -> each.items",
        "each.item -> item.line",
        "each.index -> item.number",
        "item.text -> each.next",
        "each.results -> table.rows",
        "table.text -> sub.value",
        "sub.text -> chat.message",
        "start.context -> chat.context",
        "chat.response -> turn.value",
        "turn.result -> wrap.x",
        "wrap.text -> again.value",
        "again.more -> turn.value",
        "again.default -> text0.x",
        "chat.context -> check.context",
        "check.response -> out.value",
    ]
    .map(str::to_owned)
    .into();
    for number in 0..TEXTS {
        nodes[format!("text{number}")] =
            json!({ "type": "text", "config": { "template": format!("({number}) {{{{x}}}}") } });
        let next = number + 1;
        let target = if next == TEXTS { "check.message".to_owned() } else { format!("text{next}.x") };
        edges.push(format!("text{number}.text -> {target}"));
    }
    flow_json("report", nodes, &edges.iter().map(String::as_str).collect::<Vec<_>>())
}

fn child() -> Value {
    flow_json(
        "child",
        json!({
            "in": { "type": "manualInput" },
            "framed": { "type": "text", "config": { "template": "== {{table}} ==" } },
            "out": { "type": "output" },
        }),
        &["in.value -> framed.table", "framed.text -> out.value"],
    )
}

struct Report {
    _folder: FlowFolder,
    home: Home,
}

impl Report {
    async fn run() -> Self {
        let server =
            ModelServer::start(|_, _| ServerReply::Text("The tea costs 4711 euros.".to_owned())).await;
        let folder =
            FlowFolder::with_files(&[("report.flow.json", &report()), ("child.flow.json", &child())]);
        let lines = (1..=20).map(|line| match line {
            PLANTED_LINE => "tea 4711\n".to_owned(),
            _ => format!("cup {}\n", 100 + line),
        });
        std::fs::write(folder.path().join("prices.txt"), lines.collect::<String>()).unwrap();
        let home = Home::default();
        home.set_provider_url(&server.url).await;
        let run = home.plait(&["run", &folder.file("report.flow.json"), "--allow", "folder=*"]);
        assert_eq!(run.code, 0, "{run:#?}");
        Self { _folder: folder, home }
    }

    fn follow(&self, verb: &str, run: &str, place: &str, text: &str, occurrence: usize) -> Value {
        let occurrence = occurrence.to_string();
        let args = ["lens", verb, run, place, "--text", text, "--occurrence", &occurrence, "--json"];
        let output = self.home.plait(&args);
        assert_eq!(output.code, 0, "{args:?}: {output:#?}");
        serde_json::from_str(&output.out).unwrap()
    }
}

fn spot(step: &Value) -> String {
    let spot = serde_json::from_value::<plait_insight::lineage::LineageSpot>(step["spot"].clone()).unwrap();
    spot.to_string()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn wrong_number_leads_to_its_file_and_line() {
    assert!(report()["nodes"].as_object().unwrap().len() + 3 >= 40);
    let report = Report::run().await;
    let mut chain = report.follow("from", "last", "out#2.value", "4711", 1);
    let mut places: Vec<String> = Vec::new();
    let mut choices = 0;
    while let Some(chosen) = chain["choices"].as_array().unwrap().last() {
        choices += 1;
        assert!(choices <= MAX_CHOICES, "{places:#?}");
        assert_eq!((&chosen["text"], &chosen["certainty"]), (&json!("4711"), &json!("sameText")), "{chosen}");
        places.extend(chain["steps"].as_array().unwrap().iter().map(spot));
        chain = report.follow("from", chosen["run"].as_str().unwrap(), &spot(chosen), "4711", 1);
    }
    let steps = chain["steps"].as_array().unwrap();
    places.extend(steps.iter().map(spot));
    let last = steps.last().unwrap();
    let file = json!({ "kind": "file", "path": "prices.txt", "line": PLANTED_LINE });
    assert_eq!((&last["text"], &last["source"]), (&json!("4711"), &file), "{places:#?} {chain:#}");
    for place in
        ["check#2:reply.1", "text3#2.text", "again#2.default", "chat:reply.1", "framed.text", "item#16.text"]
    {
        assert!(places.iter().any(|known| known == place), "{place} {places:#?}");
    }
    for step in steps {
        assert_eq!(step["text"], json!("4711"), "{step}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn number_in_a_file_leads_forth_to_the_prompt() {
    let report = Report::run().await;
    let mut chain = report.follow("to", "last", "read.text", "4711", 1);
    let mut places: Vec<String> = Vec::new();
    for _ in 0..MAX_CHOICES {
        places.extend(chain["steps"].as_array().unwrap().iter().map(spot));
        let Some(chosen) = chain["choices"].as_array().unwrap().last() else { break };
        chain = report.follow("to", chosen["run"].as_str().unwrap(), &spot(chosen), "4711", 1);
    }
    for place in ["lines:in.value", "lines.result", "each#16.item", "item#16.text", "framed.text", "sub.text"]
    {
        assert!(places.iter().any(|known| known == place), "{place} {places:#?} {chain:#}");
    }
}

#[test]
fn places_and_texts_that_are_not_there_are_errors() {
    let folder = FlowFolder::with_files(&[("child.flow.json", &child())]);
    let home = Home::default();
    assert_eq!(home.plait(&["run", &folder.file("child.flow.json"), "--input", "tea 12"]).code, 0);
    for (place, text, code) in [
        ("nowhere", "tea", "lens.bad_place"),
        ("nobody.text", "tea", "lens.no_place"),
        ("framed.nothing", "tea", "lens.no_place"),
        ("framed:reply.1", "tea", "lens.no_place"),
        ("framed.text", "coffee", "lens.no_text"),
    ] {
        let output = home.plait(&["lens", "from", "last", place, "--text", text]);
        assert!(output.code != 0 && output.err.contains(code), "{place}: {output:#?}");
    }
    let output = home.plait(&["lens", "from", "last", "framed.text", "--text", "tea"]);
    assert_eq!(output.code, 0, "{output:#?}");
    let expected =
        "framed.text: tea\nframed:in.table: tea\nin.value: tea\ninput: tea  ← given when the run started\n";
    assert_eq!(output.out, expected);
    let output = home.plait(&["lens", "from", "last", "framed.text", "--text", "=="]);
    assert_eq!(output.out, "framed.text: ==  ← setting `/template` of `framed`\n");
    let output = home.plait(&["lens", "to", "last", "input", "--text", "12"]);
    assert!(output.out.ends_with("out.value: 12\nIt went nowhere else.\n"), "{output:#?}");
}
