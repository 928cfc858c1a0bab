/** The host behind HTTP: a request for each command, and a streamed reply for each watch. See `tests/host/routes.rs`. */
import type { Entry, ErrorReply } from "@/bindings";
import { type Host, HostError, type OpeningProgress } from "./host";

type Failure = { error: ErrorReply };

export function httpHost(): Pick<Host, "opened" | "call" | "watch" | "watchRuns"> {
  return {
    async opened(onProgress) {
      await receive<OpeningProgress>("opened", {}, onProgress).catch((thrown) => {
        throw HostError.from(thrown);
      });
    },
    async call(name, args) {
      try {
        const response = await post("rpc", { name, args });
        const outcome = (await response.json()) as { reply: never } | Failure;
        if ("error" in outcome) throw new HostError(outcome.error);
        return outcome.reply;
      } catch (thrown) {
        throw HostError.from(thrown);
      }
    },
    watch(run, fromSeq, onBatch, onError) {
      const controller = new AbortController();
      const { signal } = controller;
      receive<Entry[]>("watch", { run, fromSeq }, (entries) => !signal.aborted && onBatch(entries), signal).catch(
        (thrown) => {
          if (!signal.aborted) onError(HostError.from(thrown));
        },
      );
      return () => controller.abort();
    },
    watchRuns(onChange) {
      const controller = new AbortController();
      const { signal } = controller;
      receive<object>("runs", {}, () => !signal.aborted && onChange(), signal).catch(() => {
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
