/** Lights the cards that a followed text went through. A style sheet does it: no card is rendered again, and cards that come into view later are lit too. */
import { useEffect } from "react";
import { useStore } from "zustand";
import { nodesOf } from "@/run/lineage/lineage-store";
import { useLayout, useWorkspace } from "@/workspace/context";
import { useShownRun } from "@/workspace/run-hooks";

export function useLineageLights(): void {
  const workspace = useWorkspace();
  const lineage = useStore(workspace.lineage.store, (state) => state.lineage);
  const isOpen = useLayout((layout) => layout.dockTab === "lineage" && layout.open.dock);
  const run = useShownRun()?.run;
  useEffect(() => {
    const nodes = lineage && isOpen && run !== undefined ? [...nodesOf(lineage, run)] : [];
    if (nodes.length === 0) return;
    const cards = nodes.map((id) => `.react-flow__node-card[data-id="${CSS.escape(id)}"] > .card`).join(",");
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(`${cards} { outline: 2px solid var(--accent); outline-offset: 2px; }`);
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
    return () => {
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== sheet);
    };
  }, [lineage, isOpen, run]);
}
