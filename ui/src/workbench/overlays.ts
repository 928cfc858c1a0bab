/** The overlays that commands open: the command palette, the shortcuts help, the drafts of last time. */
import { create } from "zustand";
import type { Autosave } from "@/bindings";

type Overlays = {
  palette: boolean;
  /** Where a node added from the palette goes, in canvas units; absent: the middle of the view. */
  paletteAt?: { x: number; y: number };
  shortcuts: boolean;
  /** Drafts the host kept from a session that did not end well. */
  drafts: readonly Autosave[];
};

export const overlayStore = create<Overlays>(() => ({ palette: false, shortcuts: false, drafts: [] }));
export const useOverlays = overlayStore;

export function showPalette(at?: Overlays["paletteAt"]): void {
  overlayStore.setState({ palette: true, paletteAt: at });
}

export function hidePalette(): void {
  overlayStore.setState({ palette: false });
}

export function showShortcuts(): void {
  overlayStore.setState({ shortcuts: true });
}

export function hideShortcuts(): void {
  overlayStore.setState({ shortcuts: false });
}
