use std::collections::BTreeSet;

use super::*;
use crate::access;

#[test]
fn every_command_about_runs_and_conversations_has_a_row() {
    let is_about =
        |name: &&str| ["run.", "runs.", "lens.", "conversations."].iter().any(|part| name.starts_with(part));
    let known: BTreeSet<&str> = access::COMMANDS.iter().map(|(name, _)| *name).filter(is_about).collect();
    let rows: BTreeSet<&str> = COMMANDS.iter().map(|(name, _)| *name).collect();
    assert_eq!(rows.len(), COMMANDS.len(), "a command has two rows");
    assert_eq!(rows, known);
}
