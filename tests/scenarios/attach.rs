//! Several processes with one data directory, through the binary, against a model server that counts: the owner drives the runs of all,
//! and when it ends another one goes on.
#![cfg(unix)]

mod debugging;
mod frames;
mod takeover;

use std::io::{BufRead as _, BufReader, Read};
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Child, Command};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use plait_api::runs::{ListRuns, RunSummary};
use plait_api::users::AddUser;
use plait_api::{Options, Plait, Serving};
use plait_core::user::UserName;
use serde_json::{Value, json};

use crate::support::binary::{CliOutput, Home};
use crate::support::folder::{FlowFolder, flow_json};
use crate::support::server::{ModelServer, ServerReply};

/// How long a process may take to come somewhere. Far more than it needs.
const TIMEOUT: Duration = Duration::from_mins(1);

/// An application that serves others, as the window does.
pub(super) struct Owner {
    pub(super) plait: Plait,
    serving: Serving,
}

impl Owner {
    fn open(home: &Home) -> Self {
        let plait = Plait::open(Options::new(home.path(), plait_app::parts())).unwrap();
        let serving = Serving::begin(&plait).unwrap();
        Self { plait, serving }
    }

    async fn close(self) {
        self.serving.stop().await;
        self.plait.close().await.unwrap();
    }

    async fn runs(&self) -> Vec<RunSummary> {
        self.plait.call(ListRuns::default()).await.unwrap()
    }
}

/// Chats one after another, each named.
fn chats(names: &[&str]) -> Value {
    let mut nodes = json!({
        "start": { "type": "contextStart", "config": { "provider": "openai", "model": "gpt-4o" } },
        "say": { "type": "value", "config": { "value": "Hello" } },
        "reply": { "type": "output" },
    });
    let mut edges = vec!["start.context -> NAME.context".replace("NAME", names[0])];
    let mut message = "say.value".to_owned();
    let mut before: Option<&str> = None;
    for name in names {
        nodes[name] = json!({ "type": "chat" });
        edges.push(format!("{message} -> {name}.message"));
        edges.extend(before.map(|before| format!("{before}.context -> {name}.context")));
        message = format!("{name}.response");
        before = Some(name);
    }
    edges.push(format!("{message} -> reply.value"));
    let edges: Vec<&str> = edges.iter().map(String::as_str).collect();
    flow_json("chats", nodes, &edges)
}

/// A chat, then a pause, then a text.
fn chat_and_wait(ms: u64) -> Value {
    let mut flow = chats(&["chat"]);
    flow["nodes"]["wait"] = json!({ "type": "delay", "config": { "ms": ms } });
    flow["nodes"]["last"] = json!({ "type": "text", "config": { "template": "[{{value}}]" } });
    flow["nodes"]["end"] = json!({ "type": "output" });
    for (id, source, output, target, input) in [
        ("w1", "chat", "response", "wait", "in"),
        ("w2", "wait", "out", "last", "value"),
        ("w3", "last", "text", "end", "value"),
    ] {
        flow["edges"][id] =
            json!({ "source": source, "sourceOutput": output, "target": target, "targetInput": input });
    }
    flow
}

async fn echo_server() -> ModelServer {
    ModelServer::start(|_, calls| ServerReply::Text(format!("reply {calls}"))).await
}

/// Waits until something is so.
fn until(what: &str, is_so: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < TIMEOUT, "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// What a command printed, once it has ended. One that does not end is killed.
fn output(mut child: Child) -> CliOutput {
    let id = child.id();
    let (sender, receiver) = mpsc::channel();
    let stdin = child.stdin.take();
    std::thread::spawn(move || sender.send(child.wait_with_output()));
    let ended = receiver.recv_timeout(TIMEOUT);
    if ended.is_err() {
        Command::new("kill").args(["-9", &id.to_string()]).status().unwrap();
    }
    drop(stdin);
    ended.unwrap().unwrap().into()
}

/// What a command prints, line by line. One that prints nothing for long is no longer waited for.
fn lines<R: Read + Send + 'static>(printed: R) -> impl Iterator<Item = String> + use<R> {
    let mut lines = BufReader::new(printed).lines().map_while(Result::ok);
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || lines.try_for_each(|line| sender.send(line)));
    std::iter::from_fn(move || match receiver.recv_timeout(TIMEOUT) {
        Ok(line) => Some(line),
        Err(RecvTimeoutError::Disconnected) => None,
        Err(RecvTimeoutError::Timeout) => panic!("it prints nothing more, and does not end"),
    })
}

