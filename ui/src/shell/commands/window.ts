/** Commands that open and fold the parts of the window. */

import { flushSync } from "react-dom";
import { notify } from "@/design/dialogs/notify";
import { isStartPage } from "@/flow/document/flow-state";
import type { Command } from "@/workspace/commands/command";
import type { InterfaceZoom } from "@/workspace/window/interface-zoom";
import { type Part, showsInspector } from "@/workspace/window/layout";
import type { Workspace } from "@/workspace/workspace";

export const SETTINGS_KEYS = "Mod+,";

export const windowCommands: readonly Command[] = [
  {
    id: "window.new",
    title: "New window",
    group: "View",
    keys: ["Mod+Shift+N"],
    terms: ["open", "another", "second"],
    whileTyping: true,
    run: async ({ host }) => {
      await host.newWindow().catch(notify.error);
    },
  },
  {
    id: "view.searchNodes",
    title: "Search node types",
    group: "View",
    keys: ["/"],
    run: (workspace) => {
      // At once, so that the next key goes into the field.
      flushSync(() => workspace.layout.showPanel("nodes"));
      document.getElementById("palette-search")?.focus();
    },
  },
  {
    id: "view.settings",
    title: "Show settings",
    group: "View",
    keys: [SETTINGS_KEYS, "Alt+5"],
    terms: ["preferences", "options", "configuration"],
    whileTyping: true,
    run: (workspace) => workspace.layout.showSettings(),
  },
  {
    id: "view.flowSettings",
    title: "Flow settings",
    group: "View",
    terms: ["name", "description", "limits", "folders", "inspector"],
    enabled: ({ editor }) => !isStartPage(editor.state),
    run: toggleFlowSettings,
  },
  part("left", "Toggle left panel", "Mod+B"),
  {
    id: "view.pinLeft",
    title: "Pin left panel",
    group: "View",
    terms: ["keep", "open", "palette", "nodes"],
    checked: ({ layout }) => layout.store.getState().pinned,
    run: ({ layout }) => layout.togglePin(),
  },
  part("right", "Toggle inspector", "Mod+I"),
  {
    id: "view.chatRight",
    title: "Conversation on the right",
    group: "View",
    terms: ["chat", "column", "side", "below", "dock"],
    checked: ({ layout }) => layout.store.getState().chat === "right",
    run: ({ layout }) => layout.putChat(layout.store.getState().chat === "right" ? "below" : "right"),
  },
  part("dock", "Toggle dock", "Mod+J"),
  zoom("In", "Zoom interface in", ["Mod+=", "Mod++"], (it) => it.larger()),
  zoom("Out", "Zoom interface out", ["Mod+-"], (it) => it.smaller()),
  zoom("Reset", "Reset interface zoom", ["Mod+0"], (it) => it.reset()),
  {
    id: "view.theme",
    title: "Toggle light/dark theme",
    group: "View",
    terms: ["theme", "color", "mode"],
    run: (workspace) => {
      const dark = document.documentElement.dataset.theme === "dark";
      workspace.settings.change({ theme: dark ? "light" : "dark" });
    },
  },
  {
    id: "view.reducedMotion",
    title: "Toggle reduced motion",
    group: "View",
    terms: ["animation", "reduced motion"],
    run: (workspace) => workspace.settings.change({ reducedMotion: !workspace.settings.current.reducedMotion }),
  },
];

/** Shows the settings of the flow in place of those of the selection, or hides them. */
function toggleFlowSettings({ editor, layout }: Workspace): void {
  const state = layout.store.getState();
  if (showsInspector(state) && !state.inspected) {
    layout.hideFlowSettings();
  } else {
    editor.selectOnly({});
    layout.showFlowSettings();
  }
}

function zoom(id: string, title: string, keys: string[], change: (zoom: InterfaceZoom) => void): Command {
  return {
    id: `view.interfaceZoom${id}`,
    title,
    group: "View",
    keys,
    terms: ["scale", "size", "window", "larger", "smaller"],
    whileTyping: true,
    run: (workspace) => change(workspace.zoom),
  };
}

function part(name: Part, title: string, keys: string): Command {
  return {
    id: `view.fold.${name}`,
    title,
    group: "View",
    keys: [keys],
    terms: ["panel", "toggle", "hide"],
    whileTyping: true,
    run: (workspace) => workspace.layout.toggle(name),
  };
}
