import type { Args, CommandName, Host, Reply } from "./host";

export type { Args, CommandName, Host, Reply } from "./host";
export { HostError } from "./host";

let current: Host | undefined;

/** Connects to the host: Tauri's inside the desktop window, the in-page one in a plain browser. */
export async function connect(): Promise<Host> {
  if ("__TAURI_INTERNALS__" in window) {
    const { tauriHost } = await import("./tauri");
    current = tauriHost();
  } else {
    const { inPageHost } = await import("./in-page");
    current = await inPageHost();
  }
  return current;
}

/** The connected host. Only called after `connect` has resolved, which the window waits for before it draws. */
export function host(): Host {
  if (!current) throw new Error("The host is not connected yet.");
  return current;
}

/** Replaces the host; for tests. */
export function setHost(replacement: Host): void {
  current = replacement;
}

/** Carries out one command of the host. */
export function call<C extends CommandName>(name: C, args: Args<C>): Promise<Reply<C>> {
  return host().call(name, args);
}

/**
 * Closes the window after a `plait:close` event that was held back with `preventDefault()`.
 * In a plain browser nothing happens: a tab is the person's to close.
 */
export async function closeWindow(): Promise<void> {
  if (host().kind !== "tauri") return;
  const tauri = await import("./tauri");
  await tauri.closeWindow();
}
