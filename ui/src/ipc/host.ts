/** The interface to the host. Only `ipc` knows Tauri. */
import type { Cause, Commands, Entry, ErrorCode, ErrorReply, HostCommands, RunId } from "@/bindings";

type AllCommands = Commands & HostCommands;
export type CommandName = keyof AllCommands;
export type Args<C extends CommandName> = AllCommands[C]["args"];
export type Reply<C extends CommandName> = AllCommands[C]["reply"];
/** Calls one command. Rejects only with `HostError`. */
export type Call = <C extends CommandName>(name: C, args: Args<C>) => Promise<Reply<C>>;

/** How many journals have been read, of how many. */
export type OpeningProgress = { done: number; total: number };

/** What another start of Plait asks this window to open. */
export type OpenRequest = { file: string } | { example: string };

/** What another window shows: this machine unless a host is named, and a run. */
export type NewWindow = { host?: string | undefined; run?: RunId | undefined };

export interface Host {
  /** The host of another machine that this window belongs to, by its name in the list of hosts. Without one, it belongs to this machine. */
  readonly remote?: string | undefined;
  /**
   * Resolves when the host can answer. It may have to read all journals first, and reports how many it has read.
   * Rejects only with a `HostError` that says why it can't answer.
   */
  opened(onProgress: (progress: OpeningProgress) => void): Promise<void>;
  call: Call;
  /** The commands of a host in the list. What is about this machine is asked here nevertheless. */
  on(remote: string): { call: Call };
  /**
   * Delivers the journal of a run from `fromSeq`, then live events, in batches at most once a frame.
   * Returns the function that ends the watch; nothing is delivered after it was called.
   */
  watch(
    run: RunId,
    fromSeq: number,
    onBatch: (entries: Entry[]) => void,
    onError: (error: HostError) => void,
  ): () => void;
  /**
   * Calls back each time the list of runs has changed, also by a terminal. In a window of a host of another machine, `onLost` gets why the
   * list cannot be read, once; when it can again, it has changed. Returns the function that ends that.
   */
  watchRuns(onChange: () => void, onLost?: (error: HostError) => void): () => void;
  /**
   * Closes the window after a `plait:close` event that was held back with `preventDefault()`.
   * Does nothing in a browser, where the page can't close its own tab.
   */
  closeWindow(): Promise<void>;
  /** From now on, calls back with what other starts of Plait ask for. Never in a browser. */
  takeRequests(onRequest: (request: OpenRequest) => void): void;
  /** These files are open in this window now: `showElsewhere` in another window finds them here. */
  reportFiles(paths: readonly string[]): void;
  /** Shows a file in the other window that has it open. Whether there is one; never in a browser. */
  showElsewhere(path: string): Promise<boolean>;
  /** Opens another window, without a flow. Rejects only with `HostError`. */
  newWindow(shown?: NewWindow): Promise<void>;
  /** Draws the whole page that many times as large: 1 is its own size. Its width in its own pixels changes accordingly. */
  setZoom(factor: number): Promise<void>;
}

/** The host that the page of this window is opened for. */
export function remoteOfPage(): string | undefined {
  return new URLSearchParams(window.location.search).get("host") ?? undefined;
}

/** An error of the host: a stable code, what happened, and what to do. */
export class HostError extends Error {
  readonly code: ErrorCode;
  readonly hint?: string;
  override readonly cause?: Cause;
  readonly details?: unknown;
  /** The request that failed, where `trackRequests` knows it. */
  request?: string;

  constructor(reply: ErrorReply) {
    super(reply.message);
    this.name = "HostError";
    this.code = reply.code;
    this.hint = reply.hint;
    this.cause = reply.cause;
    this.details = reply.details;
  }

  /** The thrown value as a `HostError`. */
  static from(thrown: unknown): HostError {
    if (thrown instanceof HostError) return thrown;
    if (typeof thrown === "object" && thrown !== null && "code" in thrown && "message" in thrown) {
      return new HostError(thrown as ErrorReply);
    }
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    return new HostError({
      code: "host.unreachable",
      message: `The host did not answer: ${message}`,
      hint: "Try again. If the problem persists, save a copy of your flow and restart Plait.",
    });
  }
}
