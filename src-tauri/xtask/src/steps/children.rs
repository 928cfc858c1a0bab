//! The processes we start, each in a group of its own, so that ending a step ends all of it,
//! and ending us (Ctrl-C, a runner's SIGTERM) leaves nothing behind.

use std::io;
use std::process::{Child, ChildStderr, ChildStdout, Command, ExitStatus};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// The groups that are running now.
static RUNNING: Mutex<Vec<u32>> = Mutex::new(Vec::new());

/// Whether a child has the terminal. It is interrupted by the same key then, and knows best what to do about it.
static HANDED_OVER: AtomicBool = AtomicBool::new(false);

/// A started process and its descendants.
pub(super) struct Group {
    child: Child,
}

/// Starts `command` in a process group of its own.
pub(super) fn start(command: &mut Command) -> io::Result<Group> {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    let child = command.spawn()?;
    running(|groups| groups.push(child.id()));
    Ok(Group { child })
}

/// From now on, being interrupted or ended takes the children along.
pub(crate) fn end_children_with_us() {
    let installed = ctrlc::set_handler(|| {
        if HANDED_OVER.load(Ordering::SeqCst) {
            return;
        }
        running(|groups| groups.drain(..).for_each(kill));
        std::process::exit(130);
    });
    if let Err(error) = installed {
        eprintln!("note: children may outlive an interruption ({error})");
    }
}

/// Runs `command` in our place: it has the terminal, its input and its interruptions.
pub(super) fn hand_over(command: &mut Command) -> io::Result<ExitStatus> {
    HANDED_OVER.store(true, Ordering::SeqCst);
    let status = command.status();
    HANDED_OVER.store(false, Ordering::SeqCst);
    status
}

impl Group {
    pub(super) fn stdout(&mut self) -> Option<ChildStdout> {
        self.child.stdout.take()
    }

    pub(super) fn stderr(&mut self) -> Option<ChildStderr> {
        self.child.stderr.take()
    }

    /// How it ended, if it has.
    pub(super) fn ended(&mut self) -> io::Result<Option<ExitStatus>> {
        self.child.try_wait()
    }

    /// Ends it and all its descendants that stayed in the group.
    pub(super) fn end(&mut self) {
        kill(self.child.id());
        // Already ended is what we want.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let id = self.child.id();
        running(|groups| groups.retain(|&group| group != id));
    }
}

fn running(act: impl FnOnce(&mut Vec<u32>)) {
    act(&mut RUNNING.lock().unwrap_or_else(std::sync::PoisonError::into_inner));
}

#[cfg(unix)]
fn kill(group: u32) {
    use rustix::process::{Pid, Signal, kill_process_group};
    if let Some(pid) = i32::try_from(group).ok().and_then(Pid::from_raw) {
        // It may have ended by itself meanwhile.
        let _ = kill_process_group(pid, Signal::KILL);
    }
}

#[cfg(not(unix))]
fn kill(_group: u32) {}
