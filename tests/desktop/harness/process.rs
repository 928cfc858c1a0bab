//! Finds processes by what they run for, and ends them with everything below them.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::process::Child;
use std::time::Duration;

use anyhow::{Context, Result};
use rustix::process::{Pid, Signal, kill_process};

/// A started process that ends, with all its descendants, when this is dropped.
#[derive(Debug)]
pub struct Owned(Child);

impl Owned {
    /// Takes charge of a process.
    pub fn new(child: Child) -> Self {
        Self(child)
    }

    /// The process itself.
    pub fn child(&mut self) -> &mut Child {
        &mut self.0
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        // The list is made before the first one dies, because orphans change their parent.
        for pid in descendants(self.0.id()) {
            kill(pid);
        }
        // An error means that it has ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Kills a process at once, as `kill -9` does. One that is gone already is no error.
pub fn kill(pid: u32) {
    if let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) {
        let _ = kill_process(pid, Signal::KILL);
    }
}

/// The processes that run `binary` with `value` for the environment variable `name`.
pub fn running(binary: &Path, name: &str, value: &Path) -> Vec<u32> {
    let wanted = format!("{name}={}", value.display());
    let matches = |pid: &u32| {
        fs::read_link(format!("/proc/{pid}/exe")).is_ok_and(|exe| exe == binary)
            && fs::read(format!("/proc/{pid}/environ"))
                .is_ok_and(|environ| environ.split(|byte| *byte == 0).any(|pair| pair == wanted.as_bytes()))
    };
    pids().into_iter().filter(matches).collect()
}

/// How long ago a process began, to the hundredth of a second: the 22nd field of its `stat`, beside the time since the
/// system's start.
pub fn age(pid: u32) -> Result<Duration> {
    /// Linux counts in these for every program, whatever its own clock.
    const TICKS_A_SECOND: f64 = 100.0;
    let stat = fs::read_to_string(format!("/proc/{pid}/stat"))?;
    let began =
        stat.rsplit_once(')').and_then(|(_, fields)| fields.split_whitespace().nth(19)?.parse::<f64>().ok());
    let uptime = fs::read_to_string("/proc/uptime")?;
    let now = uptime.split_whitespace().next().and_then(|seconds| seconds.parse::<f64>().ok());
    let (began, now) = began.zip(now).context("/proc does not say when a process began")?;
    Ok(Duration::from_secs_f64((now - began / TICKS_A_SECOND).max(0.0)))
}

/// Everything below a process, itself included.
fn descendants(root: u32) -> Vec<u32> {
    let mut children: HashMap<u32, Vec<u32>> = HashMap::new();
    for pid in pids() {
        if let Some(parent) = parent(pid) {
            children.entry(parent).or_default().push(pid);
        }
    }
    let mut found = vec![root];
    let mut next = 0;
    while let Some(pid) = found.get(next) {
        let below = children.remove(pid).unwrap_or_default();
        found.extend(below);
        next += 1;
    }
    found
}

fn pids() -> Vec<u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

/// The fourth field of `stat`; the second is the name in brackets, which may hold anything.
fn parent(pid: u32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests;
