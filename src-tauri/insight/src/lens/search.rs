//! Searching all prompts and replies of a run.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::Lens;
use super::messages::{MessagePart, rebuild};
use plait_core::id::{Epoch, MessageId, NodeId};
use plait_llm::context::Role;

/// Maximum hits of one search. A search that finds as many should say more.
pub const MAX_HITS: usize = 200;
/// How much of the text stands around a hit, in characters, on each side.
const EXCERPT_CHARS: usize = 60;

/// A place where a text was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct LensHit {
    pub node: NodeId,
    pub epoch: Epoch,
    /// Which of the activation's model calls, from 0.
    #[ts(type = "number")]
    pub call: usize,
    /// Which message of the prompt, from 0; absent for the reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub message: Option<usize>,
    pub role: Role,
    /// The text before the hit, the hit as it is written, and the text after it.
    pub before: String,
    pub found: String,
    pub after: String,
}

impl Lens {
    /// Where the text occurs in prompts and replies, in any case, in the order of the calls; at most [`MAX_HITS`] places. A message
    /// of the history is found in the first prompt that has it only.
    pub fn search(&self, text: &str) -> Vec<LensHit> {
        let wanted = fold(text.trim());
        let (mut hits, mut seen) = (Vec::new(), HashSet::<MessageId>::new());
        if wanted.is_empty() {
            return hits;
        }
        for place in &self.calls {
            let Some((epoch, call)) = self.model_call(place) else { continue };
            let Some(prompt) = &call.prompt else { continue };
            let messages = rebuild(prompt, (&place.activation, place.index), epoch, &self.histories);
            let mut add = |message: Option<usize>, role: Role, text: &str| {
                if let Some((before, found, after)) = find(text, &wanted) {
                    let (node, epoch) = (place.activation.node.clone(), place.activation.epoch.clone());
                    hits.push(LensHit {
                        node,
                        epoch,
                        call: place.index,
                        message,
                        role,
                        before,
                        found,
                        after,
                    });
                }
            };
            for (index, message) in messages.iter().map(|message| &message.shown).enumerate() {
                let is_new = message.id.as_ref().is_none_or(|id| seen.insert(id.clone()));
                if is_new && message.part != MessagePart::Missing {
                    add(Some(index), message.role, &message.text);
                }
            }
            if let Some(reply) = &call.reply {
                add(None, Role::Assistant, &reply.text);
            }
            if hits.len() >= MAX_HITS {
                hits.truncate(MAX_HITS);
                break;
            }
        }
        hits
    }
}

/// Each character in lower case, so that cases do not matter.
fn fold(text: &str) -> Vec<char> {
    text.chars().flat_map(char::to_lowercase).collect()
}

/// The first occurrence: what stands before it, itself, and what stands after it.
fn find(text: &str, wanted: &[char]) -> Option<(String, String, String)> {
    // Where each folded character begins in the text: one character may fold to several.
    let folded: Vec<(usize, char)> = text
        .char_indices()
        .flat_map(|(at, char)| char.to_lowercase().map(move |lower| (at, lower)))
        .collect();
    let first = wanted.first()?;
    let starts = 0..(folded.len() + 1).saturating_sub(wanted.len());
    let start = starts.into_iter().find(|start| {
        folded[*start].1 == *first
            && folded[*start..].iter().zip(wanted).all(|((_, one), other)| one == other)
    })?;
    let from = folded[start].0;
    let to = text[folded[start + wanted.len() - 1].0..]
        .chars()
        .next()
        .map_or(text.len(), |last| folded[start + wanted.len() - 1].0 + last.len_utf8());
    let before: String = text[..from].chars().rev().take(EXCERPT_CHARS).collect();
    let after: String = text[to..].chars().take(EXCERPT_CHARS).collect();
    Some((before.chars().rev().collect(), text[from..to].to_owned(), after))
}
