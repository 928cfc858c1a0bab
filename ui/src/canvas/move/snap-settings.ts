/** Whether dragged nodes are pulled into line. Kept with the person's settings. */
import type { Command } from "@/workspace/commands/command";
import type { Workspace } from "@/workspace/workspace";

const NAME = "snap";
const DEFAULT = { guides: true, grid: false };
type SnapSettings = typeof DEFAULT;
type Parts = Pick<Workspace, "settings">;

export function snapSettings({ settings }: Parts): SnapSettings {
  return { ...DEFAULT, ...settings.remembered<Partial<SnapSettings>>(NAME) };
}

export const snapCommands: readonly Command[] = [
  switchOf("guides", "arrange.guides", "Alignment guides", ["snap", "align", "lines", "smart"]),
  switchOf("grid", "arrange.grid", "Snap to grid", ["dots", "raster", "align"]),
];

function switchOf(field: keyof SnapSettings, id: string, title: string, terms: string[]): Command {
  return {
    id,
    title,
    group: "Arrange",
    terms,
    checked: (workspace) => snapSettings(workspace)[field],
    run: (workspace) => {
      const before = snapSettings(workspace);
      workspace.settings.remember(NAME, { ...before, [field]: !before[field] });
    },
  };
}
