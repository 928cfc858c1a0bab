//! Judges from outside: the vendors' own Python packages judge every request that the tests of the providers send and write
//! replies that Plait has to read, a `LiteLLM` proxy answers a flow, `OpenAI`'s client talks to a host, Schemathesis probes one, and agent programs of three frameworks are recorded. The packages are installed in `target/`, from `PyPI`;
//! without Python or `PyPI` the part is skipped.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use super::rust::{Selection, has_nextest};
use crate::steps::{Step, cargo};
use crate::test::Report;
use crate::{python, repo};

/// The exact versions of the packages.
const REQUIREMENTS: &str = include_str!("../../vendors/requirements.txt");
/// The same of the frameworks of agent programs, which need other versions of the vendors' packages.
const AGENTS: &str = include_str!("../../vendors/agents.txt");
/// The same of what probes a host.
const HOST: &str = include_str!("../../vendors/host.txt");
/// Where the tests of the providers leave the requests that they sent, in the directory that cargo gives to tests.
const REQUESTS: &str = "tmp/provider-requests";
/// Where they look for replies that the packages wrote.
const REPLIES: &str = "tmp/vendor-replies";

/// Runs the steps. The tests of the providers have left their requests if the Rust tests `have_run` before.
pub(super) fn run(report: &mut Report, selection: Selection, have_run: bool) {
    const TITLE: &str = "The vendors' own packages";
    if !python::is_there() {
        report.skip(TITLE, "they need Python 3.10 or newer with venv and pip (python3-venv)");
        return;
    }
    let Ok(programs) = python::environment("vendors", REQUIREMENTS) else {
        report.skip(TITLE, "pip could not install them: is PyPI reachable?");
        return;
    };
    let python = programs.join("python");
    if !have_run {
        report.step("The tests of the providers leave their requests", || {
            forget_requests()?;
            run_provider_tests(selection, None)
        });
    }
    report.step("The vendors accept every request", || {
        let mut judge = script(&python, "judge_requests.py");
        judge.arg(repo::target().join(REQUESTS));
        Step::new("Requests, judged by the vendors' types", judge).run_with_output()
    });
    report.step("Replies of the vendors' types are read", || read_replies(&python, selection));
    report.step("A LiteLLM proxy answers in three protocols", || {
        let args = [&["build"], selection.args()].concat();
        Step::new("Compile plait", cargo(&args)).run()?;
        let mut proxy = script(&python, "litellm_proxy.py");
        proxy.arg(repo::binary("plait", false)).arg(folder().join("calculator.flow.json"));
        Step::new("LiteLLM proxy", proxy).run_with_output()
    });
    report.step("OpenAI's client talks to a host", || {
        let args = [&["build"], selection.args()].concat();
        Step::new("Compile plait-server", cargo(&args)).run()?;
        let mut clients = script(&python, "host_clients.py");
        clients.arg(repo::binary("plait-server", false)).arg(repo::root().join("examples"));
        Step::new("Clients of a host", clients).run_with_output()
    });
    probe_host(report, selection);
    record_agents(report, selection);
}

/// Lets Schemathesis send a host what its description allows, with the tokens of all roles and of strangers.
fn probe_host(report: &mut Report, selection: Selection) {
    const TITLE: &str = "Schemathesis probes a host";
    let Ok(programs) = python::environment("host-probes", HOST) else {
        report.skip(TITLE, "pip could not install it: is PyPI reachable?");
        return;
    };
    report.step(TITLE, || {
        let args = [&["build"], selection.args()].concat();
        Step::new("Compile plait-server", cargo(&args)).run()?;
        let mut probe = script(&programs.join("python"), "host_probes.py");
        probe.arg(repo::binary("plait-server", false)).arg(repo::root().join("examples"));
        Step::new("Probes of a host", probe).run_with_output()
    });
}

/// Records unmodified programs, replays them without their server and drafts them as flows.
fn record_agents(report: &mut Report, selection: Selection) {
    const TITLE: &str = "Agent programs are recorded, replayed and drafted";
    let Ok(programs) = python::environment("agents", AGENTS) else {
        report.skip(TITLE, "pip could not install their frameworks: is PyPI reachable?");
        return;
    };
    report.step(TITLE, || {
        let args = [&["build"], selection.args()].concat();
        Step::new("Compile plait", cargo(&args)).run()?;
        let mut record = script(&programs.join("python"), "record_agents.py");
        record.arg(repo::binary("plait", false));
        Step::new("Agent programs", record).run_with_output()
    });
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("vendors")
}

fn script(python: &Path, name: &str) -> Command {
    let mut command = Command::new(python);
    command.arg(folder().join(name));
    command
}

/// Empties the directory in which the tests of the providers leave their requests.
pub(super) fn forget_requests() -> Result<()> {
    empty(&repo::target().join(REQUESTS))
}

/// Writes replies and runs the test that reads them.
fn read_replies(python: &Path, selection: Selection) -> Result<()> {
    let replies = repo::target().join(REPLIES);
    empty(&replies)?;
    let mut write = script(python, "write_replies.py");
    write.arg(&replies);
    Step::new("Replies, written by the vendors' types", write).run()?;
    run_provider_tests(selection, Some("replies_of_the_vendors_types_are_read"))
}

/// Runs the tests of the providers, or one that is left out otherwise.
fn run_provider_tests(selection: Selection, ignored: Option<&str>) -> Result<()> {
    let filter = match ignored {
        Some(name) => format!("binary(providers) and test({name})"),
        None => "binary(providers)".to_owned(),
    };
    let args = if has_nextest() {
        let only: &[&str] = if ignored.is_some() { &["--run-ignored", "only"] } else { &[] };
        [&["nextest", "run", "--no-fail-fast"], selection.args(), only, &["-E", &filter]].concat()
    } else {
        let only: &[&str] = match &ignored {
            Some(name) => &["--", "--ignored", name],
            None => &[],
        };
        [&["test", "--no-fail-fast", "--package", "plait-adapters", "--test", "providers"], only].concat()
    };
    Step::new("Tests of the providers", cargo(&args)).run_with_output()
}

fn empty(directory: &Path) -> Result<()> {
    if directory.exists() {
        fs::remove_dir_all(directory)?;
    }
    Ok(fs::create_dir_all(directory)?)
}
