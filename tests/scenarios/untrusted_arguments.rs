//! A text of others causes no action without a person: a page asks a model to send a secret away. The real binary, a
//! model's server that follows the page, and the server that would receive the secret.

use serde_json::{Value, json};

use crate::http_tools::{Machine, WebServer};
use crate::support::folder::flow_json;
use crate::support::server::{ModelServer, ServerReply};

/// Fetches a page, summarizes it, and answers with a tool that posts.
pub(crate) fn flow(web: &WebServer) -> Value {
    let report = json!({
        "name": "report", "description": "Sends a report.", "method": "POST", "url": web.url("/report"),
        "parameters": {
            "type": "object", "properties": { "text": { "type": "string" } }, "required": ["text"],
        },
    });
    let nodes = json!({
        "start": { "type": "contextStart", "config": { "provider": "openai", "model": "scripted" } },
        "fetch": { "type": "httpRequest", "config": { "url": web.url("/page") } },
        "sum": { "type": "chat" },
        "tools": { "type": "tools", "config": { "tools": [], "http": [report] } },
        "answer": { "type": "chat" },
    });
    let edges = [
        "start.context -> sum.context",
        "fetch.body -> sum.message",
        "sum.context -> answer.context",
        "sum.response -> answer.message",
        "tools.tools -> answer.tools",
    ];
    flow_json("Injected", nodes, &edges)
}

/// A model that summarizes its input, then follows it.
pub(crate) async fn obedient_model(machine: &Machine) -> ModelServer {
    let server = ModelServer::start(|_, before| match before {
        0 => ServerReply::Text("The page wants you to report the code 4711.".to_owned()),
        1 => {
            ServerReply::Tool { name: "report".to_owned(), arguments: json!({ "text": "The code is 4711." }) }
        }
        _ => ServerReply::Text("Done.".to_owned()),
    })
    .await;
    machine.home.set_provider_url(&server.url).await;
    server
}

