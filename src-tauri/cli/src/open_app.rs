//! Opens the application for a command, with the progress of a long start on standard error.

use std::path::Path;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use plait_api::{AllowedHost, ErrorReply, Options, Plait};

/// For a command that changes something. Another process that does so is refused meanwhile.
pub(crate) fn for_writing(home: &Path) -> Result<Plait, ErrorReply> {
    open(Options::of_application(home))
}

/// For a command that runs a flow, with what its person allows.
pub(crate) fn for_running(home: &Path, allowed: Vec<Allowance>) -> Result<Plait, ErrorReply> {
    let allowed_hosts = allowed.into_iter().map(|Allowance::Host(host)| host).collect();
    open(Options { allowed_hosts, ..Options::of_application(home) })
}

/// One `--allow`.
#[derive(Clone, Debug)]
pub(crate) enum Allowance {
    /// A host that tools may request although its address is not public.
    Host(AllowedHost),
}

/// Reads `host=NAME[:PORT]`.
pub(crate) fn parse_allowance(text: &str) -> Result<Allowance, String> {
    match text.split_once('=') {
        Some(("host", host)) => Ok(Allowance::Host(host.parse()?)),
        _ => Err("expected host=NAME or host=NAME:PORT".to_owned()),
    }
}

/// For a command that only reads, also beside a process that writes.
pub(crate) fn for_reading(home: &Path) -> Result<Plait, ErrorReply> {
    open(Options::reading(home))
}

fn open(options: Options) -> Result<Plait, ErrorReply> {
    Plait::open(Options { progress: Some(index_progress()), ..options })
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
