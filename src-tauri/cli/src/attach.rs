//! `--attach`: files of the command line for the nodes of a flow that take some.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use plait_api::attachments::{AddAttachment, Taker, takers};
use plait_api::{Connection, ErrorReply};
use plait_core::attachment::{Attachment, MAX_ATTACHMENT_BYTES, check_file_size, to_values};
use plait_core::flow::Flow;
use plait_core::id::NodeId;
use plait_core::port::ATTACH_PORT;
use plait_journal::InputOverrides;

use crate::codes;

/// Files and the nodes that they are for.
pub(crate) struct FilesToAttach {
    files: Vec<(Taker, PathBuf)>,
}

#[derive(Default)]
pub(crate) struct NodeAttachments {
    /// For inputs that no edge feeds.
    pub(crate) overrides: InputOverrides,
    /// For the next answer to each node.
    pub(crate) answers: BTreeMap<NodeId, Vec<Attachment>>,
}

impl FilesToAttach {
    /// Finds the node of each `[NODE=]FILE`. `attachment.no_taker`.
    pub(crate) fn find(args: &[String], flow: &Flow) -> Result<Self, ErrorReply> {
        Self::among(args, &takers(flow))
    }

    /// The same for an existing run: only its questions take files.
    pub(crate) fn find_for_answers(args: &[String], flow: &Flow) -> Result<Self, ErrorReply> {
        let mut takers = takers(flow);
        takers.retain(|taker| matches!(taker, Taker::Answer(_)));
        Self::among(args, &takers)
    }

    fn among(args: &[String], takers: &[Taker]) -> Result<Self, ErrorReply> {
        let find = |arg: &String| {
            let named = arg.split_once('=').and_then(|(node, file)| {
                let taker = takers.iter().find(|taker| taker.node().as_str() == node)?;
                Some((taker.clone(), file.into()))
            });
            match (named, takers) {
                (Some(named), _) => Ok(named),
                (None, [only]) => Ok((only.clone(), arg.into())),
                (None, several) => Err(no_taker(arg, several)),
            }
        };
        Ok(Self { files: args.iter().map(find).collect::<Result<_, _>>()? })
    }

    /// Reads and stores the files. `attachment.unreadable`, and the errors of the command `attachment.add`.
    pub(crate) async fn store(self, app: &Connection) -> Result<NodeAttachments, ErrorReply> {
        let mut inputs: BTreeMap<NodeId, Vec<Attachment>> = BTreeMap::new();
        let mut answers: BTreeMap<NodeId, Vec<Attachment>> = BTreeMap::new();
        for (taker, file) in self.files {
            let name = file.display().to_string();
            let attachment = app.call(AddAttachment::of(name, &read(&file)?)).await?;
            match taker {
                Taker::Input(node) => inputs.entry(node).or_default().push(attachment),
                Taker::Answer(node) => answers.entry(node).or_default().push(attachment),
            }
        }
        let of_node = |(node, attachments): (NodeId, Vec<Attachment>)| {
            (node, BTreeMap::from([(ATTACH_PORT.into(), Arc::new(to_values(&attachments)))]))
        };
        Ok(NodeAttachments { overrides: inputs.into_iter().map(of_node).collect(), answers })
    }
}

/// The bytes of a file, unless it is too large to be attached.
fn read(file: &Path) -> Result<Vec<u8>, ErrorReply> {
    let unreadable = |error| unreadable(file, &error);
    let opened = File::open(file).map_err(unreadable)?;
    check_file_size(&file.display().to_string(), opened.metadata().map_err(unreadable)?.len())?;
    let mut bytes = Vec::new();
    // The size of a pipe is not known in advance.
    opened.take(MAX_ATTACHMENT_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    Ok(bytes)
}

fn no_taker(arg: &str, takers: &[Taker]) -> ErrorReply {
    let names: Vec<String> = takers.iter().map(|taker| format!("`{}`", taker.node())).collect();
    match takers.first() {
        None => ErrorReply::new(
            codes::ATTACHMENT_NO_TAKER,
            format!("The flow has no place for `{arg}`: no node takes files from outside."),
        )
        .hint("Leave the input `attach` of a `chat` unconnected, or turn on `attachments` of a `userInput`."),
        Some(first) => ErrorReply::new(
            codes::ATTACHMENT_NO_TAKER,
            format!("Several nodes take files ({}), and `{arg}` names none of them.", names.join(", ")),
        )
        .hint(format!("Name the node: --attach {}={arg}", first.node())),
    }
}

fn unreadable(file: &Path, error: &std::io::Error) -> ErrorReply {
    ErrorReply::new(
        codes::ATTACHMENT_UNREADABLE,
        format!("The file `{}` cannot be read: {error}.", file.display()),
    )
    .hint("Check the path and the permissions of the file.")
}

#[cfg(test)]
mod tests;
