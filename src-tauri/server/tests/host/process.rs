//! The binary `plait-server`, serving a temporary data directory.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use reqwest::{Client, Method, RequestBuilder, Response, StatusCode};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::server::{ModelServer, ServerReply};

/// A data directory with a token for each role.
pub struct Data {
    pub dir: TempDir,
    /// Of what is started here.
    pub version: Version,
    tokens: [(&'static str, String); 4],
}

/// A host that runs. Dropping it kills it.
pub struct Host<'d> {
    data: &'d Data,
    pub child: Child,
    pub url: String,
}

impl Data {
    pub fn new() -> Self {
        Self::of(Version::current())
    }

    pub fn of(version: Version) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let tokens = ["viewer", "runner", "editor", "admin"].map(|role| {
            let add = ["tokens", "add", "--name", role, "--role", role];
            let output = version.command(dir.path(), &add).output().unwrap();
            (role, text(&output.stdout))
        });
        Self { dir, version, tokens }
    }

    /// An empty one with the same tokens, once its files are copied.
    pub fn clone_tokens(&self) -> Self {
        Self { dir: tempfile::tempdir().unwrap(), version: self.version.clone(), tokens: self.tokens.clone() }
    }

    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    pub fn token(&self, role: &str) -> &str {
        &self.tokens.iter().find(|(name, _)| *name == role).unwrap().1
    }

    /// Executes a command of `plait-server` to its end, which has to be good.
    pub fn execute(&self, args: &[&str]) -> String {
        let output = self.version.command(self.path(), args).output().unwrap();
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        text(&output.stdout)
    }

    /// What a command of `plait-server` says that is refused.
    pub fn refused(&self, args: &[&str]) -> String {
        let output = self.version.command(self.path(), args).output().unwrap();
        assert!(!output.status.success(), "{args:?}");
        text(&output.stderr)
    }

    /// Writes a flow into the folder with the flows.
    pub fn flow(&self, name: &str, flow: &Value) {
        std::fs::create_dir_all(self.path().join("host/flows")).unwrap();
        std::fs::write(self.path().join("host/flows").join(name), flow.to_string()).unwrap();
    }

    pub fn serve(&self) -> Host<'_> {
        self.serve_with(&[])
    }

    pub fn serve_with(&self, args: &[&str]) -> Host<'_> {
        self.serve_as(&[&["--embedded", "--listen", "127.0.0.1:0"], args].concat())
    }

    pub fn serve_at(&self, listen: &str, args: &[&str]) -> Host<'_> {
        self.serve_as(&[&["--embedded", "--listen", listen], args].concat())
    }

    pub fn serve_as(&self, args: &[&str]) -> Host<'_> {
        self.start(&[], args)
    }

    /// With more variables in its environment.
    pub fn serve_in(&self, environment: &[(&str, &str)], args: &[&str]) -> Host<'_> {
        self.start(environment, &[&["--embedded", "--listen", "127.0.0.1:0"], args].concat())
    }

    fn start(&self, environment: &[(&str, &str)], args: &[&str]) -> Host<'_> {
        let serve = ["serve"];
        let mut command = self.version.command(self.path(), &[&serve, args].concat());
        command.envs(environment.iter().copied());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut url = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut url).unwrap();
        assert!(url.starts_with("http"), "the host does not start: {url}");
        Host { data: self, child, url: url.trim().to_owned() }
    }

    /// The audit log.
    pub fn audit(&self) -> Vec<Value> {
        let log = std::fs::read_to_string(self.path().join("host/audit.jsonl")).unwrap();
        log.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

impl Drop for Host<'_> {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Host<'_> {
    /// Asks it to end, and waits for that.
    pub fn end(mut self) {
        kill_process(Pid::from_child(&self.child), Signal::TERM).unwrap();
        assert!(self.child.wait().unwrap().success());
    }

    pub fn request(&self, role: &str, method: Method, path: &str) -> RequestBuilder {
        Client::new().request(method, format!("{}{path}", self.url)).bearer_auth(self.data.token(role))
    }

    /// Sends JSON. The status and the body of the response.
    pub async fn post(&self, role: &str, path: &str, body: Value) -> (StatusCode, Value) {
        read(self.request(role, Method::POST, path).json_body(&body).send().await.unwrap()).await
    }

    pub async fn get(&self, role: &str, path: &str) -> (StatusCode, Value) {
        read(self.request(role, Method::GET, path).send().await.unwrap()).await
    }

    /// Publishes flows of the folder under their names there.
    pub async fn publish(&self, names: &[&str]) {
        for name in names {
            let publish = json!({ "name": name, "path": format!("{name}.flow.json") });
            self.command("published.publish", publish).await;
        }
    }

    /// Executes a command as an admin, which has to succeed.
    pub async fn command(&self, name: &str, args: Value) -> Value {
        let (status, body) = self.post("admin", &format!("/commands/{name}"), args).await;
        assert_eq!(status, 200, "{name}: {body}");
        body
    }

    /// Answers the first question of a run: the status and the body of the response.
    pub async fn answer(&self, asked: &Value, value: &str) -> (StatusCode, Value) {
        let question = &asked["questions"][0];
        let answer = json!({
            "run": asked["run"], "node": question["node"], "epoch": question["epoch"], "value": value,
        });
        self.post("runner", "/commands/run.answer", answer).await
    }

    /// The same of a run of [`ask_flow`] to its end: its output.
    pub async fn output_for(&self, asked: &Value, value: &str) -> Value {
        let (status, reply) = self.answer(asked, value).await;
        assert_eq!(status, 200, "{reply}");
        let path = format!("/runs/{}?wait=60", asked["run"].as_str().unwrap());
        self.get("viewer", &path).await.1["outputs"]["out"]["value"].take()
    }

    /// Lets the provider `openai` be the server at this URL.
    pub async fn set_provider(&self, url: &str) {
        let provider = json!({ "kind": "openAi", "baseUrl": url, "keyEnv": null });
        self.command("settings.change", json!({ "patch": { "providers": { "openai": provider } } })).await;
    }
}

pub async fn read(response: Response) -> (StatusCode, Value) {
    let status = response.status();
    let body = response.text().await.unwrap();
    (status, serde_json::from_str(&body).unwrap_or_else(|error| panic!("{error}: {status} {body}")))
}

/// A request with JSON as its body.
pub trait JsonBody {
    fn json_body(self, body: &Value) -> Self;
}

impl JsonBody for RequestBuilder {
    fn json_body(self, body: &Value) -> Self {
        self.header("content-type", "application/json").body(body.to_string())
    }
}

/// The events of a stream to its end: name, id and data.
pub async fn events(response: Response) -> Vec<(String, Option<String>, Value)> {
    assert_eq!(response.status(), 200);
    let body = response.text().await.unwrap();
    let of_block = |block: &str| {
        let field = |name: &str| {
            block.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": ")).map(str::to_owned)
        };
        let data = serde_json::from_str(&field("data")?).ok()?;
        Some((field("event").unwrap_or_default(), field("id"), data))
    };
    body.split("\n\n").filter_map(of_block).collect()
}

