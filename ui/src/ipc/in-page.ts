/** A host in the page itself, in memory: for plain browsers and for tests. Never loaded inside the desktop window. */
import type { NodeDescriptor } from "@/bindings";
import nodes from "../bindings/nodes.json";
import { type Host, HostError } from "./host";
import { inPageConversations } from "./in-page-conversations";
import { inPageDialogs } from "./in-page-dialogs";
import { inPageFlows } from "./in-page-flows";
import { inPageRuns } from "./in-page-runs";
import { inPageSettings } from "./in-page-settings";

export type Commands = Record<string, (args: never) => unknown>;

export async function inPageHost(): Promise<Host> {
  const types = nodes as unknown as NodeDescriptor[];
  const env = { now: Date.now };
  const flows = inPageFlows(types);
  const conversations = inPageConversations(env, flows.files, (id) => runs.busy(id));
  const runs = inPageRuns(env, conversations);
  const commands: Commands = {
    "nodes.list": () => types,
    ...flows.commands,
    ...inPageSettings(),
    ...inPageDialogs(flows.files),
    ...conversations.commands,
    ...runs.commands,
  };
  return {
    kind: "in-page",
    async call(name, args) {
      const command = commands[name];
      if (!command) {
        throw new HostError({ code: "host.unknown_command", message: `There is no command \`${name}\`.` });
      }
      // As between two processes: nobody shares objects with the host.
      return structuredClone(await command(structuredClone(args) as never)) as never;
    },
    watch: runs.watch,
  };
}
