import type { Args, CommandName, Host, Reply } from "./host";

export type { Args, CommandName, Host, Reply } from "./host";
export { HostError } from "./host";

let current: Host | undefined;

/** Sets the host that the window talks to. The entry point does this once before the first render; tests do it as needed. */
export function connect(host: Host): void {
  current = host;
}

/** The connected host. Throws when `connect` was not called yet. */
export function host(): Host {
  if (!current) throw new Error("The host is not connected yet.");
  return current;
}

/** Carries out one command of the host. */
export function call<C extends CommandName>(name: C, args: Args<C>): Promise<Reply<C>> {
  return host().call(name, args);
}
