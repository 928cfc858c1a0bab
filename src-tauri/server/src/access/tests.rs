use std::collections::BTreeSet;

use plait_api::command::{Command, CommandVisitor};
use plait_api::hosts::{HostCommand, HostCommandVisitor, visit_host_commands};
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

impl HostCommandVisitor for Names {
    fn visit<C: HostCommand>(&mut self) {
        self.0.push(C::NAME);
    }
}

#[test]
fn every_command_of_hosts_has_a_row() {
    let mut names = Names::default();
    visit_host_commands(&mut names);
    assert_eq!(HOST_COMMANDS.iter().map(|(name, _)| *name).collect::<Vec<_>>(), names.0);
}

#[test]
fn roles_have_the_commands_that_they_may_execute() {
    let has = |role, name: &str| commands_of(role).iter().any(|command| command == name);
    assert!(has(Viewer, "runs.list") && !has(Viewer, "run.answer"));
    assert!(has(Runner, "run.answer") && !has(Runner, "published.publish"));
    assert!(has(Editor, "published.publish") && !has(Editor, "grants.set"));
    assert!(has(Admin, "grants.set") && !has(Admin, "dialog.open"));
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

#[test]
fn what_reaches_the_machine_is_not_the_tenants() {
    let refused =
        |name, args| refuse_machine(name, &args).is_err_and(|error| error.code == "host.machine_only");
    assert!(refused("mcp.add", json!({ "json": "{}" })));
    let hosts = json!({ "tools": { "allowedHosts": ["127.0.0.1:9090"] } });
    assert!(refused("settings.change", json!({ "patch": hosts })));
    assert!(refused("settings.set", json!({ "settings": hosts })));
    let variable = json!({ "telemetry": { "headersVariable": "PLAIT_DATABASE" } });
    assert!(refused("settings.change", json!({ "patch": variable })));
    assert!(refused("config.set", json!({ "key": "telemetry.headersVariable", "value": "PLAIT_DATABASE" })));
    let own = json!({ "tools": { "allowedHosts": [] }, "providers": { "openai": {} }, "telemetry": null });
    assert!(!refused("settings.change", json!({ "patch": own })));
    assert!(!refused("settings.set", json!({ "settings": own })));
    assert!(!refused("config.set", json!({ "key": "telemetry.endpoint", "value": "https://example.com" })));
    assert!(!refused("run.start", json!({})));
}
