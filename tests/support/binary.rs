//! The real `plait` binary, in a data directory of its own.

use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Mutex, PoisonError};

use serde_json::{Value, json};
use tempfile::TempDir;

/// A process that is being started has copies of all files its parent has open, for a moment: also of the lock of a
/// store. Whoever opens stores and starts processes in several threads does one at a time.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Does something with a store in this process while no other process is being started.
pub fn with_store<T>(work: impl FnOnce() -> T) -> T {
    let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    work()
}

/// A home for `plait` commands.
pub struct Home {
    pub dir: TempDir,
}

/// What a command said, and how it ended.
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

    /// A command in this home, with nothing on standard input.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_plait"));
        command.args(args).env("PLAIT_HOME", self.path()).env("NO_COLOR", "1").env_remove("OPENAI_API_KEY");
        // The keychain and the Ollama of whoever tests this are not ours.
        command.env("PLAIT_KEYCHAIN", "off").env_remove("PLAIT_KEYS_PASSPHRASE").env_remove("OLLAMA_HOST");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs it to its end.
    pub fn plait(&self, args: &[&str]) -> CliOutput {
        self.spawn(args).wait_with_output().unwrap().into()
    }

    /// Starts it.
    pub fn spawn(&self, args: &[&str]) -> Child {
        with_store(|| self.command(args).spawn().unwrap())
    }

    /// Sets the address of the OpenAI-compatible provider, as the settings of the window do.
    pub async fn provider_at(&self, url: &str) {
        let plait = plait_api::Plait::open(plait_api::Options::new(self.path())).unwrap();
        let settings = plait_api::dispatch(&plait, "settings.get", json!({})).await.unwrap();
        let mut settings = settings;
        settings["providers"]["openai"]["kind"] = json!("openAi");
        settings["providers"]["openai"]["baseUrl"] = json!(url);
        settings["providers"]["openai"]["keyEnv"] = Value::Null;
        plait_api::dispatch(&plait, "settings.set", json!({ "settings": settings })).await.unwrap();
        plait.close().await.unwrap();
    }

    /// Writes a flow file into this home and gives its path.
    pub fn file(&self, name: &str, text: &str) -> String {
        let path = self.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    }
}
