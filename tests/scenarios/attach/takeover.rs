//! The owner ends.

use std::io::{BufRead as _, BufReader, Read as _};

use plait_store::{RunFilter, Store};

use super::*;

/// Reads what a command prints until a line has this text.
fn read_until(child: &mut Child, text: &str) -> impl Iterator<Item = String> + use<> {
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    assert!(lines.any(|line| line.contains(text)), "{text}");
    lines
}

/// How many replies the journals have as another process finds them: what is shown may not be written yet.
fn replies_on_disk(home: &Home) -> usize {
    let store = Store::open_for_reading(home.path()).unwrap();
    let runs = store.runs(&RunFilter::default()).unwrap();
    let entries = runs.iter().flat_map(|run| store.read_journal(&run.run, 0).unwrap());
    entries
        .filter(|entry| serde_json::to_value(entry.as_ref().unwrap()).unwrap()["type"] == "model.replied")
        .count()
}

fn is_served(home: &Home) -> bool {
    home.path().join("owner/owner.sock").exists()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn terminal_goes_on_with_its_run_when_the_owner_is_killed() {
    let server = echo_server().await;
    let folder = FlowFolder::with_files(&[
        ("long.flow.json", &chat_and_wait(60_000)),
        ("short.flow.json", &chat_and_wait(1_500)),
    ]);
    let home = Home::default();
    home.set_provider_url(&server.url).await;
    let mut first = home.spawn(&["run", &folder.file("long.flow.json"), "--json"]);
    let _lines = read_until(&mut first, "node.finished");
    until("the first terminal serves", || is_served(&home));
    let mut second = home.spawn(&["run", &folder.file("short.flow.json"), "--json"]);
    let mut lines = read_until(&mut second, "\"model.replied\"");
    until("both replies are on disk", || replies_on_disk(&home) == 2);
    first.kill().unwrap();
    first.wait().unwrap();
    assert!(is_served(&home), "a killed process leaves its socket");
    assert!(lines.any(|line| line.contains("run.finished")), "the run goes on");
    let mut said = String::new();
    second.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!(output(second).code, 0, "{said}");
    assert!(said.contains("The run goes on here"), "{said}");
    let of_short = server.calls().len() - 1;
    assert_eq!(of_short, 1, "what was paid is not bought again");
    // The run of the killed process can be resumed.
    let listed: Value = serde_json::from_str(&home.plait(&["runs", "list", "--json"]).out).unwrap();
    assert_eq!((&listed[0]["status"], &listed[1]["status"]), (&json!("finished"), &json!("interrupted")));
    assert_eq!(home.plait(&["cancel", listed[1]["run"].as_str().unwrap()]).code, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn owner_that_is_done_waits_for_what_others_buy_through_it() {
    let server = ModelServer::start(|_, _| {
        ServerReply::Slow(Duration::from_millis(100), "one two three four five six seven eight".to_owned())
    })
    .await;
    let folder = FlowFolder::with_files(&[
        ("short.flow.json", &chat_and_wait(1)),
        ("chat.flow.json", &chats(&["chat", "again"])),
    ]);
    let home = Home::default();
    home.set_provider_url(&server.url).await;
    let mut first = home.spawn(&["run", &folder.file("short.flow.json"), "--json"]);
    let _lines = read_until(&mut first, "node.started");
    until("the first terminal serves", || is_served(&home));
    let second = home.spawn(&["run", &folder.file("chat.flow.json")]);
    let (first, second) = (output(first), output(second));
    assert_eq!((first.code, second.code), (0, 0), "{first:#?}\n{second:#?}");
    assert!(first.err.contains("Other terminals run flows through this process"), "{first:#?}");
    assert_eq!(server.calls().len(), 3, "each call was made once");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn watcher_of_a_run_whose_owner_ends_learns_what_to_do() {
    let server = echo_server().await;
    let folder = FlowFolder::with_files(&[("long.flow.json", &chat_and_wait(60_000))]);
    let home = Home::default();
    home.set_provider_url(&server.url).await;
    let mut owner = home.spawn(&["run", &folder.file("long.flow.json"), "--json"]);
    let _lines = read_until(&mut owner, "node.finished");
    let mut watching = home.spawn(&["watch", "last", "--json"]);
    let _seen = read_until(&mut watching, "model.replied");
    owner.kill().unwrap();
    owner.wait().unwrap();
    let left = output(watching);
    assert!(
        left.code == 1 && left.err.contains("[run.lost]") && left.err.contains("plait resume"),
        "{left:#?}"
    );
    let next = home.plait(&["run", "hello"]);
    assert_eq!(next.code, 0, "{next:#?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn window_that_closes_leaves_the_run_to_the_terminal_that_began_it() {
    let server = echo_server().await;
    let folder = FlowFolder::with_files(&[("short.flow.json", &chat_and_wait(1_500))]);
    let home = Home::default();
    home.set_provider_url(&server.url).await;
    let owner = Owner::open(&home);
    let mut terminal = home.spawn(&["run", &folder.file("short.flow.json"), "--json"]);
    let mut lines = read_until(&mut terminal, "\"model.replied\"");
    owner.close().await;
    assert!(lines.any(|line| line.contains("run.finished")));
    assert_eq!(output(terminal).code, 0);
    assert_eq!(server.calls().len(), 1);
}
