//! Reads every message of every conversation.

use std::collections::BTreeSet;
use std::ops::Range;

use plait_engine::error::{ErrorCode, Fault};

use super::Report;
use super::run_trees::Recalls;
use crate::store::conversation::{self, ConversationFilter, Loaded, id_of, key_of};
use crate::store::log_file::Key;
use crate::store::store_core::StoreCore;

pub(super) fn check(core: &StoreCore, recalls: &Recalls, report: &mut Report) -> Result<(), Fault> {
    let folder = core.shared.conversations.folder().to_owned();
    let mut present = BTreeSet::<Key>::new();
    for (key, _) in conversation::files_in(&folder)? {
        present.insert(key);
        let path = conversation::path_in(&folder, key);
        let known = core.shared.conversations.known(key);
        let file = match conversation::load(&folder, key, known.clone()) {
            Ok(Loaded::File(file)) => file,
            Ok(Loaded::Missing) if known.is_some() => {
                report.lost(&path, "Nothing of the conversation is left in the file.");
                continue;
            }
            Ok(_) => continue,
            Err(newer) if newer.code == ErrorCode::StoreNewer => {
                report.lost(&path, newer.message);
                continue;
            }
            Err(fault) => return Err(fault),
        };
        report.conversations += 1;
        for damage in file.damage() {
            let Range { start, end } = damage.bytes;
            report.lost(&path, format!("The bytes {start} to {end} can't be read."));
        }
        for place in 0..file.record().messages {
            if file.message(place).is_ok() {
                report.messages += 1;
                continue;
            }
            let runs: Vec<&str> = recalls
                .get(&key)
                .into_iter()
                .flatten()
                .filter(|(_, places)| places.contains(&place))
                .map(|(run, _)| run.as_str())
                .collect();
            let recalled = if runs.is_empty() {
                String::new()
            } else {
                format!(" These runs recall it: {}.", runs.join(", "))
            };
            report.lost(&path, format!("Message {place} can't be read.{recalled}"));
        }
    }
    for record in core.shared.conversations.list(&ConversationFilter::default())? {
        let key = key_of(&record.id)?;
        if !present.contains(&key) {
            let path = conversation::path_in(&folder, key);
            let (id, count) = (id_of(key), record.messages);
            report.lost(
                &path,
                format!("The file of conversation {id} is missing, and with it {count} messages."),
            );
        }
    }
    Ok(())
}
