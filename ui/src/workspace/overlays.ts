/** The overlays that commands open: the command palette, the list of shortcuts, the search across flows, the drafts of the last session. */
import { createStore, type StoreApi } from "zustand/vanilla";
import type { Autosave, ImportReport } from "@/bindings";

export type Overlays = {
  palette: boolean;
  /** Where a node added from the palette goes, in canvas units. Without it: the middle of the view. */
  paletteAt?: { x: number; y: number };
  shortcuts: boolean;
  /** The search across all known flows. */
  flowSearch: boolean;
  /** The versions of the shown flow. */
  versions: boolean;
  /** Drafts of an earlier session that were never saved. */
  drafts: readonly Autosave[];
  /** What became of the file that was imported last, until the person has read it. */
  importReport?: ImportReport;
};

export class OverlayStore {
  readonly store: StoreApi<Overlays> = createStore<Overlays>(() => ({
    palette: false,
    shortcuts: false,
    flowSearch: false,
    versions: false,
    drafts: [],
  }));

  showPalette(at?: Overlays["paletteAt"]): void {
    this.store.setState({ palette: true, paletteAt: at });
  }

  hidePalette(): void {
    this.store.setState({ palette: false });
  }

  showShortcuts(): void {
    this.store.setState({ shortcuts: true });
  }

  hideShortcuts(): void {
    this.store.setState({ shortcuts: false });
  }

  showFlowSearch(flowSearch: boolean): void {
    this.store.setState({ flowSearch });
  }

  showVersions(versions: boolean): void {
    this.store.setState({ versions });
  }

  showImport(report: ImportReport): void {
    this.store.setState({ importReport: report });
  }

  hideImport(): void {
    this.store.setState({ importReport: undefined });
  }

  offerDrafts(drafts: readonly Autosave[]): void {
    this.store.setState({ drafts });
  }
}
