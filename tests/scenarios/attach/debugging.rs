//! Two terminals at one run.

use std::io::{BufRead as _, BufReader};

use super::*;
use plait_journal::view::RunOutline;

fn journal_of(home: &Home) -> Vec<Value> {
    home.plait(&["runs", "show", "last", "--json"]).events()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn breakpoint_of_one_terminal_is_seen_by_the_other_and_two_steps_at_one_stop_are_one() {
    let server = echo_server().await;
    let folder = FlowFolder::with_files(&[("chats.flow.json", &chats(&["one", "two", "three"]))]);
    let home = Home::default();
    home.set_provider_url(&server.url).await;
    let owner = Owner::open(&home);
    let begun = home.plait(&["run", &folder.file("chats.flow.json"), "--break", "one"]);
    assert_eq!(begun.code, 4, "{begun:#?}");
    let mut watching = home.spawn(&["watch", "last", "--json"]);
    let mut lines = BufReader::new(watching.stdout.take().unwrap()).lines().map_while(Result::ok);
    let mut see = |kind: &str| -> Value {
        let line = lines.find(|line| line.contains(kind)).unwrap_or_else(|| panic!("{kind} was not seen"));
        serde_json::from_str(&line).unwrap()
    };
    let stop = see("debug.stopped")["seq"].clone();

    // Breakpoints are added and removed one by one.
    let added = home.plait(&["debug", "last", "break", "three:after"]);
    assert!(added.code == 0 && added.err.contains("2: three:after"), "{added:#?}");
    let seen = see("debug.breakpoints");
    assert_eq!(seen["breakpoints"].as_array().unwrap().len(), 2);
    assert_eq!(seen["breakpoints"][1]["id"], "three:after");
    let removed = home.plait(&["debug", "last", "delete", "1"]);
    assert_eq!(removed.code, 0, "{removed:#?}");
    assert_eq!(see("debug.breakpoints")["breakpoints"][0]["node"], "three");
    assert!(journal_of(&home).iter().filter(|event| event["type"] == "debug.breakpoints").count() >= 2);
    let unknown = home.plait(&["debug", "last", "delete", "one:before"]);
    assert!(unknown.code == 1 && unknown.err.contains("debug.no_breakpoint"), "{unknown:#?}");
    let listed = home.plait(&["debug", "last", "breakpoints"]);
    assert_eq!(listed.err.trim(), "1: three:after");

    // Both press step at the same stop.
    let stop = stop.to_string();
    let both = ["a", "b"].map(|_| home.spawn(&["debug", "last", "step", "--stop", &stop]));
    let mut both = both.map(output);
    both.sort_by_key(|done| done.code);
    assert_eq!((both[0].code, both[1].code), (0, 1), "{both:#?}");
    assert!(both[1].err.contains("debug.moved_on"), "{both:#?}");
    see("debug.stopped");
    assert_eq!(server.calls().len(), 1, "one step");
    let started = |node: &str| {
        journal_of(&home)
            .iter()
            .filter(|event| event["type"] == "node.started" && event["node"] == node)
            .count()
    };
    assert_eq!((started("one"), started("two")), (1, 0));

    assert_eq!(home.plait(&["debug", "last", "continue"]).code, 0);
    // The breakpoint of the other terminal holds.
    assert_eq!(see("debug.stopped")["point"]["node"], "three");
    assert_eq!(home.plait(&["debug", "last", "continue"]).code, 0);
    see("run.finished");
    assert_eq!(output(watching).code, 0);
    assert_eq!(server.calls().len(), 3);
    owner.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn breakpoints_put_at_once_are_all_there() {
    let folder = FlowFolder::with_files(&[("chats.flow.json", &chats(&["one", "two", "three", "four"]))]);
    let home = Home::default();
    let owner = Owner::open(&home);
    assert_eq!(home.plait(&["run", &folder.file("chats.flow.json"), "--break", "one"]).code, 4);
    let putting = ["two", "three", "four", "reply"].map(|node| home.spawn(&["debug", "last", "break", node]));
    for done in putting.map(output) {
        assert_eq!(done.code, 0, "{done:#?}");
    }
    let run = owner.runs().await.remove(0).run;
    let detail = owner.plait.call(plait_api::runs::ShowRun { run }).await.unwrap();
    let mut ids: Vec<String> =
        RunOutline::of(&detail.entries).breakpoints.iter().map(|breakpoint| breakpoint.id.clone()).collect();
    ids.sort();
    assert_eq!(ids, ["four:before", "one:before", "reply:before", "three:before", "two:before"]);
    owner.close().await;
}
