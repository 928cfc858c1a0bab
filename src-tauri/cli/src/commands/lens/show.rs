//! `plait lens show`.

use std::io::Write;

use clap::Args;
use plait_api::Connection;
use plait_core::attachment::Attachment;
use plait_insight::lens::{LeftOut, LensCall, MessagePart, PromptBadge, SentMessage, ShareKind};
use plait_journal::view::PlacedNotice;
use plait_llm::context::{Role, ToolCall};
use plait_llm::models::Cost;
use plait_llm::prompt_record::{BlockKind, OmissionReason};
use plait_llm::provider::{SchemaForm, StopReason};
use serde::Serialize;

use super::{CallArgs, select_calls};
use crate::exit::CliError;
use crate::format::{format_duration, to_json};
use crate::terminal::{print_error, stdout};

#[derive(Debug, Args)]
pub(super) struct ShowArgs {
    #[command(flatten)]
    calls: CallArgs,
    /// Print one call per line as JSON, after a line for each notice of a node.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct NumberedCall<'a> {
    number: usize,
    #[serde(flatten)]
    call: &'a LensCall,
}

pub(super) async fn execute(app: &Connection, args: &ShowArgs) -> Result<(), CliError> {
    let (prompts, calls) = select_calls(app, &args.calls).await?;
    let mut out = stdout();
    if args.json {
        for notice in &prompts.notices {
            writeln!(out, "{}", to_json(notice)?)?;
        }
        for (number, call) in &calls {
            writeln!(out, "{}", to_json(&NumberedCall { number: *number, call })?)?;
        }
        return Ok(());
    }
    if calls.is_empty() {
        print_error("No model was called.\n");
    } else {
        writeln!(out, "{}\nRun {}", prompts.flow_name, prompts.run)?;
    }
    for PlacedNotice { at, notice } in &prompts.notices {
        writeln!(out, "Notice at `{at}`: {notice}")?;
    }
    for (number, call) in &calls {
        writeln!(out)?;
        print_call(&mut out, *number, call)?;
    }
    Ok(())
}

fn print_call(out: &mut impl Write, number: usize, call: &LensCall) -> std::io::Result<()> {
    let mut head = format!("Call {number} · {}{} · {}/{}", call.node, call.epoch, call.provider, call.model);
    if let Some(ended) = call.ended_at {
        head = format!("{head} · {}", format_duration(ended.saturating_sub(call.started_at)));
    }
    if call.reply.is_some() && call.reused.is_none() {
        head = format!("{head} · {}", Cost::of_call(call.cost_nano_usd));
    }
    writeln!(out, "{head}")?;
    let badges: Vec<&str> = call.badges.iter().map(|badge| badge_text(*badge)).collect();
    if !badges.is_empty() {
        writeln!(out, "[{}]", badges.join("] ["))?;
    }
    writeln!(out, "{} of {} tokens: {}", call.tokens, call.window, shares_text(call))?;
    if !call.tools.is_empty() {
        writeln!(out, "Tools: {}", call.tools.join(", "))?;
    }
    if let Some(form) = call.settings.schema_form.and_then(SchemaForm::explanation) {
        writeln!(out, "Reply schema: {form}")?;
    }
    if !call.settings.refused_parameters.is_empty() {
        writeln!(out, "Not sent: {}, which the model refuses", call.settings.refused_parameters.join(", "))?;
    }
    for notice in &call.notices {
        writeln!(out, "Notice: {notice}")?;
    }
    for left_out in &call.left_out {
        writeln!(out, "Left out: {}", left_out_text(left_out))?;
    }
    for message in &call.messages {
        print_message(out, message)?;
    }
    if let Some(reply) = &call.reply {
        let mut details = vec![stop_text(&reply.stop_reason).to_owned()];
        if let Some(usage) = call.usage {
            let counted = if call.estimated { ", estimated" } else { "" };
            details.push(format!("{} in, {} out{counted}", usage.input, usage.output));
        }
        if let Some(reused) = &call.reused {
            details.push(format!("reused from run {}", reused.run));
        }
        writeln!(out, "── reply ({})", details.join("; "))?;
        if let Some(reasoning) = reply.reasoning.as_deref().filter(|text| !text.is_empty()) {
            writeln!(out, "(reasoning) {}", reasoning.trim_end())?;
        }
        print_text(out, &reply.text, &reply.tool_calls)?;
        print_attachments(out, &reply.attachments)?;
    }
    Ok(())
}

