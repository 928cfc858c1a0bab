//! Users: the runs, conversations and memories of each, and the effects of a run's user.

use plait_api::runs::{ListRuns, ResumeRun, RunRequest, StartRun};
use plait_api::users::{AddUser, SwitchUser};
use plait_journal::{Event, RunEvent};
use serde_json::{Value, json};

use crate::support::app::App;
use crate::support::binary::Home;
use crate::support::folder::{FlowFolder, flow_json, parse_flow};
use crate::support::journal::Journal;

/// Asks for the user by a tool, and stores a fact.
fn identifying() -> Value {
    let nodes = json!({
        "who": { "type": "callTool", "config": { "tool": "identify_user" } },
        "fact": { "type": "manualInput", "config": { "text": "Was here." } },
        "learn": { "type": "remember" },
        "out": { "type": "output" },
    });
    flow_json("Who", nodes, &["who.result -> out.value", "fact.value -> learn.value"])
}

fn json_of(home: &Home, args: &[&str]) -> Value {
    let output = home.plait(args);
    assert_eq!(output.code, 0, "{args:?}: {output:?}");
    serde_json::from_str(&output.out).unwrap()
}

fn user_of(journal: &Journal) -> String {
    let Event::Run(RunEvent::Started { user, .. }) = &journal.0[0].event else { panic!("{journal:#?}") };
    user.to_string()
}

#[test]
fn runs_conversations_and_memories_are_listed_per_user() {
    let home = Home::default();
    let flow = home.file("who.flow.json", &identifying().to_string());
    assert_eq!(
        json_of(&home, &["users", "list", "--json"]),
        json!({ "current": "local", "names": ["local"] })
    );
    let unknown = home.plait(&["run", &flow, "--user", "ada"]);
    assert!(unknown.code == 2 && unknown.err.contains("user.unknown"), "{unknown:?}");
    assert!(unknown.err.contains("plait users add"), "{unknown:?}");
    assert_eq!(home.plait(&["users", "add", "ada"]).code, 0);

    let of_local = home.plait(&["run", &flow, "--json"]).events();
    assert_eq!(of_local[0].get("user"), None, "as in journals of earlier versions");
    assert_eq!(of_local.last().unwrap()["outputs"]["out"]["value"], json!({ "user": "local" }));
    let of_ada = home.plait(&["run", &flow, "--json", "--user", "ada"]).events();
    assert_eq!(of_ada[0]["user"], "ada");
    assert_eq!(of_ada.last().unwrap()["outputs"]["out"]["value"], json!({ "user": "ada" }));

    for (user, events) in [("local", &of_local), ("ada", &of_ada)] {
        let runs = json_of(&home, &["runs", "list", "--json", "--user", user]);
        assert_eq!(runs.as_array().unwrap().len(), 1, "{user}: {runs}");
        assert_eq!(runs[0]["run"], events[0]["run"], "{user}");
        let shown = home.plait(&["runs", "show", "last", "--user", user]).out;
        assert!(shown.contains(events[0]["run"].as_str().unwrap()), "{user}: {shown}");
        let memories = json_of(&home, &["memory", "list", "--json", "--user", user]);
        assert_eq!(memories["memories"].as_array().unwrap().len(), 1, "{user}");
        assert_eq!(memories["memories"][0]["source"]["run"], events[0]["run"], "{user}");
    }

    let talk = ["run", "chat-loop", "--answer", "Hi", "--conversation"];
    for user in ["local", "ada", "ada"] {
        let run = home.plait(&[&talk[..], &["last", "--user", user]].concat());
        assert_eq!(run.code, 3, "{run:?}");
        home.plait(&["resume", "last", "--end", "--user", user]);
    }
    let conversation = |user: &str| {
        let list = json_of(&home, &["conversations", "list", "--json", "--user", user]);
        assert_eq!(list.as_array().unwrap().len(), 1, "{user}: {list}");
        (list[0]["id"].as_str().unwrap().to_owned(), list[0]["messages"].clone())
    };
    let (of_local, messages) = conversation("local");
    assert_eq!(messages, 2);
    assert_eq!(conversation("ada").1, 4, "the second run continued the latest of ada's");
    let refused = home.plait(&[&talk[..], &[&of_local, "--user", "ada"]].concat());
    assert!(refused.code == 2 && refused.err.contains("conversation.other_user"), "{refused:?}");

    // The current user is what `--user` is by default.
    assert_eq!(home.plait(&["users", "switch", "ada"]).code, 0);
    assert_eq!(json_of(&home, &["runs", "list", "--json"]).as_array().unwrap().len(), 3);
    let kept = home.plait(&["users", "rm", "local"]);
    assert!(kept.code == 2 && kept.err.contains("user.has_memories"), "{kept:?}");
    assert_eq!(home.plait(&["users", "rm", "ada"]).code, 2, "the current one stays");
    assert_eq!(home.plait(&["users", "rm", "local", "--erase-memories"]).code, 0);
    assert_eq!(home.plait(&["users", "list"]).out, "* ada\n");
    assert_eq!(home.plait(&["users", "add", "local"]).code, 0);
    let memories = json_of(&home, &["memory", "list", "--json", "--user", "local"]);
    assert_eq!(memories["memories"], json!([]));
}

