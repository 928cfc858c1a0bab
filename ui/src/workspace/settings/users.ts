/** The users of the host, and the current one: lists show the user's entries, and new runs belong to the user. */
import { createStore, type StoreApi } from "zustand/vanilla";
import type { UserList } from "@/bindings";
import { notify } from "@/design/dialogs/notify";
import { type Host, HostError } from "@/ipc";
import type { SettingsStore } from "./settings";

export class UserStore {
  readonly store: StoreApi<UserList> = createStore<UserList>(() => ({ current: "", names: [] }));

  /** `onSwitch` is called when another user has become the current one. `settings` accepts a changed list of users. */
  constructor(
    readonly host: Host,
    readonly onSwitch: () => void,
    readonly settings: Pick<SettingsStore, "acceptAction">,
  ) {}

  /** Reads the users. A host that can't say leaves the list empty. */
  async load(): Promise<void> {
    try {
      this.store.setState(await this.host.call("users.list", {}));
    } catch (thrown) {
      const error = HostError.from(thrown);
      notify.error(error, this.settings.acceptAction(error));
    }
  }

  /** Makes a user the current one. Reports errors as toasts. */
  async switchTo(name: string): Promise<void> {
    if (name === this.store.getState().current) return;
    try {
      this.#accept(await this.host.call("users.switch", { name }));
    } catch (thrown) {
      notify.error(HostError.from(thrown));
    }
  }

  /** Adds a user, who becomes the current one. Rejects with the host's error. */
  async add(name: string): Promise<void> {
    this.#accept(await this.host.call("users.add", { name, switch: true }));
  }

  /** Removes a user. Rejects with the host's error. */
  async remove(name: string, eraseMemories: boolean): Promise<void> {
    this.#accept(await this.host.call("users.remove", { name, eraseMemories }));
  }

  #accept(users: UserList): void {
    const before = this.store.getState().current;
    this.store.setState(users);
    if (users.current !== before) this.onSwitch();
  }
}
