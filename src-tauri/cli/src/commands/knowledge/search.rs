//! `plait knowledge search`.

use std::io::Write as _;

use clap::Args;
use plait_api::Connection;
use plait_api::knowledge::SearchKnowledge;
use plait_llm::retriever::{LeftOutReason, Match, Passage};

use crate::exit::{CliError, ExitStatus};
use crate::format::to_json;
use crate::terminal::{print_error, stdout};

#[derive(Debug, Args)]
pub(super) struct SearchArgs {
    /// What to look for, in plain words.
    query: String,
    /// Only this knowledge base. May be given several times.
    #[arg(long, value_name = "NAME")]
    base: Vec<String>,
    /// Maximum tokens of the passages together.
    #[arg(long, value_name = "N")]
    max_tokens: Option<u64>,
    /// Print what was found as JSON.
    #[arg(long)]
    json: bool,
}

pub(super) async fn execute(app: &Connection, args: SearchArgs) -> Result<ExitStatus, CliError> {
    let SearchArgs { query, base, max_tokens, json } = args;
    let found = app.call(SearchKnowledge { query, bases: base, max_tokens }).await?;
    for notice in &found.notices {
        print_error(&format!("{} [{}]\n", notice.message, notice.code));
    }
    let mut out = stdout();
    if json {
        writeln!(out, "{}", to_json(&found)?)?;
        return Ok(ExitStatus::Success);
    }
    if found.used.is_empty() && found.left_out.is_empty() {
        print_error("Nothing fits.\n");
        return Ok(ExitStatus::Success);
    }
    for chunk in &found.used {
        writeln!(out, "{}\n{}\n", headline(&chunk.passage), chunk.text.trim())?;
    }
    for chunk in &found.left_out {
        let reason = match chunk.reason {
            LeftOutReason::Cap { room } => {
                format!("takes {} tokens, and {room} were left", chunk.passage.tokens)
            }
            LeftOutReason::Duplicate { of } => format!("says the same as passage {of}"),
        };
        writeln!(out, "{}\n  left out: {reason}", headline(&chunk.passage))?;
    }
    Ok(ExitStatus::Success)
}

fn headline(passage: &Passage) -> String {
    let matched = match passage.matched {
        Match::Words => "words",
        Match::Meaning => "meaning",
        Match::Both => "words and meaning",
    };
    let Passage { base, source, line, score, .. } = passage;
    format!("{base}: {source}:{line}  score {score:.3} by {matched}")
}
