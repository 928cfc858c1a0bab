/** The edits of flows that agents propose, and that the person has not decided on. */
import { createStore, type StoreApi } from "zustand/vanilla";
import type { Flow, ProposalSummary, ShownProposal } from "@/bindings";
import { notify } from "@/design/dialogs/notify";
import { type Host, HostError } from "@/ipc";
import type { FlowEditor } from "./document/editor";
import { TEXTS } from "./texts";

type Proposals = { list: readonly ProposalSummary[]; open: boolean };

/** The message that something was proposed. */
const OFFER = "proposals";

export class ProposalStore {
  readonly store: StoreApi<Proposals> = createStore<Proposals>(() => ({ list: [], open: false }));
  #request = 0;

  constructor(
    readonly host: Host,
    readonly editor: FlowEditor,
  ) {}

  /** Keeps the list current, and says when an agent proposes something. Returns a function that stops it. */
  follow(): () => void {
    void this.load(false);
    return this.host.watchRuns(() => void this.load(true));
  }

  async load(announces: boolean): Promise<void> {
    this.#request += 1;
    const request = this.#request;
    let list: readonly ProposalSummary[];
    try {
      list = await this.host.call("proposal.list", {});
    } catch {
      // The list is a courtesy: what keeps the host from reading it is said where that is asked for.
      return;
    }
    if (request !== this.#request) return;
    const known = new Set(this.store.getState().list.map(({ id }) => id));
    const fresh = list.filter(({ id }) => !known.has(id));
    if (fresh.length > 0 || list.length !== known.size) this.store.setState({ list });
    const [latest] = fresh;
    if (announces && latest) {
      const look = { label: TEXTS.look, run: () => this.show(true) };
      notify.offer(OFFER, TEXTS.editProposed(latest.name || latest.path), look);
    }
  }

  show(open: boolean): void {
    notify.withdraw(OFFER);
    this.store.setState({ open });
  }

  read(id: string): Promise<ShownProposal> {
    return this.host.call("proposal.show", { id });
  }

  /** Takes a proposed edit over into the document, as one step that can be undone. Saving is the person's. */
  async accept(id: string, flow: Flow): Promise<boolean> {
    if (!this.editor.mayEdit()) return false;
    this.editor.closeInner(0);
    this.editor.edit(TEXTS.acceptProposal, () => flow);
    return this.drop(id);
  }

  async drop(id: string): Promise<boolean> {
    try {
      await this.host.call("proposal.drop", { id });
    } catch (thrown) {
      notify.error(HostError.from(thrown));
      return false;
    } finally {
      await this.load(false);
    }
    return true;
  }
}
