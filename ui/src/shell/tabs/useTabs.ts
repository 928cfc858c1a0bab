import { useMemo } from "react";
import { useStore } from "zustand";
import type { RunStatus } from "@/bindings";
import { documentName, isDirty, isStartPage } from "@/flow/document/flow-state";
import { currentStates } from "@/flow/files/open-documents";
import { TEXTS } from "@/shell/texts";
import { useFlow, useWorkspace } from "@/workspace/context";

/** What a tab shows of its document. */
export type FlowTab = {
  key: string;
  name: string;
  /** The folder of its file, where another document has the same name. */
  folder?: string;
  path?: string;
  isShown: boolean;
  isDirty: boolean;
  /** How the run of the document is doing. */
  status?: RunStatus;
  /** The same in words, with unsaved changes. */
  state: string;
};

/** The tabs of all open documents, in their order. */
export function useTabs(): FlowTab[] {
  const { documents, editor, runs } = useWorkspace();
  const states = useStore(documents.store);
  const statuses = useStore(runs.store, (state) => state.statuses);
  // Of the shown document only what its tab shows: it changes with every edit.
  const [key, name, dirty, path] = [
    useFlow((state) => state.key),
    useFlow(documentName),
    useFlow(isDirty),
    useFlow((state) => state.path),
  ];
  // biome-ignore lint/correctness/useExhaustiveDependencies: these say when the shown document changes.
  return useMemo(() => {
    const all = currentStates(states, editor.state);
    const names = all.map(documentName);
    return all.map((document, at) => {
      const isSame = names.filter((one) => one === names[at]).length > 1;
      const status = statuses[document.key];
      const hasChanges = isDirty(document);
      return {
        key: document.key,
        name: isStartPage(document) ? TEXTS.start : (names[at] ?? ""),
        folder: isSame && document.path !== undefined ? document.path.split(/[\\/]/).at(-2) : undefined,
        path: document.path,
        isShown: document.key === key,
        isDirty: hasChanges,
        status,
        state: [status && TEXTS.runStatus[status], hasChanges && TEXTS.unsavedChanges].filter(Boolean).join(", "),
      };
    });
  }, [states, statuses, key, name, dirty, path, editor]);
}
