import { Keyboard } from "lucide-react";
import { Tip } from "@/design/Tip";
import { PANELS, type PanelDefinition } from "@/panels";
import { togglePanel, useLayout } from "@/workbench/layout";
import { showShortcuts } from "@/workbench/overlays";

/** The narrow bar on the left that chooses what the left panel shows. */
export function Rail() {
  return (
    <nav
      className="flex w-12 shrink-0 flex-col items-center gap-1.5 border-line border-r bg-bg-1 py-2.5"
      aria-label="Panels"
    >
      {PANELS.filter((panel) => panel.rail === "top").map((panel) => (
        <RailButton key={panel.id} panel={panel} />
      ))}
      <span className="flex-1" />
      <Tip label="Keyboard shortcuts" keys="?" side="right">
        <button type="button" className="rail-button" aria-label="Keyboard shortcuts" onClick={showShortcuts}>
          <Keyboard size={18} aria-hidden />
        </button>
      </Tip>
      {PANELS.filter((panel) => panel.rail === "bottom").map((panel) => (
        <RailButton key={panel.id} panel={panel} />
      ))}
    </nav>
  );
}

function RailButton({ panel: { id, title, keys, icon: PanelIcon } }: { panel: PanelDefinition }) {
  const pressed = useLayout((layout) => layout.open.left && layout.leftPanel === id);
  return (
    <Tip label={title} keys={keys} side="right">
      <button
        type="button"
        className="rail-button"
        aria-label={title}
        aria-pressed={pressed}
        data-testid={`rail-${id}`}
        onClick={() => togglePanel(id)}
      >
        <PanelIcon size={18} aria-hidden />
      </button>
    </Tip>
  );
}
