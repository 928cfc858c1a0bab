//! The owner ends.

use axum::routing::post;
use axum::{Json, Router};
use plait_store::{RunFilter, Store};
use tokio::sync::watch;

use super::*;

/// A server that embeds once it may.
struct HeldEmbeddings {
    url: String,
    may_embed: watch::Sender<bool>,
    asked: watch::Receiver<usize>,
}

impl HeldEmbeddings {
    async fn start() -> Self {
        let (may_embed, is_allowed) = watch::channel(false);
        let (asked_sender, asked) = watch::channel(0);
        let embed = move |Json(request): Json<Value>| {
            let mut is_allowed = is_allowed.clone();
            asked_sender.send_modify(|count| *count += 1);
            async move {
                is_allowed.wait_for(|is_allowed| *is_allowed).await.unwrap();
                let texts = request["input"].as_array().unwrap().len();
                let data: Vec<Value> =
                    (0..texts).map(|index| json!({ "index": index, "embedding": [1.0, 0.0] })).collect();
                let usage = json!({ "prompt_tokens": 1, "total_tokens": 1 });
                Json(json!({ "object": "list", "data": data, "usage": usage }))
            }
        };
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let router = Router::new().route("/v1/embeddings", post(embed));
        tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { url, may_embed, asked }
    }
}

/// An owner whose run has ended, and a terminal that indexes a knowledge base through it.
struct Indexing {
    home: Home,
    _folder: FlowFolder,
    owner: Child,
    guest: Option<Child>,
}

impl Indexing {
    async fn start(embeddings: &mut HeldEmbeddings) -> Self {
        let home = Home::default();
        home.set_provider_url(&embeddings.url).await;
        let wait = json!({ "wait": { "type": "delay", "config": { "ms": 1_500 } }, "go": { "type": "value", "config": { "value": 1 } } });
        let folder =
            FlowFolder::with_files(&[("wait.flow.json", &flow_json("wait", wait, &["go.value -> wait.in"]))]);
        std::fs::create_dir(folder.path().join("handbook")).unwrap();
        std::fs::write(folder.path().join("handbook/food.txt"), "The soup is free on Fridays.").unwrap();
        let mut owner = home.spawn(&["run", &folder.file("wait.flow.json"), "--json"]);
        let _lines = read_until(&mut owner, "node.started");
        until("the owner serves", || is_served(&home));
        let handbook = folder.file("handbook");
        let guest =
            home.spawn(&["knowledge", "add", "handbook", &handbook, "--embeddings", "openai/embed-small"]);
        embeddings.asked.wait_for(|count| *count == 1).await.unwrap();
        let mut said = lines(owner.stderr.take().unwrap());
        assert!(said.any(|line| line.contains("Other terminals work through this process")));
        Self { home, _folder: folder, owner, guest: Some(guest) }
    }

    fn assert_indexed(&self) {
        let listed = self.home.plait(&["knowledge", "list", "--json"]);
        assert!(listed.code == 0 && listed.out.contains("handbook"), "{listed:#?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn owner_that_is_done_waits_for_a_command_of_another_terminal() {
    let mut embeddings = HeldEmbeddings::start().await;
    let mut indexing = Indexing::start(&mut embeddings).await;
    embeddings.may_embed.send_replace(true);
    let guest = output(indexing.guest.take().unwrap());
    assert_eq!(guest.code, 0, "{guest:#?}");
    assert_eq!(indexing.owner.wait().unwrap().code(), Some(0));
    assert_eq!(*embeddings.asked.borrow(), 1, "nothing is embedded twice");
    indexing.assert_indexed();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn command_that_can_be_repeated_outlives_the_owner() {
    let mut embeddings = HeldEmbeddings::start().await;
    let mut indexing = Indexing::start(&mut embeddings).await;
    indexing.owner.kill().unwrap();
    indexing.owner.wait().unwrap();
    embeddings.may_embed.send_replace(true);
    let guest = output(indexing.guest.take().unwrap());
    assert_eq!(guest.code, 0, "{guest:#?}");
    indexing.assert_indexed();
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
    std::io::Read::read_to_string(&mut second.stderr.take().unwrap(), &mut said).unwrap();
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
    assert!(first.err.contains("Other terminals work through this process"), "{first:#?}");
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
