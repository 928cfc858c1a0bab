//! Finds processes by binary and environment, and ends processes with their descendants.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::process::Child;
use std::time::Duration;

use anyhow::{Context, Result};
use rustix::process::{Pid, Signal, kill_process};

/// A process that is killed with its descendants when this is dropped.
#[derive(Debug)]
pub struct ChildGuard(Child);

impl ChildGuard {
    /// Takes ownership of a process.
    pub fn new(child: Child) -> Self {
        Self(child)
    }

    pub fn child(&mut self) -> &mut Child {
        &mut self.0
    }
}

impl Drop for ChildGuard {
    fn drop(&mut self) {
        // List the descendants before killing any, because orphans change their parent.
        for pid in descendants(self.0.id()) {
            kill(pid);
        }
        // It may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Kills a process like `kill -9`. It is no error if it has ended.
pub fn kill(pid: u32) {
    if let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) {
        let _ = kill_process(pid, Signal::KILL);
    }
}

/// Whether a process that was killed or closed has released its files and locks: they go with its last thread, on a
/// busy machine some time after its memory.
pub fn has_let_go(pid: u32) -> bool {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).map_or(0, Iterator::count);
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let is_zombie = stat.rsplit_once(')').is_none_or(|(_, fields)| fields.trim_start().starts_with('Z'));
    is_zombie && threads <= 1
}

/// The processes that run `binary` with `value` for the environment variable `name`.
pub fn find_processes(binary: &Path, name: &str, value: &Path) -> Vec<u32> {
    let wanted = format!("{name}={}", value.display());
    let matches = |pid: &u32| {
        fs::read_link(format!("/proc/{pid}/exe")).is_ok_and(|exe| exe == binary)
            && fs::read(format!("/proc/{pid}/environ"))
                .is_ok_and(|environ| environ.split(|byte| *byte == 0).any(|pair| pair == wanted.as_bytes()))
    };
    pids().into_iter().filter(matches).collect()
}

/// The time since the start of a process, in hundredths of a second: from the 22nd field of its `stat` and the uptime.
pub fn process_age(pid: u32) -> Result<Duration> {
    /// The unit of times in `/proc` (`USER_HZ`).
    const TICKS_PER_SECOND: f64 = 100.0;
    let stat = fs::read_to_string(format!("/proc/{pid}/stat"))?;
    let started =
        stat.rsplit_once(')').and_then(|(_, fields)| fields.split_whitespace().nth(19)?.parse::<f64>().ok());
    let uptime = fs::read_to_string("/proc/uptime")?;
    let now = uptime.split_whitespace().next().and_then(|seconds| seconds.parse::<f64>().ok());
    let (started, now) = started.zip(now).context("/proc does not say the start of a process")?;
    Ok(Duration::from_secs_f64((now - started / TICKS_PER_SECOND).max(0.0)))
}

/// A process and all its descendants.
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

/// The fourth field of `stat`. The second is the name in parentheses, which may contain anything.
fn parent(pid: u32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests;
