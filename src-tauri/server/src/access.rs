//! Who may execute which command. The one table of it; a test compares it with the commands of the api.

use plait_api::ErrorReply;
use plait_api::command::Command as _;
use plait_api::config::SetConfig;
use plait_api::knowledge::GetKnowledgeSource;
use plait_api::mcp::AddMcpServers;
use plait_api::settings::{ChangeSettings, SetSettings};
use serde_json::Value;

use crate::codes;
use crate::roles::Role;
use Role::{Admin, Editor, Runner, Viewer};

/// The commands of the api with the least role that may execute them; `None` for those that no host executes.
pub(crate) const COMMANDS: &[(&str, Option<Role>)] = &[
    ("app.info", Some(Viewer)),
    ("app.acceptDocument", Some(Admin)),
    ("attachment.add", Some(Runner)),
    ("attachment.get", Some(Viewer)),
    ("nodes.list", Some(Viewer)),
    ("flow.check", Some(Viewer)),
    ("flow.diff", Some(Viewer)),
    ("flow.open", Some(Editor)),
    ("flow.read", Some(Viewer)),
    ("flow.nearby", Some(Viewer)),
    ("flow.save", Some(Editor)),
    ("flow.new", Some(Editor)),
    ("flow.import", Some(Editor)),
    ("flow.examples", Some(Viewer)),
    ("flow.example", Some(Viewer)),
    ("flow.recent", Some(Viewer)),
    ("flow.forget", Some(Editor)),
    ("templates.list", Some(Viewer)),
    ("templates.open", Some(Viewer)),
    ("templates.save", Some(Editor)),
    ("templates.rename", Some(Editor)),
    ("templates.remove", Some(Editor)),
    ("autosave.put", Some(Editor)),
    ("autosave.list", Some(Editor)),
    ("autosave.drop", Some(Editor)),
    ("proposal.make", Some(Editor)),
    ("proposal.list", Some(Editor)),
    ("proposal.show", Some(Editor)),
    ("proposal.accept", Some(Editor)),
    ("proposal.drop", Some(Editor)),
    ("flow.forecast", Some(Viewer)),
    ("run.start", Some(Editor)),
    ("import.compare", Some(Editor)),
    ("run.rerun", Some(Editor)),
    ("run.bill", Some(Editor)),
    ("run.beginInquiry", Some(Editor)),
    ("run.continueInquiry", Some(Editor)),
    ("run.retry", Some(Runner)),
    ("recording.export", Some(Editor)),
    ("recording.read", Some(Editor)),
    // Reads the log of a program that was started on this machine.
    ("program.keep", None),
    ("program.import_traces", Some(Editor)),
    ("program.draft", Some(Editor)),
    ("program.exchanges", Some(Editor)),
    ("run.checkWaiting", Some(Editor)),
    ("run.move", Some(Editor)),
    ("run.answer", Some(Runner)),
    ("run.end", Some(Runner)),
    ("run.pin", Some(Runner)),
    ("run.setBreakpoints", Some(Editor)),
    ("flow.checkBreakpoint", Some(Editor)),
    ("run.putBreakpoint", Some(Editor)),
    ("run.dropBreakpoint", Some(Editor)),
    ("run.stop", Some(Editor)),
    ("run.held", Some(Viewer)),
    ("run.changeValue", Some(Editor)),
    ("run.editHistory", Some(Editor)),
    ("run.forceWay", Some(Editor)),
    ("run.tryConfig", Some(Editor)),
    ("run.dropTrials", Some(Editor)),
    ("run.acceptTrials", Some(Editor)),
    ("run.nodeConfig", Some(Viewer)),
    ("run.heldHistory", Some(Viewer)),
    ("run.go", Some(Editor)),
    ("run.continueAll", Some(Editor)),
    ("run.cancel", Some(Runner)),
    ("run.resume", Some(Runner)),
    ("runs.find", Some(Viewer)),
    ("runs.list", Some(Viewer)),
    ("runs.resolve", Some(Viewer)),
    ("runs.show", Some(Viewer)),
    ("runs.forgetReplies", Some(Admin)),
    ("runs.remove", Some(Admin)),
    ("flow.versions", Some(Viewer)),
    ("suite.find", Some(Viewer)),
    ("suite.open", Some(Viewer)),
    ("suite.bill", Some(Editor)),
    ("suite.run", Some(Editor)),
    ("suite.forget", Some(Editor)),
    ("suite.add", Some(Editor)),
    ("suite.debug", Some(Editor)),
    ("suite.table", Some(Viewer)),
    ("suite.export", None),
    ("suite.grade", Some(Editor)),
    ("conversations.list", Some(Viewer)),
    ("conversations.resolve", Some(Viewer)),
    ("conversations.get", Some(Viewer)),
    ("conversations.open", Some(Runner)),
    ("conversations.messages", Some(Viewer)),
    ("conversations.rename", Some(Runner)),
    ("conversations.fork", Some(Runner)),
    ("conversations.keep", Some(Editor)),
    ("conversations.delete", Some(Editor)),
    ("conversations.export", Some(Editor)),
    ("lens.list", Some(Viewer)),
    ("lens.show", Some(Viewer)),
    ("lens.trace", Some(Viewer)),
    ("lens.turns", Some(Viewer)),
    ("lens.search", Some(Viewer)),
    ("lens.compare", Some(Viewer)),
    ("lens.matrix", Some(Viewer)),
    ("lens.lineage", Some(Viewer)),
    ("lens.evaluate", Some(Viewer)),
    ("lens.request", Some(Viewer)),
    // Sends what models were asked to an address that the caller names.
    ("lens.export", Some(Admin)),
    ("knowledge.list", Some(Viewer)),
    ("knowledge.add", Some(Editor)),
    ("knowledge.remove", Some(Editor)),
    ("knowledge.reindex", Some(Editor)),
    ("knowledge.cancel", Some(Editor)),
    ("knowledge.search", Some(Viewer)),
    // There is an error code of the same form.
    (GetKnowledgeSource::NAME, Some(Viewer)),
    ("memories.list", Some(Editor)),
    ("memories.resolve", Some(Editor)),
    ("memories.add", Some(Editor)),
    ("memories.edit", Some(Editor)),
    ("memories.erase", Some(Admin)),
    ("memories.export", Some(Editor)),
    ("users.list", Some(Viewer)),
    ("users.add", Some(Admin)),
    ("users.switch", Some(Admin)),
    ("users.remove", Some(Admin)),
    ("grants.show", Some(Viewer)),
    ("grants.set", Some(Admin)),
    ("grants.revoke", Some(Admin)),
    // The list of hosts belongs to the machine of a person.
    ("hosts.list", None),
    ("hosts.add", None),
    ("hosts.remove", None),
    ("hosts.preview", None),
    ("hosts.publish", None),
    ("hosts.run", None),
    ("hosts.pull", None),
    ("settings.get", Some(Admin)),
    ("settings.set", Some(Admin)),
    ("settings.change", Some(Admin)),
    ("settings.accept", Some(Admin)),
    ("config.explain", Some(Editor)),
    ("config.set", Some(Admin)),
    ("provider.status", Some(Editor)),
    ("provider.setKey", Some(Admin)),
    ("provider.removeKey", Some(Admin)),
    ("provider.models", Some(Editor)),
    ("provider.test", Some(Admin)),
    ("provider.detect", Some(Admin)),
    ("provider.presets", Some(Viewer)),
    ("mcp.list", Some(Editor)),
    ("mcp.add", Some(Admin)),
    ("mcp.remove", Some(Admin)),
    ("mcp.connect", Some(Admin)),
    ("mcp.disconnect", Some(Admin)),
    ("mcp.acceptTools", Some(Admin)),
    ("mcp.readResource", Some(Editor)),
    ("mcp.log", Some(Admin)),
    ("tokens.count", Some(Viewer)),
    ("tools.list", Some(Viewer)),
    ("usage.byDay", Some(Viewer)),
    // There is no window on a host whose dialogs could be shown.
    ("dialog.open", None),
    ("dialog.folder", None),
    ("dialog.save", None),
    ("image.save", None),
];

