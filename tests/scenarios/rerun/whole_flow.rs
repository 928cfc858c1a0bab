//! One flow of 30 nodes, with a loop, a sub-flow and a cycle of chats, through the binary: what an edit buys, and what the bill said
//! before.

use serde_json::{Value, json};

use crate::support::binary::Home;
use crate::support::folder::{FlowFolder, flow_json};
use crate::support::server::{ModelServer, ServerReply, last_message_text};

/// What is edited of the flow.
#[derive(Default)]
struct Edit {
    renamed: bool,
    inserted: bool,
    wrapped: bool,
}

/// A chat with a ceiling. One that `is_alone` is sent its prompt without what was said before.
fn chat(prompt: &str, is_alone: bool) -> Value {
    json!({ "type": "chat", "config": { "prompt": prompt, "maxTokens": 50, "skipHistory": is_alone } })
}

fn text(template: &str) -> Value {
    json!({ "type": "text", "config": { "template": template } })
}

fn child() -> Value {
    let nodes = json!({
        "main": { "type": "contextStart", "config": { "provider": "openai", "model": "gpt-4o" } },
        "text": { "type": "manualInput" },
        "review": chat("review {{text}}", true),
        "result": { "type": "output" },
    });
    let edges =
        ["main.context -> review.context", "text.value -> review.text", "review.response -> result.value"];
    flow_json("child", nodes, &edges)
}

