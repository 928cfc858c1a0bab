import { FolderOpen, History, Keyboard, MessagesSquare, Plus, Settings } from "lucide-react";
import type { ReactNode } from "react";
import { Tip } from "@/design/Tip";
import { type LeftPanel, toggleLeftPanel, useLayout } from "@/workbench/layout";
import { showShortcuts } from "@/workbench/overlays";

const PANELS: { id: LeftPanel; label: string; keys: string; icon: ReactNode }[] = [
  { id: "flows", label: "Flows", keys: "Alt+1", icon: <FolderOpen size={18} aria-hidden /> },
  { id: "nodes", label: "Nodes", keys: "Alt+2", icon: <Plus size={18} aria-hidden /> },
  { id: "runs", label: "Runs", keys: "Alt+3", icon: <History size={18} aria-hidden /> },
  { id: "conversations", label: "Conversations", keys: "Alt+4", icon: <MessagesSquare size={18} aria-hidden /> },
];

/** The narrow bar on the left that chooses what the left panel shows. */
export function Rail() {
  return (
    <nav
      className="flex w-12 shrink-0 flex-col items-center gap-1.5 border-line border-r bg-bg-1 py-2.5"
      aria-label="Panels"
    >
      {PANELS.map((panel) => (
        <RailButton key={panel.id} {...panel} />
      ))}
      <span className="flex-1" />
      <Tip label="Keyboard shortcuts" keys="?" side="right">
        <button type="button" className="rail-button" aria-label="Keyboard shortcuts" onClick={showShortcuts}>
          <Keyboard size={18} aria-hidden />
        </button>
      </Tip>
      <RailButton id="settings" label="Settings" keys="Alt+5" icon={<Settings size={18} aria-hidden />} />
    </nav>
  );
}

function RailButton({ id, label, keys, icon }: { id: LeftPanel; label: string; keys: string; icon: ReactNode }) {
  const shown = useLayout((layout) => layout.open.left && layout.leftPanel === id);
  return (
    <Tip label={label} keys={keys} side="right">
      <button
        type="button"
        className="rail-button"
        aria-label={label}
        aria-pressed={shown}
        data-testid={`rail-${id}`}
        onClick={() => toggleLeftPanel(id)}
      >
        {icon}
      </button>
    </Tip>
  );
}
