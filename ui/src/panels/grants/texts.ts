/** Every text of this part of the window. */
export const TEXTS = {
  title: "What this flow may do",
  intro:
    "Commands, hosts, folders and tools that the flow needs, and what you decided. Kept on this machine for the flow’s file, never in the flow.",
  noFile: "Save the flow to keep decisions. Until then, you are asked before each run.",
  nothingNeeded: "Nothing needed",
  nothingNeededHelp:
    "This flow starts no command, requests no host, uses no folder, and has no tool that changes something.",
  couldntLoad: "Couldn’t load what the flow needs",
  tryAgain: "Try again",
  loading: "Looking at the flow…",
  kinds: { command: "Commands", host: "Hosts", folder: "Folders", tool: "Tools" },
  anyHost: "Any host",
  flowSettings: "the flow’s settings",
  reason: (what: string, nodes: readonly string[]) => `${what} · used by ${nodes.join(", ")}`,
  changed: "Changed",
  wasBefore: (seen: string) => `Before: ${seen}`,
  decisionAbout: (name: string) => `Decision about ${name}`,
  decisions: { allow: "Allow", ask: "Ask each time", deny: "Deny", none: "Not decided" },
  byRule: (target: string) => `By the rule ${target}`,
  untrusted: "Also arguments of untrusted origin",
  untrustedFor: (name: string) => `Allow untrusted arguments for ${name}`,
  unused: "Rules that nothing needs",
  revoke: "Revoke",
  revokeRule: (target: string) => `Revoke ${target}`,
  pins: "Accepted MCP tools",
  pinChanged: "Changed: accept the tools under MCP servers",
} as const;
