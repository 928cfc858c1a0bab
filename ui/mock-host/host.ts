/** A host that lives in the page, for development in a browser and for tests. Never part of the desktop bundle. */
import type { NodeDescriptor } from "@/bindings";
import nodes from "@/bindings/nodes.json";
import { type Host, HostError } from "@/ipc/host";
import { mockAttachments } from "./attachments";
import type { Commands } from "./commands";
import { mockConversations } from "./conversations";
import { mockDialogs } from "./dialogs";
import { mockFlows } from "./flows";
import { mockGrants } from "./grants";
import { mockKnowledge } from "./knowledge";
import { mockMcp } from "./mcp";
import { mockMemories } from "./memories";
import { mockOpening } from "./opening";
import { mockRuns } from "./runs";
import { mockSettings } from "./settings";
import { OWN_TOOLS } from "./tools";
import { mockUsers } from "./users";
import { mockZoom } from "./zoom";

export async function mockHost(): Promise<Host> {
  const types = nodes as unknown as NodeDescriptor[];
  const env = { now: Date.now };
  const flows = mockFlows(types);
  const conversations = mockConversations(env, flows.files, (id) => runs.busy(id));
  const grants = mockGrants();
  const runs = mockRuns(env, conversations, grants);
  const memories = mockMemories(env);
  const commands: Commands = {
    "nodes.list": () => types,
    "tools.list": () => OWN_TOOLS,
    ...flows.commands,
    ...mockSettings(),
    ...mockMcp(),
    ...grants.commands,
    ...mockDialogs(flows.files),
    ...conversations.commands,
    ...mockKnowledge(),
    ...memories.commands,
    ...mockAttachments(),
    ...mockUsers(memories.count, memories.removeAll),
    ...runs.commands,
  };
  return {
    opened: mockOpening,
    async call(name, args) {
      const command = commands[name];
      if (!command) {
        throw new HostError({ code: "command.unknown", message: `There is no command \`${name}\`.` });
      }
      // Copies values, as between two processes: objects are never shared with the host.
      return structuredClone(await command(structuredClone(args) as never)) as never;
    },
    watch: runs.watch,
    closeWindow: async () => undefined,
    takeRequests: () => undefined,
    reportFiles: () => undefined,
    showElsewhere: async () => false,
    async newWindow() {
      const page = new URL(window.location.href);
      page.search = "?window=another";
      window.open(page);
    },
    setZoom: mockZoom,
  };
}
