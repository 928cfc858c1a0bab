// Registers the debug type: each session is a process of `plait dap`.
const vscode = require("vscode");

/** Files that are flows by their names alone; any other YAML file may be a pipeline. */
const FLOW = /\.(flow\.json|ya?ml)$/;

function adapter() {
  const command = vscode.workspace.getConfiguration("plait").get("command") || "plait";
  return new vscode.DebugAdapterExecutable(command, ["dap"]);
}

function configurations() {
  const file = vscode.window.activeTextEditor?.document.fileName;
  if (!file || !FLOW.test(file)) return [];
  return [{ type: "plait", request: "launch", name: "Run this flow", program: file }];
}

exports.activate = (context) => {
  const { Dynamic } = vscode.DebugConfigurationProviderTriggerKind;
  context.subscriptions.push(
    vscode.debug.registerDebugAdapterDescriptorFactory("plait", { createDebugAdapterDescriptor: adapter }),
    vscode.debug.registerDebugConfigurationProvider("plait", {
      /** Without a `launch.json`, the shown flow is run. */
      resolveDebugConfiguration: (_, given) => (given.type || given.request ? given : configurations()[0]),
    }),
    vscode.debug.registerDebugConfigurationProvider("plait", { provideDebugConfigurations: configurations }, Dynamic),
  );
};
