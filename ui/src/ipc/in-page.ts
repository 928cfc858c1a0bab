/** A host in the page itself, in memory: for plain browsers and for tests. Never loaded inside the desktop window. */
import { type Host, HostError } from "./host";
import { inPageRuns } from "./in-page-runs";

export async function inPageHost(): Promise<Host> {
  const runs = inPageRuns({ now: Date.now });
  const commands: Record<string, (args: never) => unknown> = { ...runs.commands };
  return {
    kind: "in-page",
    async call(name, args) {
      const command = commands[name];
      if (!command) {
        throw new HostError({ code: "host.unknown_command", message: `There is no command \`${name}\`.` });
      }
      return (await command(args as never)) as never;
    },
    watch: runs.watch,
  };
}