#[tokio::test]
async fn sub_flow_has_the_user_of_its_parent() {
    let parent = flow_json(
        "parent",
        json!({
            "text": { "type": "manualInput", "config": { "text": "go" } },
            "in": { "type": "subflow", "config": { "file": "who.flow.json", "inputSource": "nodeOutput" } },
            "out": { "type": "output" },
        }),
        &["text.value -> in.value", "in.result -> out.value"],
    );
    let folder = FlowFolder::with_files(&[("parent.flow.json", &parent), ("who.flow.json", &identifying())]);
    let app = App::offline();
    app.plait.call(AddUser { name: "ada".to_owned(), switch: false }).await.unwrap();
    let request = RunRequest {
        flow: parse_flow(&parent),
        path: Some(folder.file("parent.flow.json")),
        user: Some(plait_core::user::UserName::parse("ada").unwrap()),
        ..RunRequest::default()
    };
    let run = app.plait.call(StartRun(request)).await.unwrap().run;
    let journal = app.follow(&run, [""; 0]).await;
    assert_eq!(user_of(&journal), "ada", "{journal:#?}");
    let children = app.plait.call(ListRuns { parent: Some(run), ..ListRuns::default() }).await.unwrap();
    let child = app.journal(&children[0].run).await;
    assert_eq!(user_of(&child), "ada");
    assert_eq!(child.output("who", "result"), json!({ "user": "ada" }));
    assert_eq!(children[0].user.as_str(), "ada");
    let mine = app.plait.call(ListRuns::default()).await.unwrap();
    assert!(mine.is_empty(), "the current user has none: {mine:?}");
}

#[tokio::test]
async fn resumed_and_retried_runs_keep_their_user() {
    let nodes = json!({
        "ask": { "type": "userInput", "config": { "prompt": "Go on?" } },
        "who": { "type": "callTool", "config": { "tool": "identify_user" } },
        "both": { "type": "text", "config": { "template": "{{answer}} {{who}}" } },
        "out": { "type": "output" },
    });
    let edges = ["ask.message -> both.answer", "who.result -> both.who", "both.text -> out.value"];
    let flow = parse_flow(&flow_json("Who", nodes, &edges));
    let app = App::offline();
    app.plait.call(AddUser { name: "ada".to_owned(), switch: true }).await.unwrap();
    let run = app.start(&flow).await;
    app.follow(&run, [""; 0]).await;
    app.plait.call(SwitchUser { name: "local".to_owned() }).await.unwrap();
    let app = App::offline_in(app.close().await);
    app.plait.call(ResumeRun { run: run.clone() }).await.unwrap();
    let journal = app.follow(&run, ["yes"]).await;
    assert_eq!(journal.output("both", "text"), json!(r#"yes {"user":"ada"}"#), "{journal:#?}");

    let second = app.plait.call(StartRun(RunRequest {
        flow,
        user: Some(plait_core::user::UserName::parse("ada").unwrap()),
        ..RunRequest::default()
    }));
    let second = second.await.unwrap().run;
    app.follow(&second, [""; 0]).await;
    app.plait.call(plait_api::runs::CancelRun { run: second.clone() }).await.unwrap();
    app.plait.runs().settled(&second).await;
    let retried = app.plait.call(plait_api::runs::RetryRun { run: second }).await.unwrap().run;
    let journal = app.follow(&retried, [""; 0]).await;
    assert_eq!(user_of(&journal), "ada", "the current user is another one");
}