/// A version of the program.
#[derive(Clone, Debug)]
pub struct Version {
    program: PathBuf,
    /// What its workers say as the revision of their engine, if not their own.
    revision: Option<u32>,
}

impl Version {
    /// The one that this test was built with.
    pub fn current() -> Self {
        Self { program: env!("CARGO_BIN_EXE_plait-server").into(), revision: None }
    }

    /// The one at a path.
    pub fn at(program: impl Into<PathBuf>) -> Self {
        Self { program: program.into(), revision: None }
    }

    /// The current one, whose workers say that their engine has the next revision.
    pub fn next() -> Self {
        Self { revision: Some(plait_journal::ENGINE_REVISION + 1), ..Self::current() }
    }

    /// The command `worker`.
    pub fn worker(&self, home: &Path, args: &[&str]) -> Command {
        let mut command = self.command(home, &[&["worker"], args].concat());
        command.args(self.revision.map(|revision| format!("--test-revision={revision}")));
        command
    }

    pub fn command(&self, home: &Path, args: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        // Keys and proxies of the developer are in the environment.
        let kept = ["PATH", "HOME", "LANG", "TMPDIR", "TEMP", "TMP", "SystemRoot", "LLVM_PROFILE_FILE"];
        command.args(args).env_clear();
        command.envs(kept.iter().filter_map(|name| Some((*name, std::env::var_os(name)?))));
        command.env("PLAIT_HOME", home).env("PLAIT_KEYCHAIN", "off").stdin(Stdio::null());
        command
    }
}

pub fn command(home: &Path, args: &[&str]) -> Command {
    Version::current().command(home, args)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap().trim().to_owned()
}

/// A chat that replies to the input of the run, in the context `main`.
pub fn chat_flow() -> Value {
    json!({
        "version": 1, "name": "Helper", "description": "Helps.", "layout": {},
        "nodes": {
            "start": { "type": "contextStart", "config":
                { "provider": "openai", "model": "scripted", "systemInstructions": "Be brief." } },
            "input": { "type": "manualInput" },
            "chat": { "type": "chat" },
        },
        "edges": {
            "a": edge("start", "context", "chat", "context"),
            "b": edge("input", "value", "chat", "message"),
        },
    })
}

pub fn edge(source: &str, output: &str, target: &str, input: &str) -> Value {
    json!({ "source": source, "sourceOutput": output, "target": target, "targetInput": input })
}

/// Asks a person, and outputs the answer.
pub fn ask_flow() -> Value {
    json!({
        "version": 1, "name": "Ask", "layout": {},
        "nodes": { "ask": { "type": "userInput", "config": { "prompt": "Who?" } }, "out": { "type": "output" } },
        "edges": { "a": edge("ask", "message", "out", "value") },
    })
}

/// A server that does not finish its second reply, but its third one.
pub async fn interrupted_model() -> ModelServer {
    ModelServer::start(|_, before| match before {
        0 => ServerReply::Text("first".to_owned()),
        1 => ServerReply::NoResponse,
        _ => ServerReply::Text("second".to_owned()),
    })
    .await
}
