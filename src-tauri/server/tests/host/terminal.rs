//! `plait --host`: the terminal of one machine works with the host of another.

mod past_runs;
mod settings;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::process::{Data, Host, ask_flow, chat_flow, command};
use crate::server::{ModelServer, ServerReply};

/// A terminal with a data directory of its own.
struct Terminal {
    home: TempDir,
}

impl Terminal {
    /// One that has the host `team` in its list, with the token of this role.
    fn of(data: &Data, host: &Host<'_>, role: &str) -> Self {
        let terminal = Self { home: tempfile::tempdir().unwrap() };
        let added = terminal.plait_with(&["hosts", "add", "team", &host.url], data.token(role));
        assert!(added.status.success(), "{added:?}");
        terminal
    }

    fn plait_with(&self, args: &[&str], input: &str) -> Output {
        let mut plait = self
            .command(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        plait.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        plait.wait_with_output().unwrap()
    }

    fn command(&self, args: &[&str]) -> Command {
        let like = command(self.home.path(), args);
        let mut plait = Command::new(plait());
        plait.args(args).env_clear();
        plait.envs(like.get_envs().filter_map(|(name, value)| Some((name, value?))));
        plait.current_dir(self.home.path()).stdin(Stdio::null());
        plait
    }

    /// What a command on the host prints, with its exit code.
    fn on_host(&self, args: &[&str]) -> (i32, String, String) {
        let Output { status, stdout, stderr } =
            self.command(&[&["--host", "team"], args].concat()).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (status.code().unwrap(), text(stdout), text(stderr))
    }

    fn json_on_host(&self, args: &[&str]) -> Value {
        let (code, out, error) = self.on_host(args);
        assert_eq!(code, 0, "{args:?}: {error}");
        serde_json::from_str(&out).unwrap_or_else(|_| panic!("{out}"))
    }

    fn write(&self, name: &str, flow: &Value) -> PathBuf {
        let path = self.home.path().join(name);
        std::fs::write(&path, flow.to_string()).unwrap();
        path
    }
}

/// The program `plait`, which `cargo xtask test` builds beside the host.
fn plait() -> PathBuf {
    let plait = Path::new(env!("CARGO_BIN_EXE_plait-server"))
        .with_file_name(format!("plait{}", std::env::consts::EXE_SUFFIX));
    assert!(plait.exists(), "`cargo build --workspace --bin plait` builds {}", plait.display());
    plait
}

#[tokio::test(flavor = "multi_thread")]
async fn flow_is_published_run_answered_and_read_from_a_terminal() {
    let data = Data::new();
    let host = data.serve();
    let terminal = Terminal::of(&data, &host, "editor");
    let file = terminal.write("Ask.flow.json", &ask_flow());
    let file = file.to_str().unwrap();
    let (code, _, said) = terminal.on_host(&["publish", file]);
    assert_eq!((code, said.as_str()), (0, "ask is new on the host.\nPublished ask as version 1.\n"));
    let (code, out, _) = terminal.on_host(&["run", "ask", "--answer", "Ann"]);
    assert_eq!(code, 0, "{out}");
    assert!(out.contains("Ann"), "{out}");
    // Without an answer it waits, and another terminal answers.
    let (code, _, error) = terminal.on_host(&["run", "ask"]);
    assert_eq!(code, 3, "{error}");
    let runs = terminal.json_on_host(&["runs", "list", "--json"]);
    assert_eq!((runs.as_array().unwrap().len(), &runs[0]["status"]), (2, &json!("waiting")), "{runs}");
    let other = Terminal::of(&data, &host, "runner");
    let (code, out, error) = other.on_host(&["resume", "last", "--answer", "Bob"]);
    assert_eq!(code, 0, "{error}");
    assert!(out.contains("Bob"), "{out}");
    let (code, shown, error) = other.on_host(&["runs", "show", "last", "--json"]);
    assert_eq!(code, 0, "{error}");
    assert!(shown.lines().last().unwrap().contains("run.finished"), "{shown}");
    // The role is that of the token.
    let (code, _, error) = other.on_host(&["runs", "rm", "last"]);
    assert_eq!(code, 1, "{error}");
    assert!(error.contains("host.forbidden"), "{error}");
    // Nothing of it is in the data directory of the terminal.
    let own = terminal.command(&["runs", "list", "--json"]).output().unwrap();
    assert_eq!(String::from_utf8(own.stdout).unwrap().trim(), "[]");
}

#[tokio::test(flavor = "multi_thread")]
async fn versions_are_compared_published_and_rolled_back_from_a_terminal() {
    let data = Data::new();
    let host = data.serve();
    let terminal = Terminal::of(&data, &host, "editor");
    let mut flow = ask_flow();
    terminal.write("ask.flow.json", &flow);
    assert_eq!(terminal.on_host(&["publish", "ask.flow.json"]).0, 0);
    flow["nodes"]["ask"]["config"]["prompt"] = json!("Who are you?");
    terminal.write("draft.flow.json", &flow);
    let (code, out, said) = terminal.on_host(&["publish", "draft.flow.json", "--name", "ask", "--dry-run"]);
    assert_eq!((code, said.as_str()), (0, ""));
    assert!(out.contains("are you"), "{out}");
    assert_eq!(terminal.json_on_host(&["published", "ask", "--json"]).as_array().unwrap().len(), 1);
    let (_, _, said) = terminal.on_host(&["publish", "draft.flow.json", "--name", "ask"]);
    assert_eq!(said, "Published ask as version 2.\n");
    let (_, _, said) = terminal.on_host(&["publish", "draft.flow.json", "--name", "ask"]);
    assert_eq!(said, "ask is served like that already.\n");
    let (code, _, said) = terminal.on_host(&["published", "ask", "--roll-back", "1"]);
    assert_eq!((code, said.as_str()), (0, "The host serves version 1 of ask again.\n"));
    assert_eq!(terminal.json_on_host(&["published", "--json"])[0]["version"], 1);
    let args = ["published", "ask", "--schedule", "0 9 * * 1", "--timezone", "Europe/Paris"];
    let (code, _, said) = terminal.on_host(&args);
    assert_eq!((code, said.contains("begins by itself, the next time at 2")), (0, true), "{said}");
    assert!(terminal.on_host(&["published"]).1.contains("0 9 * * 1 Europe/Paris"));
    let (_, _, said) = terminal.on_host(&["published", "ask", "--unschedule"]);
    assert_eq!(said, "ask no longer begins by itself.\n");
    assert_eq!(terminal.on_host(&["published", "ask", "--remove"]).0, 0);
    assert_eq!(terminal.json_on_host(&["published", "--json"]), json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn file_of_the_terminal_runs_on_the_host_and_its_prompts_are_read() {
    let model = ModelServer::start(|_, _| ServerReply::Text("Hello Ann.".to_owned())).await;
    let data = Data::new();
    let host = data.serve();
    host.set_provider(&model.url).await;
    let terminal = Terminal::of(&data, &host, "editor");
    terminal.write("chat.flow.json", &chat_flow());
    let (code, out, error) = terminal.on_host(&["run", "chat.flow.json", "--input", "I am Ann", "--json"]);
    assert_eq!(code, 0, "{out}{error}");
    assert!(out.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()), "{out}");
    assert!(out.contains("Hello Ann."), "{out}");
    let (code, out, error) = terminal.on_host(&["lens", "show", "last"]);
    assert_eq!(code, 0, "{error}");
    assert!(out.contains("I am Ann"), "{out}");
    let (code, out, error) = terminal.on_host(&["runs", "list"]);
    assert_eq!(code, 0, "{error}");
    assert!(out.contains("Helper"), "{out}");
}

#[tokio::test(flavor = "multi_thread")]
async fn hosts_that_do_not_answer_and_commands_that_they_lack_are_errors() {
    let data = Data::new();
    let host = data.serve();
    let terminal = Terminal::of(&data, &host, "viewer");
    let (code, _, error) = terminal.on_host(&["keys", "list"]);
    assert_eq!(code, 2, "{error}");
    assert!(error.contains("usage.host"), "{error}");
    let (code, _, error) = terminal.on_host(&["run", "nothing"]);
    assert_eq!(code, 1, "{error}");
    assert!(error.contains("published.unknown"), "{error}");
    let without = terminal.command(&["published"]).output().unwrap();
    assert!(String::from_utf8(without.stderr).unwrap().contains("usage.host"));
    let unknown = terminal.command(&["--host", "other", "runs", "list"]).output().unwrap();
    assert!(String::from_utf8(unknown.stderr).unwrap().contains("hosts.unknown"));
    drop(host);
    let (code, _, error) = terminal.on_host(&["runs", "list"]);
    assert_eq!(code, 1, "{error}");
    assert!(error.contains("hosts.unreachable"), "{error}");
    let removed = terminal.command(&["hosts", "rm", "team"]).output().unwrap();
    assert!(removed.status.success());
    let listed = terminal.command(&["hosts", "list", "--json"]).output().unwrap();
    assert_eq!(String::from_utf8(listed.stdout).unwrap().trim(), "{}");
}
