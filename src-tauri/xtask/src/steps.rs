//! Runs outside programs and shows how they fare: one line per step, elapsed time, output when it matters.
//!
//! Every step has a limit, so that a chore ends even where nobody watches. It decides nothing about what to run.

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

pub(crate) use children::end_children_with_us;
use output::Line;
use progress::Progress;
pub(crate) use progress::{note, seconds};

/// No step of this repository takes longer, on a slow machine with empty caches.
const STEP_TIMEOUT: Duration = Duration::from_mins(40);

/// How often a silent program is polled.
const POLL_INTERVAL: Duration = Duration::from_millis(120);

/// How many lines of a quiet step are kept for the case that it fails.
const MAX_KEPT_LINES: usize = 400;

/// One outside program, to be run to its end.
pub(crate) struct Step {
    title: String,
    command: Command,
    limit: Duration,
}

impl Step {
    /// A step called `title` for people.
    pub(crate) fn new(title: impl Into<String>, command: Command) -> Self {
        Self { title: title.into(), command, limit: STEP_TIMEOUT }
    }

    /// Runs it behind a progress line; its output is shown only if it fails.
    pub(crate) fn quietly(self) -> Result<()> {
        self.watched(false).map(drop)
    }

    /// Runs it and passes its output on, line by line: for programs whose report is the point.
    pub(crate) fn aloud(self) -> Result<()> {
        self.watched(true).map(drop)
    }

    /// Runs it behind a progress line and gives the lines it wrote to its standard output.
    pub(crate) fn for_its_output(self) -> Result<Vec<String>> {
        self.watched(false)
    }

    /// Starts it in the background, with its output on this terminal. It ends when the returned value is dropped.
    pub(crate) fn in_background(mut self) -> Result<Background> {
        self.command.stdin(Stdio::null());
        let child = children::start(&mut self.command).with_context(|| self.cannot_start())?;
        Ok(Background { title: self.title, child })
    }

    /// Lets it have the terminal: for what a person talks to. It has no limit.
    pub(crate) fn hand_over(self) -> Result<()> {
        let title = self.title.clone();
        match self.hand_over_for_code()? {
            0 => Ok(()),
            code => bail!("{title}: exit code {code}"),
        }
    }

    /// Lets it have the terminal, and gives the code it ends with.
    pub(crate) fn hand_over_for_code(mut self) -> Result<i32> {
        let status = children::hand_over(&mut self.command).with_context(|| self.cannot_start())?;
        status.code().with_context(|| format!("{}: {status}", self.title))
    }

    /// Runs it to its end; gives what it wrote to its standard output, as far as that is kept.
    fn watched(mut self, aloud: bool) -> Result<Vec<String>> {
        let progress = Progress::start(&self.title, aloud);
        self.command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = children::start(&mut self.command).with_context(|| self.cannot_start())?;
        let said = output::of(&mut child);
        let start = Instant::now();
        let mut kept: VecDeque<Line> = VecDeque::new();
        let status = loop {
            match said.recv_timeout(POLL_INTERVAL) {
                Ok(line) => {
                    progress.line(&line.text);
                    if kept.len() == MAX_KEPT_LINES {
                        kept.pop_front();
                    }
                    if !aloud {
                        kept.push_back(line);
                    }
                }
                // A grandchild may keep the pipe open for ever; the end of the child is the end.
                Err(silent) => {
                    if let Some(status) = child.ended()? {
                        break status;
                    }
                    if silent == RecvTimeoutError::Disconnected {
                        thread::sleep(POLL_INTERVAL);
                    }
                }
            }
            progress.tick();
            if start.elapsed() > self.limit {
                child.end();
                progress.failed();
                bail!("{}: stopped, it took longer than {}", self.title, seconds(self.limit));
            }
        };
        if status.success() {
            progress.done();
            return Ok(kept.into_iter().filter(|line| line.standard).map(|line| line.text).collect());
        }
        progress.failed();
        for line in kept {
            println!("  │ {}", line.text);
        }
        bail!("{}: {status}", self.title)
    }

    fn cannot_start(&self) -> String {
        format!("{}: `{}` cannot be started", self.title, self.command.get_program().to_string_lossy())
    }
}

/// A program that runs until this value is dropped.
pub(crate) struct Background {
    title: String,
    child: children::Group,
}

impl Background {
    /// Waits until `port` of this machine accepts connections.
    pub(crate) fn wait_for_port(&mut self, port: u16, timeout: Duration) -> Result<()> {
        let start = Instant::now();
        while TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err() {
            if let Some(status) = self.child.ended()? {
                bail!("{}: {status}", self.title);
            }
            if start.elapsed() > timeout {
                bail!("{}: nothing listens on port {port} after {}", self.title, seconds(timeout));
            }
            thread::sleep(POLL_INTERVAL);
        }
        Ok(())
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        self.child.end();
    }
}

/// `cargo`, the same one that started us, in the root of the repository.
pub(crate) fn cargo(args: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(args).current_dir(crate::repo::root());
    command
}

/// `npm` in the editor's directory, without its advertisements.
pub(crate) fn npm(args: &[&str]) -> Command {
    let program = if cfg!(windows) { "npm.cmd" } else { "npm" };
    let mut command = Command::new(program);
    command.args(args).current_dir(crate::repo::ui());
    for quiet in ["NPM_CONFIG_FUND", "NPM_CONFIG_AUDIT", "NPM_CONFIG_UPDATE_NOTIFIER"] {
        command.env(quiet, "false");
    }
    command
}

#[cfg(all(test, unix))]
mod tests;
