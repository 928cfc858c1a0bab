//! Opens the application for a command, with the progress of a long start on standard error.

use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use plait_api::{AllowedHost, ErrorReply, Options, Plait};

use crate::codes;
use crate::exit::warning_text;
use crate::terminal::print_error;

/// The data directory, and the user to work for, if the command line names one.
#[derive(Clone, Debug)]
pub(crate) struct Home {
    pub(crate) path: PathBuf,
    pub(crate) user: Option<String>,
}

impl Deref for Home {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.path
    }
}

/// How often a command that changes something asks for the store while another process has it open.
const STORE_TRIES: usize = 50;
const STORE_RETRY_DELAY: Duration = Duration::from_millis(100);

/// For a command that changes something. While another process does so it waits for a few seconds, and is refused then.
pub(crate) fn for_writing(home: &Home) -> Result<Plait, ErrorReply> {
    wait_for_store(|| open_with_notices(home, Options::of_application(&home.path)))
}

/// The same for a command that reads if it cannot write: it does not wait.
pub(crate) fn for_writing_now(home: &Home) -> Result<Plait, ErrorReply> {
    open_with_notices(home, Options::of_application(&home.path))
}

/// For a command that runs a flow, with hosts that may have private addresses. It waits like [`for_writing`].
pub(crate) fn for_running(home: &Home, allowed_hosts: &[AllowedHost]) -> Result<Plait, ErrorReply> {
    let options = || Options { allowed_hosts: allowed_hosts.to_vec(), ..Options::of_application(&home.path) };
    wait_for_store(|| open_with_notices(home, options()))
}

/// Opens the store as soon as no other process has it open for writing. `store.locked` names that process if it takes too long.
fn wait_for_store(open: impl Fn() -> Result<Plait, ErrorReply>) -> Result<Plait, ErrorReply> {
    let mut opened = open();
    for attempt in 0..STORE_TRIES {
        match &opened {
            Err(error) if error.code == codes::STORE_LOCKED => {
                if attempt == 0 {
                    print_error(&format!("{} Waiting for it…\n", error.message));
                }
                std::thread::sleep(STORE_RETRY_DELAY);
                opened = open();
            }
            _ => break,
        }
    }
    opened
}

/// Reads `host=NAME[:PORT]`.
pub(crate) fn parse_host(text: &str) -> Result<AllowedHost, String> {
    match text.split_once('=') {
        Some(("host", host)) => host.parse(),
        _ => Err("expected host=NAME or host=NAME:PORT".to_owned()),
    }
}

/// For a command that only reads, also beside a process that writes.
pub(crate) fn for_reading(home: &Home) -> Result<Plait, ErrorReply> {
    open(home, Options::reading(&home.path))
}

/// Reports stored values that are not in force, such as a setting that can't be read: a run would silently differ.
fn open_with_notices(home: &Home, options: Options) -> Result<Plait, ErrorReply> {
    let app = open(home, options)?;
    for notice in app.notices() {
        print_error(&warning_text(notice));
    }
    Ok(app)
}

fn open(home: &Home, options: Options) -> Result<Plait, ErrorReply> {
    Plait::open(Options { user: home.user.clone(), progress: Some(index_progress()), ..options })
}

/// Shows how far the index is rebuilt: how many journals have been read, of how many. In a terminal only.
fn index_progress() -> Box<dyn FnMut(usize, usize) + Send> {
    let mut bar: Option<ProgressBar> = None;
    Box::new(move |done, total| {
        let bar = bar.get_or_insert_with(|| {
            // Nothing is drawn if standard error is no terminal.
            let bar = ProgressBar::with_draw_target(Some(total as u64), ProgressDrawTarget::stderr());
            // The template is valid; otherwise the default one is used.
            if let Ok(style) = ProgressStyle::with_template("Reading journals {pos} of {len} {wide_bar}") {
                bar.set_style(style);
            }
            bar
        });
        bar.set_position(done as u64);
        if done >= total {
            bar.finish_and_clear();
        }
    })
}
