//! The cap of a block: the items that fit, or the beginning of the first item if none fits.

use super::SentBlock;
use plait_core::origin::Origins;
use plait_llm::prompt_record::{Block, BlockCut, BlockItem};
use plait_llm::tokens;

/// What stands in place of text that was cut off.
const ELLIPSIS: &str = " […]";

/// The block as it is sent with at most `cap` tokens. Items are kept by rank, as long as all of a lower rank fit as well.
pub(super) fn apply(block: Block, cap: Option<u32>, model: &str) -> SentBlock {
    let Block { kind, heading, separator, items } = block;
    let heading_tokens = if heading.is_empty() { 0 } else { tokens::count_cached(model, &heading) + 1 };
    let all: u64 = heading_tokens + items.iter().map(|item| item.tokens).sum::<u64>();
    let Some(cap) = cap.filter(|&cap| all > u64::from(cap)) else {
        return sent(kind, (&heading, heading_tokens), separator, items, None);
    };
    let room = u64::from(cap).saturating_sub(heading_tokens);
    let mut by_rank: Vec<usize> = (0..items.len()).collect();
    by_rank.sort_by_key(|&at| (items[at].rank, at));
    let mut used = 0;
    let fitting = by_rank.iter().take_while(|&&at| {
        used += items[at].tokens;
        used <= room
    });
    let mut keep = vec![false; items.len()];
    for &at in fitting {
        keep[at] = true;
    }
    let truncated = !keep.contains(&true);
    if truncated && let Some(&first) = by_rank.first() {
        keep[first] = true;
    }
    let (mut kept, mut left_out) = (Vec::with_capacity(items.len()), Vec::new());
    for (mut item, keep) in items.into_iter().zip(keep) {
        if !keep {
            left_out.push(item.source);
            continue;
        }
        if truncated {
            truncate(&mut item, room, model);
        }
        kept.push(item);
    }
    let tokens = all - heading_tokens - kept.iter().map(|item| item.tokens).sum::<u64>();
    let cut = BlockCut { cap, tokens, left_out, truncated };
    sent(kind, (&heading, heading_tokens), separator, kept, Some(cut))
}

fn sent(
    kind: super::BlockKind,
    (heading, heading_tokens): (&str, u64),
    separator: &str,
    items: Vec<BlockItem>,
    cut: Option<BlockCut>,
) -> SentBlock {
    let length = heading.len() + items.iter().map(|item| item.text.len() + separator.len()).sum::<usize>();
    let mut text = String::with_capacity(length);
    text.push_str(heading);
    let mut tokens = heading_tokens;
    let mut sources = Vec::with_capacity(items.len());
    let mut origins = Origins::NONE;
    for item in items {
        if !text.is_empty() {
            text.push_str(separator);
        }
        text.push_str(&item.text);
        tokens += item.tokens;
        sources.push(item.source);
        origins.add(&item.origins);
    }
    SentBlock { kind, text, tokens, sources, origins, cut }
}

/// Cuts the end off an item, so that it has at most `room` tokens.
fn truncate(item: &mut BlockItem, room: u64, model: &str) {
    // A message has tokens besides those of its text; they stay.
    let counted = tokens::count(model, &item.text);
    let overhead = item.tokens.saturating_sub(counted);
    let room = room.saturating_sub(overhead + tokens::count_cached(model, ELLIPSIS));
    let end = tokens::longest_prefix(model, &item.text, room);
    item.text.truncate(end, ELLIPSIS);
    item.tokens = tokens::count(model, &item.text) + overhead;
}
