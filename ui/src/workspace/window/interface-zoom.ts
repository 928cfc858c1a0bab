/** How large the whole interface is drawn. The canvas has a zoom of its own besides. */
import type { Host } from "@/ipc";
import type { SettingsStore } from "@/workspace/settings/settings";

/** In percent. */
export const ZOOM_STEPS = [50, 67, 75, 80, 90, 100, 110, 125, 150, 175, 200] as const;
const DEFAULT = 100;
const SETTING = "zoom";

export class InterfaceZoom {
  constructor(
    readonly settings: SettingsStore,
    readonly host: Host,
  ) {}

  /** In percent. A remembered size that there is not is the usual one. */
  get percent(): number {
    const percent = this.settings.remembered<number>(SETTING) ?? DEFAULT;
    return ZOOM_STEPS.find((step) => step === percent) ?? DEFAULT;
  }

  set(percent: number): void {
    this.settings.remember(SETTING, percent);
  }

  reset(): void {
    this.set(DEFAULT);
  }

  larger(): void {
    const next = ZOOM_STEPS.find((step) => step > this.percent);
    if (next !== undefined) this.set(next);
  }

  smaller(): void {
    const next = ZOOM_STEPS.findLast((step) => step < this.percent);
    if (next !== undefined) this.set(next);
  }

  /** Draws the interface in that size, now and whenever it changes. Returns the function that ends that. */
  follow(): () => void {
    let drawn: number | undefined;
    const apply = () => {
      if (drawn === this.percent) return;
      drawn = this.percent;
      void this.host.setZoom(drawn / 100);
    };
    apply();
    return this.settings.store.subscribe(apply);
  }
}
