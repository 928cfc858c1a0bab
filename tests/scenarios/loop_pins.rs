//! A person pins a turn of a loop's conversation from the terminal, and takes the pin off.

use serde_json::{Value, json};

use crate::loop_examples::{NAMED_SOURCES, SUMMARIZE, home, messages, pipeline, talk};
use crate::support::binary::Home;
use crate::support::server::{ModelServer, ServerReply, last_message_text};

/// Replies that say which question they answer.
fn reply(request: &Value, _: usize) -> ServerReply {
    ServerReply::Text(last_message_text(request).replace("Question ", "C").replace("Close ", "F"))
}

/// The number and the text of each turn that can be pinned, and whether it is.
fn turns(home: &Home) -> Vec<(String, bool)> {
    let output = home.plait(&["runs", "turns", "last", "--json"]);
    let loops: Vec<Value> = serde_json::from_str(&output.out).unwrap();
    let turns = loops[0]["turns"].as_array().unwrap().iter();
    turns.map(|turn| (turn["text"].as_str().unwrap().to_owned(), turn["pinned"] == json!(true))).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pinned_turn_is_received_until_the_pin_is_taken_off() {
    let server = ModelServer::start(reply).await;
    tokio::task::spawn_blocking(move || {
        let home = home(&server, false);
        let bound = "strategy: truncate_turns\n    max_turns: 2";
        talk(&home, &pipeline(&NAMED_SOURCES.replace(SUMMARIZE, bound)), &["U0"]);
        let texts: Vec<_> = turns(&home).into_iter().map(|(text, _)| text).collect();
        assert_eq!(texts, ["Plan.", "C0", "U0", "F0"]);
        let pinned = home.plait(&["runs", "pin", "last", "1"]);
        assert_eq!((pinned.code, pinned.err.as_str()), (0, "Pinned the turn.\n"));
        assert_eq!(turns(&home)[0], ("Plan.".to_owned(), true));

        let resumed = home.plait(&["resume", "last", "--answer", "U1", "--json"]);
        assert_eq!(resumed.code, 3, "{resumed:#?}");
        let removed = home.plait(&["runs", "pin", "last", "1", "--remove"]);
        assert_eq!((removed.code, removed.err.as_str()), (0, "Removed the pin.\n"));
        home.plait(&["resume", "last", "--answer", "U2", "--json"]);
        let unknown = home.plait(&["runs", "pin", "last", "99"]);
        assert!(unknown.code != 0 && unknown.err.contains("history.no_turn"), "{unknown:#?}");

        let received: Vec<_> = server.calls().iter().map(messages).collect();
        let expected = [
            vec!["user: Plan.", "user: Question 0"],
            vec!["assistant: C0", "user: U0", "user: Close 0"],
            vec!["user: U0", "assistant: F0", "user: Question 1"],
            // The pinned turn counts inside the bound of two.
            vec!["user: Plan.", "user: U1", "user: Close 1"],
            vec!["user: Plan.", "assistant: F1", "user: Question 2"],
            vec!["assistant: C2", "user: U2", "user: Close 2"],
            vec!["user: U2", "assistant: F2", "user: Question 3"],
        ];
        assert_eq!(received, expected);
    })
    .await
    .unwrap();
}
