use std::collections::BTreeSet;

use plait_api::command::{Command, CommandVisitor};
use plait_api::visit_commands;
use serde_json::json;

use super::*;

#[derive(Default)]
struct Names(Vec<&'static str>);

impl CommandVisitor for Names {
    fn visit<C: Command>(&mut self) {
        self.0.push(C::NAME);
    }
}

#[test]
fn every_command_of_the_api_has_a_row() {
    let mut names = Names::default();
    visit_commands(&mut names);
    let rows: Vec<_> = COMMANDS.iter().map(|(name, _)| *name).collect();
    assert_eq!(rows.iter().collect::<BTreeSet<_>>().len(), rows.len(), "a command has two rows");
    assert_eq!(BTreeSet::from_iter(rows), BTreeSet::from_iter(names.0));
}

#[test]
fn grants_and_users_are_the_admins_to_give() {
    let role = |args| least_role("run.start", &args).unwrap();
    assert_eq!(role(json!({ "grants": [] })), Editor);
    assert_eq!(role(json!({ "grants": [{}] })), Admin);
    assert_eq!(role(json!({ "user": "ann" })), Admin);
    assert_eq!(least_role("dialog.open", &json!({})).unwrap_err().code, "host.not_served");
    assert_eq!(least_role("dialog.shut", &json!({})).unwrap_err().code, "command.unknown");
}
