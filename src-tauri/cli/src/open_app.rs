//! Opens the application for a command, with the progress of a long start on standard error.

use std::ops::Deref;
use std::path::{Path, PathBuf};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use plait_api::{AllowedHost, ErrorReply, Options, Plait};

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

/// For a command that changes something. Another process that does so is refused meanwhile.
pub(crate) fn for_writing(home: &Home) -> Result<Plait, ErrorReply> {
    open_with_notices(home, Options::of_application(&home.path))
}

/// For a command that runs a flow, with hosts that may have private addresses.
pub(crate) fn for_running(home: &Home, allowed_hosts: Vec<AllowedHost>) -> Result<Plait, ErrorReply> {
    open_with_notices(home, Options { allowed_hosts, ..Options::of_application(&home.path) })
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
