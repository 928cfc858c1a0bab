//! Opens the application for a command, with the progress of a long start on standard error.

use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::pin::pin;

use futures::FutureExt as _;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use plait_api::hosts::HostList;
use plait_api::{AllowedHost, Connection, ErrorReply, Opening, Options, Plait};

use crate::codes;
use crate::ctrl_c::CtrlC;
use crate::exit::{CliError, warning_text};
use crate::terminal::print_error;

/// The data directory, and the user to work for, if the command line names one.
#[derive(Clone, Debug)]
pub(crate) struct Home {
    pub(crate) path: PathBuf,
    pub(crate) user: Option<String>,
    /// The host to work with in place of the data directory.
    pub(crate) host: Option<String>,
}

impl Deref for Home {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.path
    }
}

/// For a command that only a host has.
pub(crate) async fn of_host(home: &Home) -> Result<Connection, ErrorReply> {
    if let Some(host) = on_host(home).await? {
        return Ok(host);
    }
    Err(ErrorReply::new(codes::USAGE_HOST, "This command works with a host.")
        .hint("Name one: `plait --host NAME …`. `plait hosts list` lists the hosts."))
}

/// The host that the command line names.
async fn on_host(home: &Home) -> Result<Option<Connection>, ErrorReply> {
    let Some(name) = &home.host else { return Ok(None) };
    let access = HostList::open(&home.path).access(name).await?;
    Connection::to_host(access).map(Some)
}

/// How a command that works with the same application begins, for hints: `plait`, or `plait --host NAME`.
pub(crate) fn program(app: &Connection) -> String {
    app.host_name().map_or_else(|| "plait".to_owned(), |name| format!("plait --host {name}"))
}

/// For a command that changes something. If another process has the data directory open, that one executes it; if it does not serve
/// others, this waits for it a few seconds, and is refused then.
pub(crate) async fn for_writing(home: &Home) -> Result<Connection, ErrorReply> {
    if let Some(host) = on_host(home).await? {
        return Ok(host);
    }
    Connection::open(opening(home, &[])).await
}

/// The same for a command that reads if it cannot write: it does not wait.
pub(crate) async fn for_writing_now(home: &Home) -> Result<Connection, ErrorReply> {
    if let Some(host) = on_host(home).await? {
        return Ok(host);
    }
    Connection::open(Opening { waits: false, ..opening(home, &[]) }).await
}

/// For a command that runs a flow, with hosts that may have private addresses. Other commands use the data directory through it.
pub(crate) async fn for_running(
    home: &Home,
    allowed_hosts: &[AllowedHost],
) -> Result<Connection, ErrorReply> {
    if let Some(host) = on_host(home).await? {
        return Ok(host);
    }
    let app = Connection::open(Opening { serves: true, ..opening(home, allowed_hosts) }).await?;
    if app.here().is_none() && !allowed_hosts.is_empty() {
        let hosts: Vec<String> = allowed_hosts.iter().map(ToString::to_string).collect();
        print_error(&format!(
            "note: Another Plait has the data directory open and runs the flow. Whether {} may have a private or local address is decided \
             there; `plait tools hosts add` allows it.\n",
            hosts.join(", ")
        ));
    }
    Ok(app)
}

/// The opening of a server, which opens the data directory again and again, and writes nothing to the terminal.
pub(crate) fn serving(home: &Home) -> Opening {
    Opening { serves: true, on_wait: |_| (), ..opening(home, &[]) }
}

fn opening(home: &Home, allowed_hosts: &[AllowedHost]) -> Opening {
    let (home, allowed_hosts) = (home.clone(), allowed_hosts.to_vec());
    let options = move || {
        let allowed_hosts = allowed_hosts.clone();
        complete(&home, Options { allowed_hosts, ..Options::of_application(&home.path, plait_app::parts()) })
    };
    Opening {
        options: Box::new(options),
        serves: false,
        waits: true,
        on_wait: |locked| print_error(&format!("{} Waiting for it…\n", locked.message)),
        on_open: print_notices,
    }
}

/// Closes the application. If other processes use it through this one, it first waits until what they began is done: what is under way
/// would be bought again by the process that goes on with it. Ctrl+C leaves it to that one at once.
pub(crate) async fn close(app: &Connection) -> Result<(), CliError> {
    if app.serves_others() {
        let mut idle = pin!(app.others_idle());
        if (&mut idle).now_or_never().is_none() {
            print_error(
                "Other terminals work through this process: waiting for them (Ctrl+C hands them over).\n",
            );
            let mut ctrl_c = CtrlC::listen()?;
            tokio::select! {
                () = idle => {}
                () = ctrl_c.pressed() => {}
            }
        }
    }
    Ok(app.close().await?)
}

/// Reads `host=NAME[:PORT]`.
pub(crate) fn parse_host(text: &str) -> Result<AllowedHost, String> {
    match text.split_once('=') {
        Some(("host", host)) => host.parse(),
        _ => Err("expected host=NAME or host=NAME:PORT".to_owned()),
    }
}

/// For a command that only reads, also beside a process that writes.
pub(crate) async fn for_reading(home: &Home) -> Result<Connection, ErrorReply> {
    if let Some(host) = on_host(home).await? {
        return Ok(host);
    }
    Plait::open(complete(home, Options::reading(&home.path, plait_app::parts()))).map(Connection::from)
}

/// Reports stored values that are not in force, such as a setting that can't be read: a run would silently differ.
fn print_notices(app: &Plait) {
    for notice in app.notices() {
        print_error(&warning_text(notice));
    }
}

fn complete(home: &Home, options: Options) -> Options {
    Options { user: home.user.clone(), progress: Some(index_progress()), ..options }
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
