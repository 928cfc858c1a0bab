//! Workers beside a host with a database.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::postgres::Postgres;
use crate::process::{Data, Host, Version, chat_flow, edge};

/// A database, and the data directory of its first host.
pub struct Cluster {
    pub postgres: Postgres,
    pub database: String,
    pub data: Data,
}

impl Cluster {
    pub fn new() -> Self {
        Self::of(Version::current())
    }

    /// Whose host and tokens are of a version.
    pub fn of(version: Version) -> Self {
        let postgres = Postgres::start();
        let database = postgres.database("plait");
        Self { postgres, database, data: Data::of(version) }
    }

    pub fn host(&self) -> Host<'_> {
        self.host_of(&self.data)
    }

    /// A host with another data directory.
    pub fn host_of<'d>(&self, data: &'d Data) -> Host<'d> {
        self.host_with(data, &[])
    }

    pub fn host_with<'d>(&self, data: &'d Data, args: &[&str]) -> Host<'d> {
        data.serve_as(&[&["--listen", "127.0.0.1:0", "--database", &self.database], args].concat())
    }

    pub fn worker(&self) -> Worker {
        Worker::start(self.data.path(), &self.database)
    }

    /// Publishes a flow on the first host.
    pub fn publish(&self, name: &str, flow: &Value) {
        publish(&self.data, name, flow);
    }
}

/// A worker that runs. Dropping it kills it.
pub struct Worker {
    pub child: Child,
    /// Where Restate asks it, if it does.
    pub restate: Option<String>,
    home: TempDir,
}

impl Worker {
    /// With the settings of another data directory.
    pub fn start(settings: &Path, database: &str) -> Self {
        Self::start_with(settings, database, &["--lease", "1"])
    }

    pub fn start_with(settings: &Path, database: &str, args: &[&str]) -> Self {
        Self::start_version(&Version::current(), settings, database, args)
    }

    pub fn start_version(version: &Version, settings: &Path, database: &str, args: &[&str]) -> Self {
        let home = tempfile::tempdir().unwrap();
        copy_settings(settings, home.path());
        for tenant in std::fs::read_dir(settings.join("tenants")).into_iter().flatten().flatten() {
            let own = home.path().join("tenants").join(tenant.file_name());
            std::fs::create_dir_all(&own).unwrap();
            copy_settings(&tenant.path(), &own);
        }
        let mut command = version.worker(home.path(), &[&["--database", database], args].concat());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        let line = lines.next().unwrap_or_default();
        assert!(line.starts_with("worker "), "the worker does not start: {line}");
        let restate = args.contains(&"--restate-listen").then(|| {
            let line = lines.next().unwrap_or_default();
            let address = line.strip_prefix("restate ");
            address.unwrap_or_else(|| panic!("the worker does not listen: {line}")).to_owned()
        });
        Self { child, restate, home }
    }

    /// With requests of Restate that this key signs, at an address of its own.
    pub fn start_for_restate(
        version: &Version,
        settings: &Path,
        database: &str,
        key: &str,
        args: &[&str],
    ) -> Self {
        let restate = ["--restate-listen", "127.0.0.1:0", "--restate-key", key];
        Self::start_version(version, settings, database, &[&restate, args].concat())
    }

    /// The journals in its data directory.
    pub fn journals(&self) -> usize {
        let months = std::fs::read_dir(self.home.path().join("runs")).into_iter().flatten().flatten();
        let files = months.flat_map(|month| std::fs::read_dir(month.path()).into_iter().flatten().flatten());
        files.filter(|file| file.path().extension().is_some_and(|extension| extension == "journal")).count()
    }

    /// A file in its data directory.
    pub fn file(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.home.path().join(name)).unwrap()
    }

    pub fn end(mut self) {
        kill_process(Pid::from_child(&self.child), Signal::TERM).unwrap();
        assert!(self.child.wait().unwrap().success());
        assert_eq!(self.journals(), 0, "copies are removed");
    }
}

fn copy_settings(from: &Path, to: &Path) {
    let settings = from.join("settings.json");
    if settings.exists() {
        std::fs::copy(settings, to.join("settings.json")).unwrap();
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub fn publish(data: &Data, name: &str, flow: &Value) {
    data.flow(&format!("{name}.flow.json"), flow);
    let path = data.path().join(format!("host/flows/{name}.flow.json"));
    data.execute(&["publish", name, path.to_str().unwrap()]);
}

/// A chat, and another one that replies to its reply.
pub fn two_chats() -> Value {
    let mut flow = chat_flow();
    flow["nodes"]["second"] = json!({ "type": "chat" });
    flow["edges"]["c"] = edge("chat", "context", "second", "context");
    flow["edges"]["d"] = edge("chat", "response", "second", "message");
    flow
}

pub async fn until(what: impl Fn() -> bool) {
    while !what() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// A data directory with the tokens, published flows and settings of another one: that of a second host.
pub fn copy_host(from: &Data) -> Data {
    let copy = from.clone_tokens();
    for folder in ["host", "published"] {
        copy_folder(&from.path().join(folder), &copy.path().join(folder));
    }
    // A host without settings has no file with them.
    let _ = std::fs::copy(from.path().join("settings.json"), copy.path().join("settings.json"));
    copy
}

fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_file() {
            std::fs::copy(entry.path(), target).unwrap();
        } else if entry.file_name() != "copies" {
            copy_folder(&entry.path(), &target);
        }
    }
}
