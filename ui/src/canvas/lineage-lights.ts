/** Lights the cards that a followed text went through. A style sheet does it: no card is rendered again, and cards that come into view later are lit too. */
import { useEffect, useMemo } from "react";
import { useStore } from "zustand";
import type { NodeId } from "@/bindings";
import { nodesOf } from "@/run/lineage/lineage-store";
import { useLayout, useWorkspace } from "@/workspace/context";
import { useShownRun } from "@/workspace/run-hooks";

const NONE: ReadonlySet<NodeId> = new Set();

/** The nodes that a followed text went through, while its way is shown. */
export function useTracedNodes(): ReadonlySet<NodeId> {
  const workspace = useWorkspace();
  const lineage = useStore(workspace.lineage.store, (state) => state.lineage);
  const isOpen = useLayout((layout) => layout.dockTab === "lineage" && layout.open.dock);
  const run = useShownRun()?.run;
  return useMemo(() => (lineage && isOpen && run !== undefined ? nodesOf(lineage, run) : NONE), [lineage, isOpen, run]);
}

export function useLineageLights(): void {
  const nodes = useTracedNodes();
  useEffect(() => {
    if (nodes.size === 0) return;
    const cards = [...nodes].map((id) => `.react-flow__node-card[data-id="${CSS.escape(id)}"] > .card`).join(",");
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(`${cards} { outline: 2px solid var(--accent); outline-offset: 2px; }`);
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
    return () => {
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== sheet);
    };
  }, [nodes]);
}
