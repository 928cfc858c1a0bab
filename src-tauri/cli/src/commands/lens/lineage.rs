//! `plait lens from` and `plait lens to`.

use std::io;
use std::io::Write;

use clap::Args;
use plait_api::lens::{FollowText, LineageDirection};
use plait_api::{Connection, ErrorReply};
use plait_core::id::RunId;
use plait_insight::lineage::{LineageCertainty, LineageChain, LineageSource, LineageSpot, LineageStep};

use crate::codes;
use crate::commands::runs::find;
use crate::exit::CliError;
use crate::format::{first_line, to_json};
use crate::terminal::stdout;

/// How much of a text is shown, in characters.
const MAX_TEXT_CHARS: usize = 80;

#[derive(Debug, Args)]
#[command(after_help = "\
Places:
  NODE.PORT             The value of an output; NODE#2.PORT in iteration 2, counted from 0
  NODE:in.PORT          The value on an input; NODE:in.PORT.2 the second of several
  NODE:prompt.1.3       Message 3 of the prompt of the node's model call 1
  NODE:reply.1          The reply of model call 1
  NODE:tool.1           The result of tool call 1; NODE:arguments.1 its arguments
  NODE:answer.1         What a person answered to question 1
  NODE:set.PORT         A value that was set when the run started
  input                 The input text of the run")]
pub(super) struct LineageArgs {
    /// Run ID, a unique prefix of one, or `last`.
    run: String,
    /// Where the text stands, such as `answer.response`.
    place: String,
    /// The part of the text to follow. Without it, all of it.
    #[arg(long)]
    text: Option<String>,
    /// Which occurrence of the text, from 1.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    occurrence: u32,
    /// Print the steps and choices as JSON.
    #[arg(long)]
    json: bool,
}

pub(super) async fn execute(
    app: &Connection,
    args: &LineageArgs,
    direction: LineageDirection,
) -> Result<(), CliError> {
    let run = find(app, &args.run).await?;
    let spot: LineageSpot = args.place.parse().map_err(|_| bad_place(&args.place))?;
    let question = FollowText {
        run: run.clone(),
        spot,
        direction,
        range: None,
        text: args.text.clone(),
        occurrence: usize::try_from(args.occurrence - 1).unwrap_or(usize::MAX),
    };
    let chain = app.call(question).await?;
    let mut out = stdout();
    if args.json {
        writeln!(out, "{}", to_json(&chain)?)?;
    } else {
        describe(&mut out, &run, &chain, direction)?;
    }
    Ok(())
}

fn bad_place(place: &str) -> ErrorReply {
    let message = format!("`{place}` is no place of a run.");
    ErrorReply::new(codes::LENS_BAD_PLACE, message).hint("`plait lens from --help` lists the places.")
}

fn describe(
    out: &mut impl Write,
    run: &RunId,
    chain: &LineageChain,
    direction: LineageDirection,
) -> io::Result<()> {
    for (index, step) in chain.steps.iter().enumerate() {
        let how = if index == 0 { "" } else { how(step.certainty) };
        writeln!(out, "{}{}{how}", line(run, step), source_of(step))?;
    }
    if chain.choices.is_empty() {
        return match (direction, chain.steps.last().and_then(|step| step.source.as_ref())) {
            (_, Some(_)) => Ok(()),
            (LineageDirection::To, None) => writeln!(out, "It went nowhere else."),
            (LineageDirection::From, None) => writeln!(out, "Nothing more is known."),
        };
    }
    let (verb, title) = match (direction, chain.choices.len()) {
        (LineageDirection::From, 1) => ("from", "Computed from:"),
        (LineageDirection::From, _) => ("from", "It may come from several places:"),
        (LineageDirection::To, _) => ("to", "It went to:"),
    };
    writeln!(out, "{title}")?;
    for step in &chain.choices {
        writeln!(out, "  {}{}{}", line(run, step), source_of(step), how(step.certainty))?;
    }
    if chain.more {
        writeln!(out, "  … and more")?;
    }
    writeln!(out, "Follow one with `plait lens {verb} RUN PLACE --text TEXT`.")
}

fn line(run: &RunId, step: &LineageStep) -> String {
    let place = if step.place.run == *run {
        step.place.spot.to_string()
    } else {
        format!("run {} · {}", step.place.run, step.place.spot)
    };
    format!("{place}: {}", first_line(&step.text, MAX_TEXT_CHARS))
}

fn how(certainty: LineageCertainty) -> &'static str {
    match certainty {
        LineageCertainty::Copied => "",
        LineageCertainty::SameText => "  (contains the same text)",
        LineageCertainty::Computed => "  (computed from this)",
    }
}

fn source_of(step: &LineageStep) -> String {
    let Some(source) = &step.source else { return String::new() };
    let source = match source {
        LineageSource::Flow { node, setting: Some(setting) } => format!("setting `{setting}` of `{node}`"),
        LineageSource::Flow { node, setting: None } => format!("the flow, node `{node}`"),
        LineageSource::Trial { node, setting } => {
            format!("setting `{setting}` of `{node}`, which a person tried at a stop")
        }
        LineageSource::File { path, line } => format!("file {path}, line {line}"),
        LineageSource::Url { url } => url.clone(),
        LineageSource::Passage { base, document, line } => {
            format!("knowledge base {base}, document {document}, line {line}")
        }
        LineageSource::Answer { question } => {
            format!("a person, who was asked: {}", first_line(question, MAX_TEXT_CHARS))
        }
        LineageSource::RunInput => "given when the run started".to_owned(),
        LineageSource::Pin { node, run: Some(run) } => format!("the pin of `{node}`, taken from run {run}"),
        LineageSource::Pin { node, run: None } => format!("the pin of `{node}`, typed by a person"),
        LineageSource::Changed => "a person, who changed the value at a stop".to_owned(),
        LineageSource::Memory { id } => format!("long-term memory {id}"),
        LineageSource::Conversation { conversation } => {
            format!("an earlier turn of conversation {conversation}")
        }
        LineageSource::Origin { origin } => origin.to_string(),
        LineageSource::Engine => "written by Plait".to_owned(),
        LineageSource::Unknown => "unknown".to_owned(),
    };
    format!("  ← {source}")
}
