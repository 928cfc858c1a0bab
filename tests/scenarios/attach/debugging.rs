//! Two terminals at one run.

use super::*;
use plait_api::runs::{FindHeld, GoOn};
use plait_api::{Connection, Opening};
use plait_journal::DebugVerb;
use plait_journal::view::RunOutline;
use tokio::sync::Barrier;

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
    let mut lines = lines(watching.stdout.take().unwrap());
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

/// A program that uses the application of the owner, over the socket.
async fn client(home: &Home) -> Connection {
    let path = home.path().to_owned();
    let opening = Opening {
        options: Box::new(move || Options::new(&path, plait_app::parts())),
        serves: false,
        waits: false,
        on_wait: |_| {},
        on_open: |_| panic!("the data directory has an owner"),
    };
    Connection::open(opening).await.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn steps_of_the_owner_and_two_clients_at_the_same_instant_are_one() {
    const ROUNDS: usize = 200;
    let texts: Vec<String> = (0..=ROUNDS).map(|number| format!("t{number}")).collect();
    let mut nodes = json!({ "begin": { "type": "value", "config": { "value": "x" } } });
    for text in &texts {
        nodes[text] = json!({ "type": "text", "config": { "template": "{{value}}" } });
    }
    let edges: Vec<String> = std::iter::once("begin.value -> t0.value".to_owned())
        .chain(texts.windows(2).map(|pair| format!("{}.text -> {}.value", pair[0], pair[1])))
        .collect();
    let edges: Vec<&str> = edges.iter().map(String::as_str).collect();
    let folder = FlowFolder::with_files(&[("chain.flow.json", &flow_json("chain", nodes, &edges))]);
    let home = Home::default();
    let owner = Owner::open(&home);
    assert_eq!(home.plait(&["run", &folder.file("chain.flow.json"), "--break", "t0"]).code, 4);
    let run = owner.runs().await.remove(0).run;
    let clients = [client(&home).await, client(&home).await];

    let mut numbers =
        vec![owner.plait.call(FindHeld { run: run.clone() }).await.unwrap().remove(0).stop.number];
    // How often each was first.
    let mut won = [0; 3];
    for _ in 0..ROUNDS {
        let stop = *numbers.last().unwrap();
        let start = Barrier::new(3);
        let over = || GoOn { run: run.clone(), verb: DebugVerb::Over, stop };
        let (here, one, other) = tokio::join!(
            async {
                start.wait().await;
                owner.plait.call(over()).await
            },
            async {
                start.wait().await;
                clients[0].call(over()).await
            },
            async {
                start.wait().await;
                clients[1].call(over()).await
            },
        );
        let codes = [here, one, other].map(|done| done.map_err(|error| error.code.to_string()).err());
        let first: Vec<usize> = (0..3).filter(|at| codes[*at].is_none()).collect();
        let [first] = first[..] else { panic!("at {stop}: {codes:?}") };
        won[first] += 1;
        assert_eq!(codes.iter().flatten().collect::<Vec<_>>(), ["debug.moved_on", "debug.moved_on"]);
        let next = loop {
            match owner.plait.call(FindHeld { run: run.clone() }).await.unwrap().first() {
                Some(held) if held.stop.number != stop => break held.stop.number,
                _ => tokio::task::yield_now().await,
            }
        };
        numbers.push(next);
    }
    println!("The owner was first {} times, the clients {} and {}.", won[0], won[1], won[2]);

    let journal = journal_of(&home);
    let of = |kind: &'static str| journal.iter().filter(move |event| event["type"] == kind);
    let stopped: Vec<u64> = of("debug.stopped").map(|event| event["seq"].as_u64().unwrap()).collect();
    assert_eq!(stopped, numbers);
    let continued: Vec<&Value> = of("debug.continued").map(|event| &event["point"]["node"]).collect();
    assert_eq!(continued, texts[..ROUNDS].iter().collect::<Vec<_>>());
    let started: Vec<&Value> = of("node.started").map(|event| &event["node"]).skip(1).collect();
    assert_eq!(started, texts[..ROUNDS].iter().collect::<Vec<_>>());
    for client in clients {
        client.close().await.unwrap();
    }
    owner.close().await;
}

/// The process that drives the run lives on at the stop, so that time could pass there.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn time_limit_of_two_seconds_outlasts_a_longer_stop() {
    let server = echo_server().await;
    let mut flow = chats(&["one"]);
    flow["nodes"]["one"]["limits"] = json!({ "timeoutMs": 2_000 });
    let folder = FlowFolder::with_files(&[("chats.flow.json", &flow)]);
    let home = Home::default();
    home.set_provider_url(&server.url).await;
    let owner = Owner::open(&home);
    let begun = home.plait(&["run", &folder.file("chats.flow.json"), "--break", "one:call"]);
    assert_eq!((begun.code, server.calls().len()), (4, 0), "{begun:#?}");
    let run = owner.runs().await.remove(0).run;
    tokio::time::sleep(Duration::from_millis(2_500)).await;
    let continued = home.plait(&["debug", "last", "continue"]);
    assert_eq!(continued.code, 0, "{continued:#?}");
    owner.plait.runs().settled(&run).await;
    let shown = owner.plait.call(plait_api::runs::ShowRun { run }).await.unwrap();
    let view = plait_journal::view::RunView::of(&shown.entries);
    assert_eq!(view.outline.status, plait_journal::view::RunStatus::Finished, "{:#?}", shown.entries);
    assert!(view.totals.stopped_ms >= 2_500, "{}", view.totals.stopped_ms);
    assert_eq!(server.calls().len(), 1);
    owner.close().await;
}
