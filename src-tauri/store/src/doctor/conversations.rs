//! Reads every message of every conversation.

use std::ops::Range;

use plait_core::error::Fault;

use super::Report;
use super::missing_conversations;
use super::run_trees::Recalls;
use crate::codes;
use crate::conversation::{self, Loaded, id_of};
use crate::store_core::StoreCore;

pub(super) fn check(core: &StoreCore, recalls: &Recalls, report: &mut Report) -> Result<(), Fault> {
    let folder = core.shared.conversations.folder().to_owned();
    for (key, _) in conversation::files_in(&folder)? {
        let path = conversation::path_in(&folder, key);
        let known = core.shared.conversations.known(key);
        let file = match conversation::load(&folder, key, known) {
            Ok(Loaded::File(file)) => file,
            Ok(_) => continue,
            Err(newer) if newer.code == codes::STORE_NEWER => {
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
    for (key, known) in missing_conversations::find(core)? {
        let path = conversation::path_in(&folder, key);
        let id = id_of(key);
        let is_there = if path.exists() {
            format!("Nothing of conversation {id} is left in its file")
        } else {
            format!("The file of conversation {id} is missing")
        };
        let lost = match known {
            Some(record) => format!(", and with it {} messages", record.messages),
            None => String::new(),
        };
        report.lost(
            &path,
            format!("{is_there}{lost}. `--salvage` restores what the journals of its runs hold."),
        );
    }
    Ok(())
}