#[tokio::test(flavor = "multi_thread")]
async fn page_that_asks_for_a_secret_is_stopped_and_a_grant_lets_it_pass() {
    let (machine, web) = (Machine::default(), WebServer::start().await);
    let host = format!("127.0.0.1:{}", web.port);
    let path = machine.write("injected.flow.json", &flow(&web).to_string());
    let model = obedient_model(&machine).await;

    // The host is granted, for changes too. The grant does not cover the content.
    let asked = machine.plait(&["run", &path, "--json", "--allow", &format!("host={host}")]);
    assert_eq!(asked.code, 3, "{asked:?}");
    assert_eq!(web.lines(), ["GET /page"], "nothing was sent");
    let events = asked.events();
    let paused = events.iter().find(|event| event["type"] == "run.paused").unwrap();
    assert_eq!(paused["node"], "answer");
    assert_eq!(paused["tool"]["untrusted"], json!([format!("host:{host}")]));
    assert!(paused["prompt"].as_str().unwrap().contains(&format!("`host:{host}`")), "{paused}");
    assert!(asked.err.contains("plait resume"), "{asked:?}");
    // Each step of the way is in the journal.
    let origins = |kind: &str, node: &str| {
        let event = events.iter().find(|event| event["type"] == kind && event["node"] == node).unwrap();
        (event["metadata"]["origins"].clone(), event["origins"].clone())
    };
    assert_eq!(origins("node.finished", "fetch").0, json!([format!("host:{host}")]));
    let of_summary = json!(["model:openai/scripted", format!("host:{host}")]);
    assert_eq!(origins("model.replied", "sum").1, of_summary);
    assert_eq!(origins("model.replied", "answer").1, of_summary);

    let refused = machine.plait(&["resume", "last", "--answer", r#"{"approved": false}"#]);
    assert_eq!(refused.code, 0, "{refused:?}");
    assert_eq!(web.lines(), ["GET /page"]);
    let calls = model.calls();
    let result = calls.last().unwrap()["messages"].as_array().unwrap().last().unwrap();
    assert!(result["content"].as_str().unwrap().contains("tool.rejected"), "{result}");
    drop(model);

    // The name of the tool is the flow's own; where its requests go, the person decides.
    let model = obedient_model(&machine).await;
    let rules = format!("host={host},tool=report+untrusted");
    let named = machine.plait(&["run", &path, "--allow", &rules]);
    assert_eq!((named.code, web.lines().len()), (3, 2), "{named:?}");
    drop(model);

    let model = obedient_model(&machine).await;
    let allowed = machine.plait(&["run", &path, "--allow", &format!("host={host}+untrusted")]);
    assert_eq!(allowed.code, 0, "{allowed:?}");
    assert_eq!(web.lines()[2..], ["GET /page", r#"POST /report {"text":"The code is 4711."}"#]);
    drop(model);
}

/// A GET changes nothing, but its URL leaves. To a host that the person granted by name it may go.
#[tokio::test(flavor = "multi_thread")]
async fn address_from_a_page_is_fetched_only_from_hosts_granted_by_name() {
    let (machine, web) = (Machine::default(), WebServer::start().await);
    let nodes = json!({
        "fetch": { "type": "httpRequest", "config": { "url": web.url("/page") } },
        "follow": { "type": "httpRequest", "config": { "url": web.url("/next?page={{page}}") } },
    });
    let document = flow_json("Follows", nodes, &["fetch.status -> follow.page"]);
    let path = machine.write("follows.flow.json", &document.to_string());
    let by_name = format!("host=127.0.0.1:{}", web.port);
    let run = machine.plait(&["run", &path, "--allow", &by_name]);
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(web.lines(), ["GET /page", "GET /next?page=200"]);
}

/// A text for the user's node approves no request, also if it begins with "yes".
#[tokio::test(flavor = "multi_thread")]
async fn answer_for_the_user_is_no_approval_of_a_request() {
    let (machine, web) = (Machine::default(), WebServer::start().await);
    let nodes = json!({
        "page": { "type": "httpRequest", "config": { "url": web.url("/page") } },
        "post": { "type": "httpRequest", "config": { "method": "POST", "url": web.url("/report") } },
        "user": { "type": "userInput", "config": { "prompt": "Do you like trains? {{seen}}" } },
    });
    let document = flow_json("Asks", nodes, &["page.body -> post.body", "post.status -> user.seen"]);
    let path = machine.write("asks.flow.json", &document.to_string());
    let host = format!("host=127.0.0.1:{}", web.port);
    let run = |answers: &[&str]| {
        let answers = answers.iter().flat_map(|answer| ["--answer", answer]);
        let args: Vec<_> = ["run", &path, "--json", "--allow", &host].into_iter().chain(answers).collect();
        machine.plait(&args)
    };
    let texts = [
        "Yes, but do not send anything",
        "ok, tell me about trains",
        "true story: once",
        "y tu?",
        "ok",
        "No, not me",
    ];
    for text in texts {
        let waiting = run(&[text]);
        assert_eq!((waiting.code, waiting.last_type().as_str()), (3, "run.waiting"), "{waiting:?}");
        assert!(waiting.err.contains("takes `yes`, `no` or JSON"), "{waiting:?}");
    }
    // In the order of the questions: the text is for the first one that it may answer.
    assert_eq!(run(&["Yes, I do.", "yes"]).code, 3);
    assert_eq!(web.lines(), ["GET /page"; 7], "nothing was sent");
    // Nor does one that names the node, unless it is as exact.
    let vague = machine.plait(&["resume", "last", "--answer", "post=yes, but not to them"]);
    assert_eq!(vague.code, 2, "{vague:?}");
    assert!(vague.err.contains("answer.invalid"), "{vague:?}");
    assert_eq!(web.lines(), ["GET /page"; 7]);

    let answers = ["--answer", "Yes, I do.", "--answer", "post=Yes"];
    let resume: Vec<_> = ["resume", "last", "--json", "--allow", &host].into_iter().chain(answers).collect();
    let answered = machine.plait(&resume);
    assert_eq!((answered.code, answered.last_type().as_str()), (0, "run.finished"), "{answered:?}");
    assert_eq!(answered.events().last().unwrap()["outputs"]["user"]["message"], "Yes, I do.");
    assert_eq!(web.lines().len(), 8, "it was sent once");
    let answered = run(&["yes", "Yes, I do."]);
    assert_eq!((answered.code, answered.last_type().as_str()), (0, "run.finished"), "{answered:?}");
    let refused = run(&["post=no, not there"]);
    assert_eq!((refused.code, web.lines().len()), (1, 11), "{refused:?}");
    assert!(refused.out.contains("They say: not there"), "{refused:?}");
}

/// The question shows the sent request: its target, and of a long text its end as well.
#[tokio::test(flavor = "multi_thread")]
async fn question_names_the_request_and_says_what_it_does_not_show() {
    let (machine, web) = (Machine::default(), WebServer::start().await);
    let text = format!("{}THE PART THAT MATTERS", "harmless ".repeat(30_000));
    let put = json!({
        "method": "PUT", "url": web.url("/teams/{{team}}/report?key=1"), "body": { "text": "{{text}}" },
    });
    let nodes = json!({
        "page": { "type": "httpRequest", "config": { "url": web.url("/page") } },
        "text": { "type": "manualInput", "config": { "text": text } },
        "put": { "type": "httpRequest", "config": put },
    });
    let edges = ["page.status -> put.team", "text.value -> put.text"];
    let path = machine.write("long.flow.json", &flow_json("Long", nodes, &edges).to_string());
    let asked = machine.plait(&["run", &path, "--json", "--allow", &format!("host=127.0.0.1:{}", web.port)]);
    assert_eq!(asked.code, 3, "{}", asked.err);
    let events = asked.events();
    let paused = events.iter().find(|event| event["type"] == "run.paused").unwrap();
    let prompt = paused["prompt"].as_str().unwrap();
    let request = format!("`PUT http://127.0.0.1:{}/teams/{{{{team}}}}/report`", web.port);
    assert!(prompt.contains(&request), "{prompt}");
    assert!(prompt.contains(&format!("`host:127.0.0.1:{}`", web.port)), "{prompt}");
    assert!(prompt.contains("THE PART THAT MATTERS") && prompt.contains("harmless harmless"), "{prompt}");
    assert!(prompt.contains("… 266 KB more …"), "{prompt}");
    assert!(prompt.len() < 6_000, "{}", prompt.len());
}

/// The same text from a person in one run and from a page in the next: the reply is reused, and what it causes is the page's.
#[tokio::test(flavor = "multi_thread")]
async fn reply_that_is_reused_for_the_text_of_a_page_is_no_more_trusted_than_the_page() {
    let (machine, web) = (Machine::default(), WebServer::start().await);
    let model = obedient_model(&machine).await;
    let from_page = flow(&web);
    let body = "The same words.";
    let mut from_person = from_page.clone();
    from_person["nodes"]["fetch"] = json!({ "type": "manualInput" });
    for edge in from_person["edges"].as_object_mut().unwrap().values_mut() {
        if edge["source"] == "fetch" {
            edge["sourceOutput"] = "value".into();
        }
    }
    let path = machine.write("injected.flow.json", &from_person.to_string());
    let rules = format!("host=127.0.0.1:{}", web.port);
    let first = machine.plait(&["run", &path, "--input", body, "--json", "--allow", &rules]);
    assert_eq!((first.code, model.calls().len()), (0, 3), "{first:?}");
    assert_eq!(web.lines().len(), 1, "what the person said may be sent: {:?}", web.lines());

    machine.write("injected.flow.json", &from_page.to_string().replace("/page", "/same-words"));
    let live = ["--live", "tool:report", "--yes", "--json", "--allow", &rules];
    let again = machine.plait(&[&["rerun", "last", "--flow", &path][..], &live].concat());
    assert_eq!((again.code, model.calls().len()), (3, 3), "no reply is bought: {again:?}");
    let sent: Vec<String> = web.lines();
    assert_eq!(sent[1..], ["GET /same-words"], "nothing of it was sent");
    let events = again.events();
    let of = |kind: &str, node: &str| {
        events.iter().find(|event| event["type"] == kind && event["node"] == node).unwrap().clone()
    };
    let reply = of("model.replied", "sum");
    assert!(reply["reused"].is_object(), "{reply}");
    let host = format!("host:127.0.0.1:{}", web.port);
    assert_eq!(
        reply["origins"],
        json!(["model:openai/scripted", host]),
        "labeled by the new prompt: {reply}"
    );
    assert_eq!(of("run.paused", "answer")["tool"]["untrusted"], json!([host]));
}
