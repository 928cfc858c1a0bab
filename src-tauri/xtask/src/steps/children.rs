//! Child processes, each in a process group of its own, so that ending a step ends all its descendants, and ending this
//! process (Ctrl-C, SIGTERM) ends all steps.

use std::io;
use std::process::{Child, ChildStderr, ChildStdout, Command, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

/// The ids of the running groups.
static RUNNING: Mutex<Vec<u32>> = Mutex::new(Vec::new());

/// Whether a child has the terminal. Then Ctrl-C reaches it directly, and it handles the interruption.
static IN_FOREGROUND: AtomicBool = AtomicBool::new(false);

/// A started process and its descendants.
pub(super) struct Group {
    child: Child,
}

/// Starts `command` in a process group of its own.
pub(super) fn start(command: &mut Command) -> io::Result<Group> {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    let child = command.spawn()?;
    with_running_groups(|groups| groups.push(child.id()));
    Ok(Group { child })
}

/// Installs a handler that kills all children if this process is interrupted.
pub(crate) fn kill_children_on_exit() {
    let installed = ctrlc::set_handler(|| {
        if IN_FOREGROUND.load(Ordering::SeqCst) {
            return;
        }
        with_running_groups(|groups| groups.drain(..).for_each(kill_group));
        std::process::exit(130);
    });
    if let Err(error) = installed {
        eprintln!("note: children may outlive an interruption ({error})");
    }
}

/// Runs `command` with the terminal: its input and its interruptions.
pub(super) fn run_in_foreground(command: &mut Command) -> io::Result<ExitStatus> {
    IN_FOREGROUND.store(true, Ordering::SeqCst);
    let status = command.status();
    IN_FOREGROUND.store(false, Ordering::SeqCst);
    status
}

impl Group {
    pub(super) fn stdout(&mut self) -> Option<ChildStdout> {
        self.child.stdout.take()
    }

    pub(super) fn stderr(&mut self) -> Option<ChildStderr> {
        self.child.stderr.take()
    }

    pub(super) fn try_wait(&mut self) -> io::Result<Option<ExitStatus>> {
        self.child.try_wait()
    }

    /// Kills it and all descendants in the group.
    pub(super) fn kill(&mut self) {
        kill_group(self.child.id());
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let id = self.child.id();
        with_running_groups(|groups| groups.retain(|&group| group != id));
    }
}

fn with_running_groups(act: impl FnOnce(&mut Vec<u32>)) {
    act(&mut RUNNING.lock());
}

#[cfg(unix)]
fn kill_group(group: u32) {
    use rustix::process::{Pid, Signal, kill_process_group};
    if let Some(pid) = i32::try_from(group).ok().and_then(Pid::from_raw) {
        // It may have ended already.
        let _ = kill_process_group(pid, Signal::KILL);
    }
}

#[cfg(not(unix))]
fn kill_group(_group: u32) {}
