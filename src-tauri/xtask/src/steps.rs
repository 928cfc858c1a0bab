//! Runs external programs and shows their progress: one line per step, elapsed time, output on failure.
//!
//! Every step has a timeout, so that unattended tasks end.

mod children;
mod output;
mod progress;

use std::collections::VecDeque;
use std::net::{Ipv4Addr, TcpStream};
use std::process::{Command, Stdio};
use std::sync::mpsc::RecvTimeoutError;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::repo;

pub(crate) use children::kill_children_on_exit;
use output::Line;
use progress::Progress;
pub(crate) use progress::{format_duration, print_note};

/// Longer than any step on a slow machine with empty caches.
const STEP_TIMEOUT: Duration = Duration::from_mins(40);

/// The interval of polling a silent program.
const POLL_INTERVAL: Duration = Duration::from_millis(120);

/// How many lines of a step's output are buffered.
const MAX_BUFFERED_LINES: usize = 400;

/// An external program to run.
pub(crate) struct Step {
    title: String,
    command: Command,
    timeout: Duration,
}

impl Step {
    /// A step that is displayed as `title`.
    pub(crate) fn new(title: impl Into<String>, command: Command) -> Self {
        Self { title: title.into(), command, timeout: STEP_TIMEOUT }
    }

    /// Runs it with a progress line. Shows its output only if it fails.
    pub(crate) fn run(self) -> Result<()> {
        self.execute(false).map(drop)
    }

    pub(crate) fn run_with_output(self) -> Result<()> {
        self.execute(true).map(drop)
    }

    /// Runs it with a progress line and returns the last lines of its standard output.
    pub(crate) fn capture_output(self) -> Result<Vec<String>> {
        self.execute(false)
    }

    /// Starts it in the background with its output on this terminal. Dropping the returned value ends it.
    pub(crate) fn spawn(mut self) -> Result<BackgroundProcess> {
        self.command.stdin(Stdio::null());
        let child = children::start(&mut self.command).with_context(|| self.start_error())?;
        Ok(BackgroundProcess { title: self.title, child })
    }

    /// Runs it with the terminal, for interactive programs. Without a timeout.
    pub(crate) fn run_in_foreground(self) -> Result<()> {
        let title = self.title.clone();
        match self.foreground_exit_code()? {
            0 => Ok(()),
            code => bail!("{title}: exit code {code}"),
        }
    }

    /// Runs it with the terminal and returns its exit code.
    pub(crate) fn foreground_exit_code(mut self) -> Result<i32> {
        let status = children::run_in_foreground(&mut self.command).with_context(|| self.start_error())?;
        status.code().with_context(|| format!("{}: {status}", self.title))
    }

    /// Runs it and returns the buffered lines of its standard output.
    fn execute(mut self, shows_output: bool) -> Result<Vec<String>> {
        let progress = Progress::start(&self.title, shows_output);
        self.command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = children::start(&mut self.command).with_context(|| self.start_error())?;
        let lines = output::read_lines(&mut child);
        let start = Instant::now();
        let mut buffered: VecDeque<Line> = VecDeque::new();
        let status = loop {
            match lines.recv_timeout(POLL_INTERVAL) {
                Ok(line) => {
                    progress.line(&line.text);
                    if buffered.len() == MAX_BUFFERED_LINES {
                        buffered.pop_front();
                    }
                    if !shows_output {
                        buffered.push_back(line);
                    }
                }
                // A grandchild may keep the pipe open; the end of the child decides.
                Err(silent) => {
                    if let Some(status) = child.try_wait()? {
                        break status;
                    }
                    if silent == RecvTimeoutError::Disconnected {
                        thread::sleep(POLL_INTERVAL);
                    }
                }
            }
            progress.tick();
            if start.elapsed() > self.timeout {
                child.kill();
                progress.failed();
                bail!("{}: stopped, it took longer than {}", self.title, format_duration(self.timeout));
            }
        };
        if status.success() {
            progress.done();
            return Ok(buffered.into_iter().filter(|line| line.is_stdout).map(|line| line.text).collect());
        }
        progress.failed();
        for line in buffered {
            println!("  │ {}", line.text);
        }
        bail!("{}: {status}", self.title)
    }

    fn start_error(&self) -> String {
        format!("{}: `{}` cannot be started", self.title, self.command.get_program().to_string_lossy())
    }
}

/// A program that runs until this value is dropped.
pub(crate) struct BackgroundProcess {
    title: String,
    child: children::Group,
}

impl BackgroundProcess {
    /// Waits until a local port accepts connections.
    pub(crate) fn wait_for_port(&mut self, port: u16, timeout: Duration) -> Result<()> {
        let start = Instant::now();
        while TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err() {
            if let Some(status) = self.child.try_wait()? {
                bail!("{}: {status}", self.title);
            }
            if start.elapsed() > timeout {
                bail!("{}: nothing listens on port {port} after {}", self.title, format_duration(timeout));
            }
            thread::sleep(POLL_INTERVAL);
        }
        Ok(())
    }
}

impl Drop for BackgroundProcess {
    fn drop(&mut self) {
        self.child.kill();
    }
}

/// The same `cargo` that started this process, in the root of the repository.
pub(crate) fn cargo(args: &[&str]) -> Command {
    let mut command = Command::new(crate::environment::variable("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(args).current_dir(crate::repo::root());
    command
}

/// `npm` in the editor's folder, without its notices.
pub(crate) fn npm(args: &[&str]) -> Command {
    npm_in(&crate::repo::ui(), args)
}

/// `npm` in a folder, without its notices.
pub(crate) fn npm_in(folder: &std::path::Path, args: &[&str]) -> Command {
    let program = if cfg!(windows) { "npm.cmd" } else { "npm" };
    let mut command = Command::new(program);
    command.args(args).current_dir(folder);
    for quiet in ["NPM_CONFIG_FUND", "NPM_CONFIG_AUDIT", "NPM_CONFIG_UPDATE_NOTIFIER"] {
        command.env(quiet, "false");
    }
    command
}

/// Installs the npm packages of a folder of the repository exactly as locked, without running scripts of theirs, unless that was done for
/// this lock file. `what` names them.
pub(crate) fn install_npm_packages(folder: &str, what: &str) -> Result<()> {
    let folder = repo::root().join(folder);
    let lock = repo::newest_modification(&folder.join("package-lock.json"));
    let installed = repo::newest_modification(&folder.join("node_modules/.package-lock.json"));
    if installed.is_some() && installed >= lock {
        print_note(&format!("Installed: {what}"));
        return Ok(());
    }
    let install = npm_in(&folder, &["ci", "--ignore-scripts", "--no-progress"]);
    Step::new(format!("Install {what}"), install).run()
}

#[cfg(all(test, unix))]
mod tests;
