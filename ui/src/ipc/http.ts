/** The host behind HTTP: a request for each command, and a streamed reply for each watch. See `tests/host/routes.rs`. */
import type { Entry, ErrorReply } from "@/bindings";
import { type Call, type Host, HostError, type OpeningProgress } from "./host";

type Failure = { error: ErrorReply };

/** What a page without a window asks, for this machine or for a host of another one. */
export function httpHost(remote?: string): Pick<Host, "remote" | "opened" | "call" | "on" | "watch" | "watchRuns"> {
  const callOn =
    (host: string | undefined): Call =>
    async (name, args) => {
      try {
        const response = await post("rpc", { host, name, args });
        const outcome = (await response.json()) as { reply: never } | Failure;
        if ("error" in outcome) throw new HostError(outcome.error);
        return outcome.reply;
      } catch (thrown) {
        throw HostError.from(thrown);
      }
    };
  return {
    remote,
    async opened(onProgress) {
      await receive<OpeningProgress>("opened", {}, onProgress).catch((thrown) => {
        throw HostError.from(thrown);
      });
    },
    call: callOn(remote),
    on: (name) => ({ call: callOn(name) }),
    watch(run, fromSeq, onBatch, onError) {
      const controller = new AbortController();
      const { signal } = controller;
      receive<Entry[]>(
        "watch",
        { host: remote, run, fromSeq },
        (entries) => !signal.aborted && onBatch(entries),
        signal,
      ).catch((thrown) => {
        if (!signal.aborted) onError(HostError.from(thrown));
      });
      return () => controller.abort();
    },
    watchRuns(onChange, onLost) {
      const controller = new AbortController();
      const { signal } = controller;
      const onLine = ({ lost }: { lost?: ErrorReply }) => {
        if (signal.aborted) return;
        if (lost) onLost?.(HostError.from(lost));
        else onChange();
      };
      receive("runs", { host: remote }, onLine, signal).catch(() => {
        // The host is gone; what asks for the list says so.
      });
      return () => controller.abort();
    },
  };
}

function post(path: string, body: object, signal?: AbortSignal): Promise<Response> {
  const headers = { "Content-Type": "application/json" };
  return fetch(path, { method: "POST", headers, body: JSON.stringify(body), signal });
}

/** Calls back with each line of a reply. Rejects with the error in its last line, if there is one. */
async function receive<T extends object>(
  path: string,
  body: object,
  onLine: (line: T) => void,
  signal?: AbortSignal,
): Promise<void> {
  const { body: stream } = await post(path, body, signal);
  if (!stream) return;
  let rest = "";
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    const lines = (rest + read.value).split("\n");
    rest = lines.pop() ?? "";
    for (const text of lines) {
      const line = JSON.parse(text) as T | Failure;
      if ("error" in line) throw new HostError((line as Failure).error);
      onLine(line);
    }
  }
}