/// Reads what a command prints until a line has this text.
fn read_until(child: &mut Child, text: &str) -> impl Iterator<Item = String> + use<> {
    let mut lines = lines(child.stdout.take().unwrap());
    assert!(lines.any(|line| line.contains(text)), "{text}");
    lines
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn data_directory_with_a_long_path_is_served() {
    let home = Home::default();
    let long = home.path().join("d".repeat(120));
    let plait = Plait::open(Options::new(&long, plait_app::parts())).unwrap();
    let serving = Serving::begin(&plait).expect("it can be served");
    let listed: CliOutput = home.plait(&["--home", &long.to_string_lossy(), "runs", "list"]);
    assert_eq!(listed.code, 0, "{listed:#?}");
    assert!(serving.has_clients() || !listed.err.contains("store.locked"), "{listed:#?}");
    serving.stop().await;
    assert!(!long.join("owner/owner.sock").exists(), "its socket is removed");
    plait.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn run_beside_the_window_is_driven_by_the_window() {
    let server = echo_server().await;
    let folder = FlowFolder::with_files(&[("chats.flow.json", &chats(&["one", "two"]))]);
    let home = Home::default();
    home.set_provider_url(&server.url).await;
    let owner = Owner::open(&home);
    let mode = std::fs::metadata(home.path().join("owner")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
    // The path is relative to the folder of this process, not to that of the owner.
    let mut command = home.command(&["run", "chats.flow.json"]);
    command.current_dir(std::path::Path::new(&folder.file("chats.flow.json")).parent().unwrap());
    let done: CliOutput = command.spawn().unwrap().wait_with_output().unwrap().into();
    assert_eq!((done.code, done.out.trim()), (0, "reply 1"), "{done:#?}");
    assert_eq!(server.calls().len(), 2);
    let runs = owner.runs().await;
    assert_eq!(runs.len(), 1);
    assert_eq!(runs[0].path.as_deref().unwrap(), folder.file("chats.flow.json"));
    // What changes something is done by the owner, too.
    assert_eq!(home.plait(&["runs", "rm", "last"]).code, 0);
    assert!(owner.runs().await.is_empty());
    owner.close().await;
    assert!(!home.path().join("owner/owner.sock").exists());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn terminal_works_for_its_own_user() {
    let home = Home::default();
    let owner = Owner::open(&home);
    owner.plait.call(AddUser { name: "ada".to_owned(), switch: false }).await.unwrap();
    let done = home.plait(&["run", "hello", "--user", "ada"]);
    assert_eq!(done.code, 0, "{done:#?}");
    assert!(owner.runs().await.is_empty(), "the window's user has no run");
    let of_ada = ListRuns { user: Some(UserName::parse("ada").unwrap()), ..ListRuns::default() };
    assert_eq!(owner.plait.call(of_ada).await.unwrap().len(), 1);
    let unknown = home.plait(&["run", "hello", "--user", "bob"]);
    assert!(unknown.code == 2 && unknown.err.contains("user.unknown"), "{unknown:#?}");
    owner.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn key_that_only_this_terminal_has_is_said_to_be_unknown_to_the_owner() {
    const NAME: &str = "PLAIT_TEST_KEY_OF_ONE_TERMINAL";
    let server = echo_server().await;
    let folder = FlowFolder::with_files(&[("chats.flow.json", &chats(&["one"]))]);
    let home = Home::default();
    home.set_provider_url(&server.url).await;
    home.change_settings(|settings| settings["providers"]["openai"]["keyEnv"] = json!(NAME)).await;
    let owner = Owner::open(&home);
    let mut command = home.command(&["run", &folder.file("chats.flow.json")]);
    let refused = output(command.env(NAME, "sk-1").spawn().unwrap());
    assert_eq!((refused.code, server.calls().len()), (1, 0), "{refused:#?}");
    let note = format!("note: {NAME} is set in this terminal. The process that has the data directory open");
    assert!(refused.err.contains(&note), "{}", refused.err);
    owner.close().await;
}
