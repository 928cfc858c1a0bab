/** Commands about hosts of other machines: their list, what they serve, and runs that are brought home. */
import { documentFlow } from "@/flow/document/flow-state";
import { bringHome } from "@/panels/runs/bring-home";
import type { Command } from "@/workspace/commands/command";
import type { Workspace } from "@/workspace/workspace";

export const hostCommands: readonly Command[] = [
  {
    id: "window.hosts",
    title: "Hosts…",
    group: "Flow",
    terms: ["remote", "server", "team", "connect", "token", "machine"],
    run: ({ overlays }) => overlays.showHosts(true),
  },
  {
    id: "flow.publish",
    title: "Publish…",
    group: "Flow",
    terms: ["host", "deploy", "serve", "version", "roll back", "remote"],
    enabled: ({ editor, remote }) =>
      Object.keys(documentFlow(editor.state).nodes).length > 0 && (remote?.may("published.publish") ?? true),
    run: ({ overlays }) => overlays.showPublished("publish"),
  },
  {
    id: "host.published",
    title: "Published flows…",
    group: "Flow",
    terms: ["host", "versions", "roll back", "unpublish", "run", "schedule"],
    enabled: ({ remote }) => remote !== undefined,
    run: ({ overlays }) => overlays.showPublished("list"),
  },
  {
    id: "run.bringHome",
    title: "Bring run home",
    group: "Run",
    terms: ["host", "copy", "pull", "download", "debug", "this machine"],
    enabled: (workspace) => workspace.remote !== undefined && shownRun(workspace) !== undefined,
    run: async (workspace) => {
      const run = shownRun(workspace);
      if (run === undefined) return;
      await bringHome(workspace, run);
    },
  },
];

function shownRun({ runs }: Workspace) {
  const { viewed, document } = runs.store.getState();
  return (viewed ?? document)?.run;
}
