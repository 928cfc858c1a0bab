//! The process of an MCP server: started with a small environment, in a group of its own, and ended with everything it
//! started.

use std::collections::BTreeMap;
use std::io;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use plait_core::error::Fault;
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::sync::Notify;

use super::log::{McpLogOrigin, ServerLog};
use crate::codes;

/// How long a server may take to end after its standard input was closed, and again after it was asked to terminate.
const END_TIMEOUT: Duration = Duration::from_millis(1_500);

/// The variables of Plait's own environment that a server gets. All others may be secrets.
const INHERITED: [&str; 25] = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "TERM",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "TMPDIR",
    "TZ",
    "DISPLAY",
    "XDG_RUNTIME_DIR",
    "SYSTEMROOT",
    "SYSTEMDRIVE",
    "WINDIR",
    "COMSPEC",
    "PATHEXT",
    "TEMP",
    "TMP",
    "USERPROFILE",
    "HOMEDRIVE",
    "HOMEPATH",
    "APPDATA",
    "LOCALAPPDATA",
];

/// How to start a server.
pub(super) struct ServerCommand {
    pub(super) command: String,
    pub(super) args: Vec<String>,
    pub(super) env: BTreeMap<String, String>,
    pub(super) cwd: Option<String>,
}

/// The ends of the pipes to a server.
pub(super) struct Pipes {
    pub(super) stdin: ChildStdin,
    pub(super) stdout: ChildStdout,
    pub(super) stderr: ChildStderr,
}

/// A running server. When dropped, the process is ended in the background.
pub(super) struct ServerProcess {
    stop: Arc<Notify>,
    exit: Arc<Mutex<Option<String>>>,
    ended: Arc<Notify>,
}

impl ServerProcess {
    /// Starts a server. `mcp.cannot_start`.
    pub(super) fn start(
        name: &str,
        server: &ServerCommand,
        log: Arc<ServerLog>,
    ) -> Result<(Self, Pipes), Fault> {
        let mut command = Command::new(&server.command);
        command.args(&server.args).env_clear();
        command
            .envs(INHERITED.iter().filter_map(|name| Some((name, crate::environment::os_variable(name)?))));
        command.envs(&server.env);
        if let Some(folder) = &server.cwd {
            command.current_dir(folder);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        #[cfg(unix)]
        command.process_group(0);
        let cannot_start = |why: String| {
            let message = format!("The MCP server `{name}` cannot be started: `{}`: {why}.", server.command);
            Fault::new(codes::MCP_CANNOT_START, message)
                .hint("Check that the program is installed and that the command is right.")
        };
        let mut child = command.spawn().map_err(|error| cannot_start(error.to_string()))?;
        let (Some(stdin), Some(stdout), Some(stderr)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(cannot_start("its pipes are missing".to_owned()));
        };
        let process = Self { stop: Arc::default(), exit: Arc::default(), ended: Arc::default() };
        let (stop, exit, ended) =
            (Arc::clone(&process.stop), Arc::clone(&process.exit), Arc::clone(&process.ended));
        tokio::spawn(async move {
            let text = watch(child, &stop).await;
            log.push(McpLogOrigin::Plait, &format!("The process ended: {text}."));
            *exit.lock() = Some(text);
            ended.notify_waiters();
            // Kept for later callers.
            ended.notify_one();
        });
        Ok((process, Pipes { stdin, stdout, stderr }))
    }

    /// How the process ended, if it did. Waits a moment, since a closed pipe is noticed before the end.
    pub(super) async fn exit(&self) -> Option<String> {
        if self.exit.lock().is_none() {
            let _ = tokio::time::timeout(Duration::from_millis(200), self.ended.notified()).await;
        }
        self.exit.lock().clone()
    }

    /// Ends the process, and resolves when it has ended.
    pub(super) async fn stop(&self) {
        self.stop.notify_one();
        if self.exit.lock().is_none() {
            let _ = tokio::time::timeout(END_TIMEOUT * 3, self.ended.notified()).await;
        }
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        self.stop.notify_one();
    }
}

/// Waits for the end of the process. Ends it once `stop` is notified; its standard input is closed by then. Its child
/// processes end with it.
async fn watch(mut child: Child, stop: &Notify) -> String {
    let group = child.id();
    let status = tokio::select! {
        status = child.wait() => status,
        () = stop.notified() => end(&mut child, group).await,
    };
    // A launcher such as `npx` may end before the server that it started.
    signal(group, Signal::Kill);
    match status {
        Ok(status) => status.to_string(),
        Err(error) => error.to_string(),
    }
}

/// Gives the process time to end, then asks it to, then kills it.
async fn end(child: &mut Child, group: Option<u32>) -> io::Result<ExitStatus> {
    if let Ok(status) = tokio::time::timeout(END_TIMEOUT, child.wait()).await {
        return status;
    }
    signal(group, Signal::Terminate);
    if let Ok(status) = tokio::time::timeout(END_TIMEOUT, child.wait()).await {
        return status;
    }
    let _ = child.start_kill();
    signal(group, Signal::Kill);
    child.wait().await
}

#[derive(Clone, Copy)]
enum Signal {
    Terminate,
    Kill,
}

/// Sends a signal to the process group of a server.
#[cfg(unix)]
fn signal(group: Option<u32>, signal: Signal) {
    let group = group.and_then(|id| i32::try_from(id).ok()).and_then(rustix::process::Pid::from_raw);
    if let Some(group) = group {
        let signal = match signal {
            Signal::Terminate => rustix::process::Signal::TERM,
            Signal::Kill => rustix::process::Signal::KILL,
        };
        // It fails if the group has ended.
        let _ = rustix::process::kill_process_group(group, signal);
    }
}

/// Other systems have no process groups; the process alone is killed.
#[cfg(not(unix))]
fn signal(_: Option<u32>, _: Signal) {}