fn print_message(out: &mut impl Write, message: &SentMessage) -> std::io::Result<()> {
    if let Some(missing) = message.missing {
        let tokens = message.tokens.unwrap_or_default();
        return writeln!(out, "── {missing} messages, {tokens} tokens: their text is not in the journal");
    }
    let role = match message.role {
        Role::System => "system",
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::Tool => "tool",
    };
    let part = match message.part {
        MessagePart::History => Some("history"),
        MessagePart::Conversation => Some("conversation"),
        MessagePart::Step => Some("this turn"),
        MessagePart::System | MessagePart::Question | MessagePart::Missing => None,
    };
    let blocks = message.blocks.iter().map(|block| block_text(block.block));
    let details: Vec<String> = part
        .into_iter()
        .chain(blocks)
        .map(str::to_owned)
        .chain(message.author.as_ref().map(|node| format!("`{node}`")))
        .chain(message.tokens.map(|tokens| format!("{tokens} tokens")))
        .collect();
    writeln!(out, "── {role} ({})", details.join(", "))?;
    print_text(out, &message.text, &message.tool_calls)?;
    print_attachments(out, &message.attachments)
}

fn print_attachments(out: &mut impl Write, attachments: &[Attachment]) -> std::io::Result<()> {
    attachments.iter().try_for_each(|attachment| writeln!(out, "{}", attachment.label()))
}

fn print_text(out: &mut impl Write, text: &str, calls: &[ToolCall]) -> std::io::Result<()> {
    if !text.is_empty() {
        writeln!(out, "{}", text.trim_end())?;
    }
    for call in calls {
        writeln!(out, "→ {} {}", call.name, call.arguments)?;
    }
    Ok(())
}

fn shares_text(call: &LensCall) -> String {
    let shares = call.shares.iter().map(|share| format!("{} {}", share_text(share.kind), share.tokens));
    shares.collect::<Vec<_>>().join(", ")
}

fn share_text(kind: ShareKind) -> &'static str {
    match kind {
        ShareKind::System => "system",
        ShareKind::History => "history",
        ShareKind::Retrieval => "retrieval",
        ShareKind::Memory => "memory",
        ShareKind::Tools => "tools",
        ShareKind::Steps => "this turn",
        ShareKind::Partner => "partner",
        ShareKind::Question => "question",
        ShareKind::Attachments => "attachments",
        ShareKind::Reserve => "reserve",
        ShareKind::Free => "free",
    }
}

fn block_text(kind: BlockKind) -> &'static str {
    match kind {
        BlockKind::Retrieval => "retrieval",
        BlockKind::Tools => "tool instructions",
        BlockKind::Memory => "memory",
        BlockKind::Partner => "partner",
    }
}

fn badge_text(badge: PromptBadge) -> &'static str {
    match badge {
        PromptBadge::ConversationInjected => "conversation injected",
        PromptBadge::HistoryTrimmed => "history trimmed",
        PromptBadge::BlockCut => "block cut",
        PromptBadge::MemorySummary => "memory summary",
        PromptBadge::HistorySummary => "history summary",
        PromptBadge::Sampling => "reply to a tool",
        PromptBadge::Reused => "reused",
        PromptBadge::NoReply => "no reply",
    }
}

fn left_out_text(left_out: &LeftOut) -> String {
    match left_out {
        LeftOut::History { count, tokens, .. } => {
            let messages = if *count == 1 { "message" } else { "messages" };
            let tokens = tokens.map(|tokens| format!(", {tokens} tokens")).unwrap_or_default();
            format!(
                "{count} oldest {messages} of the history{tokens}: did not fit the window beside the reserve"
            )
        }
        LeftOut::Turns { reason, count } => {
            let turns = if *count == 1 { "turn" } else { "turns" };
            format!("{count} {turns} of the conversation: {}", omission_text(*reason))
        }
        LeftOut::Block { block, cut } => {
            let block = block_text(*block);
            format!("{} tokens of the block {block}: its cap is {}", cut.tokens, cut.cap)
        }
    }
}

fn omission_text(reason: OmissionReason) -> &'static str {
    match reason {
        OmissionReason::MaxTokens => "more than `max_tokens`",
        OmissionReason::MaxTurns => "more than `max_turns`",
        OmissionReason::Window => "did not fit the window beside the reserve",
        OmissionReason::Summarized => "in the summary",
        OmissionReason::OwnMessage => "sent as the message itself",
    }
}

fn stop_text(reason: &StopReason) -> &str {
    match reason {
        StopReason::End => "complete",
        StopReason::ToolCalls => "calls tools",
        StopReason::MaxTokens => "cut at the token limit",
        StopReason::WindowFull => "cut at the end of the window",
        StopReason::ContentFilter => "withheld",
        StopReason::MalformedToolCall => "unreadable tool call",
        StopReason::UnsupportedLanguage => "unsupported language",
        StopReason::Paused => "paused by the provider",
        StopReason::Interrupted => "interrupted by the server",
        StopReason::Other(other) => other,
    }
}
