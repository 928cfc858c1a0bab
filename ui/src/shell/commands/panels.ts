/** One command for each registered panel and dock tab. */
import { DOCK_TABS, type DockTabDefinition } from "@/dock";
import { PANELS, type PanelDefinition } from "@/panels";
import type { Command } from "@/workspace/commands/command";

export const panelCommands: readonly Command[] = [...PANELS.map(panelCommand), ...DOCK_TABS.map(dockTabCommand)];

function panelCommand({ id, command, keys }: PanelDefinition): Command {
  return {
    id: `view.${id}`,
    title: command,
    group: "View",
    keys: [keys],
    whileTyping: true,
    run: (workspace) => workspace.layout.showPanel(id),
  };
}

function dockTabCommand({ id, title, keys }: DockTabDefinition): Command {
  return {
    id: `dock.${id}`,
    title: `Show ${title}`,
    group: "View",
    keys: [keys],
    whileTyping: true,
    run: (workspace) => workspace.layout.showDockTab(id),
  };
}
