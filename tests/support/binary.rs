//! The real `plait` binary in a temporary data directory.

use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use parking_lot::Mutex;
use plait_api::runs::{ListRuns, RunDetail, ShowRun};
use plait_api::{Options, Plait};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::runtime::Handle;

use super::journal::Journal;

/// A new process briefly inherits all open files of its parent, including the lock of a store. So stores are opened and
/// processes are started one at a time.
static STORE_LOCK: Mutex<()> = Mutex::new(());

/// Runs `work` while no other process is being started.
pub fn with_store_lock<T>(work: impl FnOnce() -> T) -> T {
    let _guard = STORE_LOCK.lock();
    work()
}

/// The variables that commands inherit.
const KEPT_VARIABLES: [&str; 12] = [
    "PATH",
    "HOME",
    "LANG",
    "TMPDIR",
    "TEMP",
    "TMP",
    "SystemRoot",
    "SYSTEMDRIVE",
    "USERPROFILE",
    "APPDATA",
    "LOCALAPPDATA",
    "LLVM_PROFILE_FILE",
];

/// A data directory for `plait` commands.
pub struct Home {
    pub dir: TempDir,
}

/// The output and exit code of a command.
#[derive(Debug)]
pub struct CliOutput {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl CliOutput {
    /// Standard output as one JSON value per line.
    pub fn events(&self) -> Vec<Value> {
        self.out
            .lines()
            .map(|line| {
                serde_json::from_str(line)
                    .unwrap_or_else(|error| panic!("{error} in line: {line}\n{self:#?}"))
            })
            .collect()
    }

    /// The type of the last event.
    pub fn last_type(&self) -> String {
        self.events().last().and_then(|event| event["type"].as_str().map(str::to_owned)).unwrap_or_default()
    }
}

impl From<Output> for CliOutput {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Default for Home {
    fn default() -> Self {
        Self { dir: tempfile::tempdir().unwrap() }
    }
}

impl Home {
    /// The path of the data directory.
    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    /// A command with this data directory and empty standard input.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_plait"));
        // Keys, proxies and model servers of the developer are in the environment. Only variables that a process needs
        // to start are kept.
        command.args(args).env_clear().envs(KEPT_VARIABLES.iter().filter_map(|name| {
            let value = std::env::var_os(name)?;
            Some((*name, value))
        }));
        command.env("PLAIT_HOME", self.path()).env("NO_COLOR", "1").env("PLAIT_KEYCHAIN", "off");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs a command to its end.
    pub fn plait(&self, args: &[&str]) -> CliOutput {
        self.spawn(args).wait_with_output().unwrap().into()
    }

    /// Starts a command.
    pub fn spawn(&self, args: &[&str]) -> Child {
        with_store_lock(|| self.command(args).spawn().unwrap())
    }

    /// Sets the base URL of the provider `openai`, like the settings of the window do.
    pub async fn set_provider_url(&self, url: &str) {
        self.change_settings(|settings| {
            settings["providers"]["openai"]["kind"] = json!("openAi");
            settings["providers"]["openai"]["baseUrl"] = json!(url);
            settings["providers"]["openai"]["keyEnv"] = Value::Null;
        })
        .await;
    }

    /// Changes the settings, like the window does.
    pub async fn change_settings(&self, change: impl FnOnce(&mut Value)) {
        let plait = Plait::open(Options::new(self.path(), plait_app::parts())).unwrap();
        let mut settings = plait_api::dispatch(&plait, "settings.get", json!({})).await.unwrap();
        change(&mut settings);
        plait_api::dispatch(&plait, "settings.set", json!({ "settings": settings })).await.unwrap();
        plait.close().await.unwrap();
    }

    /// The journal of the only run here, if it got as far as having one. For threads of a runtime that may block.
    pub fn stored_journal(&self) -> Option<Journal> {
        let read = async {
            let plait = Plait::open(Options::new(self.path(), plait_app::parts())).unwrap();
            let run = plait.call(ListRuns::default()).await.unwrap().pop()?.run;
            let RunDetail { entries, .. } = plait.call(ShowRun { run }).await.unwrap();
            plait.close().await.unwrap();
            Some(Journal(entries))
        };
        with_store_lock(|| Handle::current().block_on(read))
    }

    /// Writes a file into this directory and returns its path.
    pub fn file(&self, name: &str, text: &str) -> String {
        let path = self.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    }
}
