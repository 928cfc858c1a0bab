/** Plait's own tools, as the host lists them. */
import { createStore, type StoreApi } from "zustand/vanilla";
import type { ToolSummary } from "@/bindings";
import type { Host } from "@/ipc";

/** No list as long as it is not loaded. */
export type OwnTools = { tools?: readonly ToolSummary[] };

export class OwnToolStore {
  readonly store: StoreApi<OwnTools> = createStore<OwnTools>(() => ({}));
  #loading: Promise<void> | undefined;

  constructor(readonly host: Host) {}

  /** Loads the list, once. */
  load(): Promise<void> {
    this.#loading ??= this.host.call("tools.list", {}).then(
      (tools) => this.store.setState({ tools }),
      () => {
        // Names can be typed without it; the next form tries again.
        this.#loading = undefined;
      },
    );
    return this.#loading;
  }
}
