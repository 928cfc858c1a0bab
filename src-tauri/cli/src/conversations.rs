//! `plait conversations`: lists, shows, exports, renames, forks and deletes conversations. Also: which conversation a
//! person means.

use std::io::Write as _;
use std::path::Path;

use plait_api::conversations::{
    ConversationFlow, DeleteConversation, ExportConversation, ExportFormat, ForkConversation,
    ListConversations, ListMessages, OpenConversation, RenameConversation,
};
use plait_api::engine::context::Role;
use plait_api::engine::flow::Flow;
use plait_api::engine::id::ConversationId;
use plait_api::{ErrorReply, Options, Plait};

use crate::args::{ConversationsArgs, ConversationsCommand, Format};
use crate::failure::{Ending, Failure, say};
use crate::source::Source;
use crate::table::{first_line, moment, table};
use crate::terminal;

pub(crate) async fn conversations(home: &Path, args: ConversationsArgs) -> Result<Ending, Failure> {
    let app = Plait::open(Options::new(home))?;
    match args.command {
        ConversationsCommand::List { flow, search, limit, json } => {
            let flow = flow.map(|named| flow_named(&named)).transpose()?;
            list(&app, ListConversations { flow, search, limit: Some(limit) }, json).await?;
        }
        ConversationsCommand::Show { conversation, json } => {
            let conversation = find(&app, &conversation).await?;
            show(&app, &conversation, json).await?;
        }
        ConversationsCommand::Export { conversation, format, out } => {
            let conversation = find(&app, &conversation).await?;
            let format = match format {
                Format::Markdown => ExportFormat::Markdown,
                Format::Json => ExportFormat::Json,
            };
            let written = out.is_some();
            let exported = app.call(ExportConversation { conversation, format, path: out }).await?;
            if !written {
                std::io::stdout().lock().write_all(exported.text.as_bytes())?;
            }
        }
        ConversationsCommand::Rename { conversation, title } => {
            let conversation = find(&app, &conversation).await?;
            let renamed = app.call(RenameConversation { conversation, title }).await?;
            say(&format!("Conversation {} is called \u{201c}{}\u{201d}.\n", renamed.id, renamed.title));
        }
        ConversationsCommand::Fork { conversation, message } => {
            let conversation = find(&app, &conversation).await?;
            let forked = app.call(ForkConversation { conversation, message }).await?;
            writeln!(std::io::stdout().lock(), "{}", forked.conversation.id)?;
            if let Some(asked) = forked.asked {
                say(&format!("It ends before the question \u{201c}{}\u{201d}.\n", first_line(&asked, 60)));
            }
        }
        ConversationsCommand::Rm { conversation } => remove(&app, &conversation).await?,
    }
    app.close().await?;
    Ok(Ending::Finished)
}

/// The conversation a run is to go on in, said on standard error where the caller did not name it whole.
pub(crate) async fn for_run(
    app: &Plait,
    named: &str,
    flow: &Flow,
    path: Option<&str>,
) -> Result<ConversationId, ErrorReply> {
    let id = match named {
        "new" | "last" => {
            let flow = ConversationFlow::new(flow, path);
            app.call(OpenConversation { flow, user: None, new: named == "new" }).await?.id
        }
        named => app.conversations().find(named)?,
    };
    say(&format!("conversation {id}\n"));
    Ok(id)
}

/// The conversation a person means: its id, a unique beginning of it, or `last`.
async fn find(app: &Plait, named: &str) -> Result<ConversationId, ErrorReply> {
    if named != "last" {
        return app.conversations().find(named);
    }
    let latest = app.call(ListConversations { limit: Some(1), ..ListConversations::default() }).await?;
    latest.into_iter().next().map(|one| one.id).ok_or_else(|| {
        ErrorReply::new("conversation.none", "There is no conversation yet.")
            .hint("Begin one: plait run chat-loop --conversation new")
    })
}

/// The flow of a file, or an example's. A file that is gone is still a flow that conversations were had with.
fn flow_named(named: &str) -> Result<ConversationFlow, Failure> {
    if !Path::new(named).exists() && Path::new(named).is_absolute() {
        return Ok(ConversationFlow { path: Some(named.to_owned()), name: String::new() });
    }
    let source = Source::load(named, terminal::style())?;
    Ok(ConversationFlow::new(&source.flow, source.path.map(|path| path.display().to_string()).as_deref()))
}

async fn list(app: &Plait, wanted: ListConversations, json: bool) -> Result<(), Failure> {
    let searching = wanted.search.is_some() || wanted.flow.is_some();
    let found = app.call(wanted).await?;
    let mut out = std::io::stdout().lock();
    if json {
        writeln!(out, "{}", to_json(&found)?)?;
        return Ok(());
    }
    if found.is_empty() {
        say(if searching {
            "No conversation is like that.\n"
        } else {
            "There is no conversation yet. Begin one: plait run chat-loop --conversation new\n"
        });
        return Ok(());
    }
    let mut table = table(&["Conversation", "Title", "Flow", "Changed", "Messages", "Tokens", "Cost"]);
    for one in &found {
        table.add_row([
            one.id.to_string(),
            first_line(&one.title, 40),
            first_line(&one.flow_name, 30),
            moment(one.updated_at),
            one.messages.to_string(),
            one.tokens.to_string(),
            one.spent.cost.to_string(),
        ]);
    }
    writeln!(out, "{}", table.trim_fmt())?;
    Ok(())
}

async fn show(app: &Plait, conversation: &ConversationId, json: bool) -> Result<(), Failure> {
    let mut from = 0;
    loop {
        let page = ListMessages { conversation: conversation.clone(), from, limit: None };
        let page = app.call(page).await?;
        let mut out = std::io::stdout().lock();
        if from == 0 && !json {
            let one = &page.conversation;
            let title = if one.title.is_empty() { "A conversation" } else { &one.title };
            writeln!(out, "{title}\nconversation {}, with {}", one.id, first_line(&one.flow_name, 60))?;
        }
        for message in &page.messages {
            if json {
                writeln!(out, "{}", to_json(message)?)?;
                continue;
            }
            let who = if message.role == Role::User { "user" } else { "assistant" };
            writeln!(out, "\n{} {who}, {}", message.id, moment(message.created_at))?;
            writeln!(out, "{}", message.content.text().trim_end())?;
        }
        match page.next {
            Some(next) => from = next,
            None => return Ok(()),
        }
    }
}

async fn remove(app: &Plait, named: &[String]) -> Result<(), Failure> {
    // All of them are found before any is removed: a slip in one name removes nothing.
    let mut doomed = Vec::new();
    for named in named {
        doomed.push(find(app, named).await?);
    }
    for conversation in doomed {
        app.call(DeleteConversation { conversation: conversation.clone() }).await?;
        say(&format!("Conversation {conversation} is deleted.\n"));
    }
    Ok(())
}

fn to_json(value: &impl serde::Serialize) -> Result<String, ErrorReply> {
    serde_json::to_string(value).map_err(|error| {
        ErrorReply::new("output.failed", format!("A conversation could not be written: {error}."))
    })
}
