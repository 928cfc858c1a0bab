//! What a fork stores in long-term memory is a branch of its own, until it is kept.

use serde_json::{Value, json};

use super::chat;
use crate::support::binary::Home;
use crate::support::folder::flow_json;
use crate::support::server::{ModelServer, ServerReply};

/// The user's memories, newest first, and those of each branch.
fn listed(home: &Home) -> (Vec<String>, Vec<Vec<String>>) {
    let list = home.plait(&["memory", "list", "--json"]);
    let page: Value = serde_json::from_str(&list.out).unwrap();
    let texts = |memories: &Value| -> Vec<String> {
        memories.as_array().unwrap().iter().map(|one| one["text"].as_str().unwrap().to_owned()).collect()
    };
    let branches = page["branches"].as_array().unwrap();
    (texts(&page["memories"]), branches.iter().map(|branch| texts(&branch["stored"])).collect())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn memories_of_forks_are_kept_once_and_removed_with_their_run() {
    let server = ModelServer::start(|_, call| ServerReply::Text(format!("Fact {call}."))).await;
    let home = Home::default();
    home.set_provider_url(&server.url).await;
    let nodes = json!({
        "main": { "type": "contextStart", "config": { "provider": "openai", "model": "gpt-4o" } },
        "say": chat("say"),
        "learn": { "type": "remember" },
        "query": { "type": "json", "config": { "query": ".[0].text" } },
        "find": { "type": "recall", "config": { "kinds": ["fact"] } },
        "out": { "type": "output" },
    });
    let edges = [
        "main.context -> say.context",
        "say.response -> learn.value",
        "learn.memories -> query.value",
        "query.result -> find.query",
        "find.text -> out.value",
    ];
    let file = home.file("learn.flow.json", &flow_json("learn", nodes, &edges).to_string());
    let run = home.plait(&["run", &file]);
    assert_eq!(run.code, 0, "{run:#?}");
    let (first, branches) = listed(&home);
    assert_eq!((first.len(), branches.len()), (1, 0), "{first:?}");
    let nothing = home.plait(&["conversations", "keep", "last"]);
    assert!(nothing.err.contains("run.not_a_fork"), "{nothing:#?}");

    let fork = home.plait(&["rerun", "last", "--from", "say", "--yes"]);
    assert_eq!(fork.code, 0, "{fork:#?}");
    let (shared, branches) = listed(&home);
    assert_eq!((&shared, branches.len(), branches[0].len()), (&first, 1, 1), "the fork has its own");
    assert!(fork.out.contains(&first[0]) && fork.out.contains(&branches[0][0]), "it sees both: {fork:#?}");
    let shown = home.plait(&["memory", "list"]);
    assert!(shown.err.contains("1 stored, 0 erased"), "{shown:#?}");

    let kept = home.plait(&["conversations", "keep", "last"]);
    assert_eq!((kept.code, &kept.out[..]), (0, ""), "{kept:#?}");
    assert!(kept.err.contains("1 stored"), "{kept:#?}");
    let again = home.plait(&["conversations", "keep", "last"]);
    assert_eq!((again.code, again.err.contains("stored")), (0, false), "{again:#?}");
    let (both, none) = listed(&home);
    assert_eq!((both.len(), none.len()), (2, 0), "{both:?}");
    assert!(both.contains(&branches[0][0]), "{both:?}");

    let second = home.plait(&["rerun", "last", "--from", "say", "--yes"]);
    assert_eq!(second.code, 0, "{second:#?}");
    assert_eq!(listed(&home).1.len(), 1);
    let removed = home.plait(&["runs", "rm", "last"]);
    assert_eq!(removed.code, 0, "{removed:#?}");
    assert_eq!(listed(&home), (both, Vec::new()), "removed with its run");
}
