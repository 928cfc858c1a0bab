import { CircleQuestionMark, Keyboard, Pin, PinOff, Settings } from "lucide-react";
import { Tooltip } from "@/design/controls/Tooltip";
import { PANELS, type PanelDefinition } from "@/panels";
import { TEXTS } from "@/shell/texts";
import { useCommands, useKeys, useLayout, useWorkspace } from "@/workspace/context";
import { UserMenu } from "./UserMenu";

/** The narrow bar on the left that chooses what the left panel shows. A tiny window has a menu instead. */
export function Rail() {
  const workspace = useWorkspace();
  const shortcutKeys = useKeys("help.shortcuts");
  const hasRoom = useLayout((layout) => layout.size !== "tiny");
  if (!hasRoom) return null;
  return (
    <nav
      className="flex w-12 shrink-0 flex-col items-center gap-1.5 border-line border-r bg-bg-1 py-2.5"
      aria-label={TEXTS.panels}
    >
      {PANELS.map((panel) => (
        <RailButton key={panel.id} panel={panel} />
      ))}
      <PinButton />
      <span className="flex-1" />
      {/* Switching the user of a host would switch it for everyone there. */}
      {workspace.remote ? null : <UserMenu />}
      <HelpButton />
      <Tooltip label={TEXTS.keyboardShortcuts} keys={shortcutKeys} side="right">
        <button
          type="button"
          className="rail-button"
          aria-label={TEXTS.keyboardShortcuts}
          onClick={() => workspace.overlays.showShortcuts()}
        >
          <Keyboard size={18} aria-hidden />
        </button>
      </Tooltip>
      <SettingsButton />
    </nav>
  );
}

/** Only where there is room for a panel beside the canvas. */
function PinButton() {
  const { layout } = useWorkspace();
  const isWide = useLayout((state) => state.size === "wide");
  const pinned = useLayout((state) => state.pinned);
  if (!isWide) return null;
  const label = pinned ? TEXTS.unpinPanel : TEXTS.pinPanel;
  return (
    <Tooltip label={label} side="right">
      <button
        type="button"
        className="rail-button"
        aria-label={label}
        data-testid="rail-pin"
        onClick={() => layout.togglePin()}
      >
        {pinned ? <PinOff size={16} aria-hidden /> : <Pin size={16} aria-hidden />}
      </button>
    </Tooltip>
  );
}

function HelpButton() {
  const keys = useKeys("help.guide");
  const { layout } = useWorkspace();
  const commands = useCommands();
  const pressed = useLayout((state) => state.page === "guide");
  return (
    <Tooltip label={TEXTS.help} keys={keys} side="right">
      <button
        type="button"
        className="rail-button"
        aria-label={TEXTS.help}
        aria-pressed={pressed}
        data-testid="rail-help"
        onClick={() => (pressed ? layout.closePage() : commands.run("help.guide"))}
      >
        <CircleQuestionMark size={18} aria-hidden />
      </button>
    </Tooltip>
  );
}

function SettingsButton() {
  const keys = useKeys("view.settings");
  const { layout } = useWorkspace();
  const pressed = useLayout((state) => state.page === "settings");
  return (
    <Tooltip label={TEXTS.settings} keys={keys} side="right">
      <button
        type="button"
        className="rail-button"
        aria-label={TEXTS.settings}
        aria-pressed={pressed}
        data-testid="rail-settings"
        onClick={() => (pressed ? layout.closePage() : layout.showSettings())}
      >
        <Settings size={18} aria-hidden />
      </button>
    </Tooltip>
  );
}

function RailButton({ panel: { id, title, icon: PanelIcon } }: { panel: PanelDefinition }) {
  const keys = useKeys(`view.${id}`);
  const workspace = useWorkspace();
  const pressed = useLayout((layout) => layout.open.left && layout.leftPanel === id && layout.page === undefined);
  return (
    <Tooltip label={title} keys={keys} side="right">
      <button
        type="button"
        className="rail-button"
        aria-label={title}
        aria-pressed={pressed}
        data-testid={`rail-${id}`}
        onClick={() => workspace.layout.togglePanel(id)}
      >
        <PanelIcon size={18} aria-hidden />
      </button>
    </Tooltip>
  );
}
