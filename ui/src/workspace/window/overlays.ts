/** The overlays that commands open: the command palette, the list of shortcuts, the search across flows, the drafts of the last session. */
import { createStore, type StoreApi } from "zustand/vanilla";
import type { Autosave, ImportReport, NodeId } from "@/bindings";
import { TypeAhead } from "@/design/controls/type-ahead";
import type { Fold } from "@/flow/containers/folding";

export type Overlays = {
  palette: boolean;
  /** What the palette lists: everything, or the nodes of the flow alone. */
  paletteLists: "everything" | "nodes";
  /** Where a node added from the palette goes, in canvas units. Without it: the middle of the view. */
  paletteAt?: { x: number; y: number };
  shortcuts: boolean;
  /** The search across all known flows. */
  flowSearch: boolean;
  /** The versions of the shown flow. */
  versions: boolean;
  /** The hosts that this machine works with. */
  hosts: boolean;
  /** The flows that the window's host serves, or the form that publishes the shown flow. */
  published?: "list" | "publish";
  /** Drafts of an earlier session that were never saved. */
  drafts: readonly Autosave[];
  /** The form that adds a breakpoint. */
  breakpointForm: boolean;
  /** The node whose form of a trial is asked for. */
  trialOf?: NodeId;
  /** What became of the file that the shown flow was imported from. */
  importReport: boolean;
  /** The place of an imported flow that is shown of those that are not as in the original. */
  importStep?: ShownImportStep;
  /** A long text that is read with the room of the window. */
  reading?: { title: string; text: string };
};

/** A place of the import's report; `unfolded` are the loops and frames that were unfolded to show it. */
type ShownImportStep = { report: ImportReport; at: number; unfolded: readonly Fold[] };

export class OverlayStore {
  /** The text typed while the field of the palette, or of the search across flows, is being opened. */
  readonly typeAhead = new TypeAhead();
  readonly store: StoreApi<Overlays> = createStore<Overlays>(() => ({
    palette: false,
    paletteLists: "everything",
    shortcuts: false,
    flowSearch: false,
    versions: false,
    hosts: false,
    breakpointForm: false,
    importReport: false,
    drafts: [],
  }));

  #afterPalette: (() => unknown) | undefined;

  showPalette(at?: Overlays["paletteAt"]): void {
    this.#openPalette({ paletteLists: "everything", paletteAt: at });
  }

  /** Searches the nodes of the shown flow. */
  showNodeSearch(): void {
    this.#openPalette({ paletteLists: "nodes", paletteAt: undefined });
  }

  #openPalette(what: Pick<Overlays, "paletteLists" | "paletteAt">): void {
    if (!this.store.getState().palette) this.typeAhead.begin(() => this.hidePalette());
    this.store.setState({ palette: true, ...what });
  }

  /** Closes the palette. `then` is done once it has closed and given the focus back, because it may move the focus elsewhere. */
  hidePalette(then?: () => unknown): void {
    this.typeAhead.end();
    this.#afterPalette = then;
    this.store.setState({ palette: false });
  }

  /** The palette has closed. */
  paletteClosed(): void {
    const then = this.#afterPalette;
    if (!then) return;
    requestAnimationFrame(() => {
      if (this.#afterPalette === then) this.finishPalette();
    });
  }

  /** Does at once what waits for the palette to close. What a person does next comes after it. */
  finishPalette(): void {
    const then = this.#afterPalette;
    this.#afterPalette = undefined;
    void then?.();
  }

  showShortcuts(): void {
    this.store.setState({ shortcuts: true });
  }

  hideShortcuts(): void {
    this.store.setState({ shortcuts: false });
  }

  showFlowSearch(flowSearch: boolean): void {
    if (!flowSearch) this.typeAhead.end();
    else if (!this.store.getState().flowSearch) this.typeAhead.begin(() => this.showFlowSearch(false));
    this.store.setState({ flowSearch });
  }

  showVersions(versions: boolean): void {
    this.store.setState({ versions });
  }

  showHosts(hosts: boolean): void {
    this.store.setState({ hosts });
  }

  /** Shows the flows that the window's host serves, or the form that publishes the shown flow; or hides both. */
  showPublished(published: Overlays["published"]): void {
    this.store.setState({ published });
  }

  showBreakpointForm(breakpointForm: boolean): void {
    this.store.setState({ breakpointForm });
  }

  /** Opens the form of a trial for a node in the inspector, once. */
  tryConfig(trialOf: NodeId | undefined): void {
    this.store.setState({ trialOf });
  }

  showImportReport(importReport: boolean): void {
    this.store.setState({ importReport });
  }

  showImportStep(importStep: Overlays["importStep"]): void {
    this.store.setState({ importStep });
  }

  /** Shows a text in the reader, or closes it. */
  read(reading: Overlays["reading"]): void {
    this.store.setState({ reading });
  }

  offerDrafts(drafts: readonly Autosave[]): void {
    this.store.setState({ drafts });
  }
}
