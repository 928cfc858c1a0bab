//! `--replies`: where a run looks for replies that were bought before.

use clap::Args;
use plait_journal::ReplySource;

#[derive(Debug, Args)]
pub(crate) struct ReplyArgs {
    /// Which runs to take replies from where the same is asked of a model: `earlier`, only the one that is run again, or `any`, after
    /// that also all other runs of the user. A new run takes none with `earlier`.
    #[arg(long, value_name = "RUNS", default_value = "earlier", value_parser = parse)]
    replies: ReplySource,
}

impl ReplyArgs {
    pub(crate) fn source(&self) -> ReplySource {
        self.replies
    }
}

fn parse(text: &str) -> Result<ReplySource, String> {
    match text {
        "earlier" => Ok(ReplySource::Earlier),
        "any" => Ok(ReplySource::Any),
        _ => Err("expected `earlier` or `any`".to_owned()),
    }
}