/// The commands that only hosts have, with the least role that may execute them.
pub(crate) const HOST_COMMANDS: &[(&str, Role)] = &[
    ("host.about", Viewer),
    ("host.files", Viewer),
    ("host.runTree", Viewer),
    ("published.list", Viewer),
    ("published.versions", Viewer),
    ("published.read", Viewer),
    ("published.publish", Editor),
    ("published.rollBack", Editor),
    ("published.schedule", Editor),
    ("published.remove", Editor),
];

/// Whether there is a command with this name.
pub(crate) fn is_command(name: &str) -> bool {
    COMMANDS.iter().any(|(command, _)| *command == name) || is_host_command(name)
}

/// Whether it is one that only hosts have.
pub(crate) fn is_host_command(name: &str) -> bool {
    HOST_COMMANDS.iter().any(|(command, _)| *command == name)
}

/// The commands that a role may execute, sorted.
pub(crate) fn commands_of(role: Role) -> Vec<String> {
    let of_api = COMMANDS.iter().filter_map(|(name, least)| Some((*name, (*least)?)));
    let allowed = of_api.chain(HOST_COMMANDS.iter().copied()).filter(|(_, least)| *least <= role);
    let mut names: Vec<String> = allowed.map(|(name, _)| name.to_owned()).collect();
    names.sort_unstable();
    names
}

