import { Keyboard } from "lucide-react";
import { Tooltip } from "@/design/Tooltip";
import { PANELS, type PanelDefinition } from "@/panels";
import { useLayout, useWorkspace } from "@/workspace/context";
import { TEXTS } from "./texts";
import { UserMenu } from "./UserMenu";

/** The narrow bar on the left that chooses what the left panel shows. */
export function Rail() {
  const workspace = useWorkspace();
  return (
    <nav
      className="flex w-12 shrink-0 flex-col items-center gap-1.5 border-line border-r bg-bg-1 py-2.5"
      aria-label={TEXTS.panels}
    >
      {PANELS.filter((panel) => panel.rail === "top").map((panel) => (
        <RailButton key={panel.id} panel={panel} />
      ))}
      <span className="flex-1" />
      <UserMenu />
      <Tooltip label={TEXTS.keyboardShortcuts} keys="?" side="right">
        <button
          type="button"
          className="rail-button"
          aria-label={TEXTS.keyboardShortcuts}
          onClick={() => workspace.overlays.showShortcuts()}
        >
          <Keyboard size={18} aria-hidden />
        </button>
      </Tooltip>
      {PANELS.filter((panel) => panel.rail === "bottom").map((panel) => (
        <RailButton key={panel.id} panel={panel} />
      ))}
    </nav>
  );
}

function RailButton({ panel: { id, title, keys, icon: PanelIcon } }: { panel: PanelDefinition }) {
  const workspace = useWorkspace();
  const pressed = useLayout((layout) => layout.open.left && layout.leftPanel === id);
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