fn parent(edit: &Edit) -> Value {
    let items = (0..20).map(|item| format!("item {item}"));
    let items: Vec<String> = edit.inserted.then(|| "new".to_owned()).into_iter().chain(items).collect();
    let context = |id: &str| json!({ "type": "contextStart", "config": { "provider": "openai", "model": "gpt-4o", "contextId": id } });
    let in_loop = |mut node: Value, around: &str| {
        node["parent"] = around.into();
        node
    };
    let sub =
        json!({ "type": "subflow", "config": { "file": "child.flow.json", "inputSource": "nodeOutput" } });
    let about = if edit.renamed { "renamed" } else { "about" };
    let mut nodes = json!({
        "items": { "type": "value", "config": { "value": items } },
        "each": { "type": "loop", "config": { "kind": "forEach", "concurrency": 3 } },
        "ofEach": context("each"),
        "trim": in_loop(text("{{item}}"), "each"),
        about: in_loop(chat("about {{item}}", true), "each"),
        "word": { "type": "value", "config": { "value": "tea" } },
        "sub": sub,
        "product": { "type": "value", "config": { "value": "umbrellas" } },
        "writer": context("writer"),
        "draft": chat("{{#if critique}}Improve it: {{critique}}{{else}}Write about {{product}}{{/if}}", false),
        "desk": { "type": "newContext" },
        "critic": chat("Judge: {{slogan}}", false),
        "verdict": { "type": "switch", "config": { "cases": [{ "name": "good", "when": "value.startsWith(\"GOOD\")" }] } },
        "remark": { "type": "output" },
        "ofChain": context("chain"),
        "joined": text("{{#if chain}}done{{/if}}"),
        "ofLast": context("last"),
        "last": chat("{{reviewed}} {{joined}}{{#if all}}{{/if}}", true),
        "framed": text("[{{last}}]"),
        "answer": { "type": "output" },
        "other": { "type": "output" },
    });
    let mut edges: Vec<String> = [
        "items.value -> each.items",
        "each.item -> trim.item",
        &format!("trim.text -> {about}.item"),
        &format!("ofEach.context -> {about}.context"),
        &format!("{about}.response -> each.next"),
        "word.value -> sub.value",
        "product.value -> draft.product",
        "writer.context -> draft.context",
        "writer.context -> desk.context",
        "desk.context -> critic.context",
        "draft.response -> critic.slogan",
        "critic.response -> verdict.value",
        "verdict.default -> draft.critique",
        "verdict.good -> remark.value",
        "joined.text -> other.value",
        "ofLast.context -> last.context",
        "sub.text -> last.reviewed",
        "joined.text -> last.joined",
        "each.results -> last.all",
        "last.response -> framed.last",
        "framed.text -> answer.value",
    ]
    .map(str::to_owned)
    .to_vec();
    nodes["critic"]["limits"] = json!({ "maxEpochs": 5 });
    for at in 0..5 {
        let name = format!("c{at}");
        let prompt = if at == 0 { "begin" } else { "go on: {{before}}" };
        let step = chat(prompt, true);
        nodes[&name] = if edit.wrapped { in_loop(step, "around") } else { step };
        edges.push(format!("ofChain.context -> {name}.context"));
        if at > 0 {
            edges.push(format!("c{}.response -> {name}.before", at - 1));
        }
    }
    if edit.wrapped {
        nodes["around"] = json!({ "type": "loop", "config": { "kind": "times", "times": 1 } });
        edges.extend(["c4.response -> around.next".to_owned(), "around.results -> joined.chain".to_owned()]);
    } else {
        edges.push("c4.response -> joined.chain".to_owned());
    }
    let edges: Vec<&str> = edges.iter().map(String::as_str).collect();
    flow_json("parent", nodes, &edges)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn thirty_nodes_are_edited_and_the_bill_says_what_is_bought() {
    // No two replies are the same, but those of the cycle, which has to end.
    let server = ModelServer::start(|request, before| {
        let text = last_message_text(request);
        ServerReply::Text(match text.split_once(' ') {
            Some(("Write", _)) => "first slogan".to_owned(),
            Some(("Improve", _)) => "better slogan".to_owned(),
            Some(("Judge:", "first slogan")) => "BAD: dull".to_owned(),
            Some(("Judge:", _)) => "GOOD: sunny".to_owned(),
            _ => format!("{before}: {text}"),
        })
    })
    .await;
    let home = Home::default();
    home.set_provider_url(&server.url).await;
    let nodes = |flow: &Value| flow["nodes"].as_object().unwrap().len();
    let flow = parent(&Edit::default());
    assert_eq!(nodes(&flow) + nodes(&child()), 30);
    let folder = FlowFolder::with_files(&[("parent.flow.json", &flow), ("child.flow.json", &child())]);
    let file = folder.file("parent.flow.json");
    let run = home.plait(&["run", &file, "--json"]);
    assert_eq!((run.code, server.calls().len()), (0, 31), "{run:#?}");
    let id = run.events()[0]["run"].as_str().unwrap().to_owned();
    let outputs = run.events().pop().unwrap()["outputs"].clone();

    for (edit, bought, behind) in [
        (Edit { renamed: true, ..Edit::default() }, 0, vec![]),
        // Nobody knows before that the number of items alone counts.
        (Edit { inserted: true, ..Edit::default() }, 1, vec!["last"]),
        (Edit { wrapped: true, ..Edit::default() }, 0, vec![]),
    ] {
        folder.write("parent.flow.json", &parent(&edit));
        let before = server.calls().len();
        let bill = home.plait(&["rerun", &id, "--flow", &file, "--bill", "--json"]);
        assert_eq!((bill.code, server.calls().len()), (0, before), "a bill buys nothing: {bill:#?}");
        let bill: Value = serde_json::from_str(&bill.out).unwrap();
        assert_eq!(bill["bought"].as_array().unwrap().len(), bought, "{bill:#}");
        let named: Vec<&str> =
            bill["behind"].as_array().unwrap().iter().map(|node| node["node"].as_str().unwrap()).collect();
        assert_eq!((named, &bill["unknown"]), (behind, &json!(0)), "{bill:#}");
        assert_eq!(bill["reused"]["calls"], if bought == 0 { 31 } else { 30 }, "{bill:#}");

        let again = home.plait(&["rerun", &id, "--flow", &file, "--yes", "--json"]);
        assert_eq!((again.code, server.calls().len() - before), (0, bought), "{again:#?}");
        assert_eq!(again.events().pop().unwrap()["outputs"], outputs);
    }
    assert_eq!(last_message_text(server.calls().last().unwrap()), "about new");
}
