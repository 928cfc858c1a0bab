//! Reads every entry of every journal.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use plait_core::error::Fault;
use plait_core::id::RunId;
use plait_journal::{ContextEvent, Entry, Event};
use plait_llm::context::ContextChange;

use super::Report;
use crate::codes;
use crate::conversation;
use crate::journal_reader::TreeFile;
use crate::log_file::Key;
use crate::recovery::Progress;
use crate::store_core::StoreCore;
use crate::tree::{self, TreeFiles, run_id};

/// Which runs recall which messages of a conversation.
pub(super) type Recalls = BTreeMap<Key, Vec<(RunId, Range<u64>)>>;

pub(super) fn check(core: &StoreCore, report: &mut Report, progress: Progress<'_>) -> Result<Recalls, Fault> {
    let home = &core.shared.home;
    let mut recalls = Recalls::new();
    let files = TreeFiles::list(home)?.present;
    for (done, (root, (path, size))) in files.iter().enumerate() {
        progress(done, files.len());
        match TreeFile::open(path) {
            Ok(tree) => check_tree(core, *root, path, *size, &tree, &mut recalls, report)?,
            Err(newer) if newer.code == codes::STORE_NEWER => report.lost(path, newer.message),
            Err(fault) => return Err(fault),
        }
    }
    progress(files.len(), files.len());
    let index = core.shared.index();
    for (root, _) in index.damaged_trees() {
        if !files.contains_key(&root) {
            let runs: Vec<String> = index.tree(root).into_iter().map(|run| run_id(run).to_string()).collect();
            let path = tree::path_in(home, root);
            report.lost(
                &path,
                format!("The file is missing, and with it the journals of: {}.", runs.join(", ")),
            );
        }
    }
    Ok(recalls)
}

fn check_tree(
    core: &StoreCore,
    root: Key,
    path: &Path,
    size: u64,
    tree: &TreeFile,
    recalls: &mut Recalls,
    report: &mut Report,
) -> Result<(), Fault> {
    let layout = &tree.layout;
    for damage in &layout.damage {
        let Range { start, end } = damage.bytes;
        let owner = damage.header.map_or_else(
            || "It is not known whose record stood there".to_owned(),
            |header| format!("A record of run {} stood there", run_id(header.owner)),
        );
        report.lost(path, format!("The bytes {start} to {end} can't be read. {owner}."));
    }
    if layout.torn && !layout.is_damaged() {
        let rest = size.saturating_sub(layout.end);
        report.note(
            path,
            format!("The last {rest} bytes are a write that never ended. Nothing was promised of it."),
        );
    }
    for key in layout.runs.keys() {
        report.runs += 1;
        let mut reader = tree.entries(*key, layout.has_unknown_damage)?;
        loop {
            match reader.next() {
                Ok(Some(entry)) => {
                    report.entries += 1;
                    note_recalled(*key, &entry, recalls);
                }
                Ok(None) => break,
                Err(lost) if lost.code == codes::JOURNAL_CORRUPT => report.lost(path, lost.message),
                Err(fault) => return Err(fault),
            }
        }
    }
    // What the index knows of and the file does not hold.
    let index = core.shared.index();
    for key in index.tree(root) {
        let known = index.get(&key).map_or(0, |entry| entry.record.events);
        let found = layout.next_seq(&key);
        if found < known {
            let run = run_id(key);
            report.lost(path, format!("The entries {found} to {} of run {run} are missing.", known - 1));
        }
    }
    Ok(())
}

fn note_recalled(run: Key, entry: &Entry, recalls: &mut Recalls) {
    if let Event::Context(_, ContextEvent::Changed { change: ContextChange::Recalled(recalled), .. }) =
        &entry.event
        && let Ok(key) = conversation::key_of(&recalled.conversation)
    {
        let places = recalled.first..recalled.first.saturating_add(recalled.count);
        recalls.entry(key).or_default().push((run_id(run), places));
    }
}
