//! The targets: one for each kind of input from outside.

#![allow(clippy::expect_used, clippy::panic, reason = "a panic is how a handler reports what is wrong")]

mod answer;
mod broken;
mod dap;
mod document;
mod expression;
mod flow;
mod import;
mod journal;
mod pipeline;
mod program;
mod recording;
mod response;
mod schema;
mod suite;
mod template;

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::ValueEnum;
use plait_adapters::workers::WorkerPool;

/// A kind of input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Target {
    /// Flow files: reading, checking, planning and writing them
    Flow,
    /// Pipelines: reading, checking and saving them
    Pipeline,
    /// Files of other tools: importing them
    Import,
    /// Journals: the files of the store, and the entries in them
    Journal,
    /// Conditions (CEL) and queries (jq)
    Expression,
    /// Templates (Handlebars)
    Template,
    /// JSON Schemas of questions and structured replies
    Schema,
    /// Recordings: the files of exported runs
    Recording,
    /// Logs of recorded programs, and traces: reading and drafting them
    Program,
    /// Replies of model servers, in the protocol of each provider
    Response,
    /// Answers to questions, as text
    Answer,
    /// Sessions of editors that debug: what they send
    Dap,
    /// Documents of knowledge bases: Markdown, text, code, HTML, PDF
    Document,
    /// Suites of tests, and the rows of their datasets
    Suite,
    /// What fails on purpose, to test the search
    #[value(hide = true)]
    Broken,
}

/// Handles the inputs of a target.
pub(crate) trait Handler {
    /// Handles one input. The text names the outcome; inputs with the same outcome need not be distinguished. Panics if
    /// something is wrong with Plait. An error says what this machine lacks; that is no finding.
    fn handle(&mut self, input: &[u8]) -> anyhow::Result<String>;
}

impl Target {
    /// As the command line has it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Flow => "flow",
            Self::Pipeline => "pipeline",
            Self::Import => "import",
            Self::Journal => "journal",
            Self::Expression => "expression",
            Self::Template => "template",
            Self::Schema => "schema",
            Self::Recording => "recording",
            Self::Program => "program",
            Self::Response => "response",
            Self::Answer => "answer",
            Self::Suite => "suite",
            Self::Dap => "dap",
            Self::Document => "document",
            Self::Broken => "broken",
        }
    }

    /// The handler of its inputs. An error says what this machine lacks for it; that is no finding.
    pub(crate) fn start(self) -> anyhow::Result<Box<dyn Handler>> {
        Ok(match self {
            Self::Flow => Box::new(flow::FlowHandler::new()),
            Self::Pipeline => Box::new(pipeline::PipelineHandler::new()),
            Self::Import => Box::new(import::ImportHandler::new()),
            Self::Journal => Box::new(journal::JournalHandler::new()?),
            Self::Expression => Box::new(expression::ExpressionHandler::new()?),
            Self::Template => Box::new(template::TemplateHandler::new()?),
            Self::Schema => Box::new(schema::SchemaHandler),
            Self::Recording => Box::new(recording::RecordingHandler),
            Self::Program => Box::new(program::ProgramHandler::new()?),
            Self::Response => Box::new(response::ResponseHandler::new()?),
            Self::Answer => Box::new(answer::AnswerHandler),
            Self::Suite => Box::new(suite::SuiteHandler),
            Self::Dap => Box::new(dap::DapHandler::new()?),
            Self::Document => Box::new(document::DocumentHandler::new()?),
            Self::Broken => Box::new(broken::BrokenHandler),
        })
    }

    /// Inputs to begin with.
    pub(crate) fn seeds(self) -> anyhow::Result<Vec<Vec<u8>>> {
        let texts = |texts: &[&str]| texts.iter().map(|text| text.as_bytes().to_vec()).collect();
        Ok(match self {
            Self::Flow => files(&["examples", "tests/fixtures/flows", "tests/fixtures/flows/bad"])?,
            Self::Pipeline => files(&["tests/fixtures/pipelines"])?,
            Self::Import => files(import::SEEDS)?,
            Self::Journal => journal::seeds()?,
            Self::Expression => texts(expression::SEEDS),
            Self::Template => texts(template::SEEDS),
            Self::Schema => texts(schema::SEEDS),
            Self::Recording => texts(recording::SEEDS),
            Self::Program => texts(program::SEEDS),
            Self::Response => response::seeds(),
            Self::Answer => texts(answer::SEEDS),
            Self::Suite => texts(suite::SEEDS),
            Self::Dap => texts(dap::SEEDS),
            Self::Document => texts(document::SEEDS),
            Self::Broken => texts(broken::SEEDS),
        })
    }

    /// Words of its language.
    pub(crate) fn words(self) -> &'static [&'static str] {
        match self {
            Self::Flow => flow::WORDS,
            Self::Pipeline => pipeline::WORDS,
            Self::Import => import::WORDS,
            Self::Journal => journal::WORDS,
            Self::Recording => recording::WORDS,
            Self::Expression => expression::WORDS,
            Self::Template => template::WORDS,
            Self::Schema | Self::Answer => schema::WORDS,
            Self::Suite => suite::WORDS,
            Self::Program => program::WORDS,
            Self::Response => response::WORDS,
            Self::Dap => dap::WORDS,
            Self::Document => document::WORDS,
            Self::Broken => &[],
        }
    }
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The contents of the files in these folders of the repository.
fn files(folders: &[&str]) -> anyhow::Result<Vec<Vec<u8>>> {
    let mut contents = Vec::new();
    for folder in folders {
        let folder = repository().join(folder);
        let mut paths: Vec<PathBuf> = std::fs::read_dir(&folder)
            .and_then(|items| items.map(|item| item.map(|item| item.path())).collect())
            .with_context(|| format!("list {}", folder.display()))?;
        paths.sort();
        for path in paths.iter().filter(|path| path.is_file()) {
            contents.push(std::fs::read(path).with_context(|| format!("read {}", path.display()))?);
        }
    }
    Ok(contents)
}

/// The two parts of an input, before and after its first zero byte.
fn parts(input: &[u8]) -> (String, String) {
    let end = input.iter().position(|&byte| byte == 0).unwrap_or(input.len());
    let (first, rest) = input.split_at(end);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(first), text(rest.get(1..).unwrap_or_default()))
}

/// A text as JSON; one that is none stands for itself.
fn json(text: &str) -> serde_json::Value {
    plait_core::exact_json::parse(text).unwrap_or_else(|_| text.into())
}

/// How large a result is, roughly.
fn magnitude(size: usize) -> u32 {
    usize::BITS - size.leading_zeros()
}

/// The subject of a message: its first words, without names and numbers of the input.
fn gist(message: &str) -> String {
    let words = message.split(|letter: char| !letter.is_ascii_lowercase()).filter(|word| word.len() > 2);
    words.take(4).collect::<Vec<_>>().join(" ")
}

/// Evaluates expressions in worker processes, as in the application. This executable is the worker.
fn worker_pool() -> anyhow::Result<WorkerPool> {
    Ok(WorkerPool::new(std::env::current_exe().context("find this executable")?))
}

fn runtime() -> anyhow::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread().enable_all().build().context("start a runtime")
}