/// The commands that begin runs.
const RUN_STARTS: [&str; 9] = [
    "import.compare",
    "run.beginInquiry",
    "run.continueInquiry",
    "run.move",
    "run.rerun",
    "run.retry",
    "run.start",
    "suite.debug",
    "suite.run",
];

/// Whether a command begins runs.
pub(crate) fn starts_runs(name: &str) -> bool {
    RUN_STARTS.contains(&name)
}

/// Arguments that only an admin may give, to any command: grants are the host's, and so is the choice of the user that a
/// run, its conversations and its memories belong to.
const ADMIN_ARGUMENTS: [&str; 2] = ["grants", "user"];

/// The least role that may execute a command with these arguments. `host.not_served`, `command.unknown`.
pub(crate) fn least_role(name: &str, args: &Value) -> Result<Role, ErrorReply> {
    if let Some((_, role)) = HOST_COMMANDS.iter().find(|(command, _)| *command == name) {
        return Ok(*role);
    }
    let Some((_, role)) = COMMANDS.iter().find(|(command, _)| *command == name) else {
        return Err(ErrorReply::new(codes::COMMAND_UNKNOWN, format!("There is no command `{name}`.")));
    };
    let Some(role) = *role else {
        let message = format!("`{name}` needs a window, or files of a person: a host does not execute it.");
        return Err(ErrorReply::new(codes::HOST_NOT_SERVED, message));
    };
    let is_given = |name: &&str| match args.get(*name) {
        None | Some(Value::Null) => false,
        Some(Value::Array(items)) => !items.is_empty(),
        Some(_) => true,
    };
    Ok(if ADMIN_ARGUMENTS.iter().any(is_given) { Admin } else { role })
}

/// The settings that reach the machine: addresses in its network, variables of its environment.
const MACHINE_SETTINGS: [&str; 2] = ["/tools/allowedHosts", "/telemetry/headersVariable"];

/// Refuses what a tenant may not do to a machine that it shares: start programs, open its network to tools, read its environment.
/// `host.machine_only`.
pub(crate) fn refuse_machine(name: &str, args: &Value) -> Result<(), ErrorReply> {
    let sets = |settings: &Value| {
        MACHINE_SETTINGS.iter().any(|pointer| match settings.pointer(pointer) {
            None | Some(Value::Null) => false,
            Some(Value::Array(items)) => !items.is_empty(),
            Some(_) => true,
        })
    };
    let is_refused = match name {
        AddMcpServers::NAME => true,
        SetSettings::NAME => sets(&args["settings"]),
        ChangeSettings::NAME => sets(&args["patch"]),
        SetConfig::NAME => args["key"].as_str().is_some_and(|key| {
            MACHINE_SETTINGS.contains(&format!("/{}", key.trim().replace('.', "/")).as_str())
        }),
        _ => false,
    };
    if !is_refused {
        return Ok(());
    }
    let message = format!("`{name}` reaches the machine of the host here, which several tenants share.");
    Err(ErrorReply::new(codes::HOST_MACHINE_ONLY, message).hint(
        "Let who runs the host do it on the machine, with `plait` and the data directory of the tenant.",
    ))
}

#[cfg(test)]
mod tests;
