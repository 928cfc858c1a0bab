/** The host inside the desktop window: one `rpc` command, one `watch` command with a channel, and what begins and ends it. */
import { Channel, invoke } from "@tauri-apps/api/core";
import { getCurrentWebview } from "@tauri-apps/api/webview";
import type { Entry, ErrorReply } from "@/bindings";
import { FirstReplies } from "./first-replies";
import { type Call, type Host, HostError, type OpeningProgress, type OpenRequest } from "./host";

/** The host of a window of this machine, or of a host of another one. */
export function tauriHost(remote?: string): Host {
  const first = new FirstReplies(document);
  const callOn =
    (host: string | undefined): Call =>
    async (name, args) => {
      try {
        return await invoke("rpc", { host, name, args });
      } catch (thrown) {
        throw HostError.from(thrown);
      }
    };
  const call = callOn(remote);
  return {
    remote,
    async opened(onProgress) {
      if (first.arePresent) return;
      const channel = new Channel<OpeningProgress>();
      channel.onmessage = onProgress;
      try {
        await invoke("opened", { channel });
      } catch (thrown) {
        throw HostError.from(thrown);
      }
    },
    async call(name, args) {
      // What is in the page is of this machine.
      const reply = remote === undefined ? first.take(name) : undefined;
      return reply ?? (await call(name, args));
    },
    on: (name) => ({ call: callOn(name) }),
    watch(run, fromSeq, onBatch, onError) {
      let open = true;
      const channel = new Channel<Entry[]>();
      channel.onmessage = (entries) => {
        if (open) onBatch(entries);
      };
      invoke("watch", { host: remote, run, fromSeq, channel }).catch((thrown) => {
        if (open) onError(HostError.from(thrown));
      });
      return () => {
        open = false;
        // By channel, not by run: an `unwatch` that overtakes the next `watch` of the same run must not end that one.
        invoke("unwatch", { channel: channel.id }).catch(() => {
          // The watch may have ended already; there is nothing left to end.
        });
      };
    },
    watchRuns(onChange, onLost) {
      let open = true;
      const channel = new Channel<ErrorReply | null>();
      channel.onmessage = (lost) => {
        if (!open) return;
        if (lost === null) onChange();
        else onLost?.(HostError.from(lost));
      };
      invoke("watch_runs", { host: remote, channel }).catch(() => {
        // The application did not open; what asks for the list says so.
      });
      return () => {
        open = false;
        invoke("unwatch", { channel: channel.id }).catch(() => {
          // The watch may have ended already; there is nothing left to end.
        });
      };
    },
    async closeWindow() {
      await invoke("closing", { now: true });
    },
    takeRequests(onRequest) {
      // Files that are asked for, and those that other windows have open, are of this machine.
      if (remote !== undefined) return;
      const channel = new Channel<OpenRequest>();
      channel.onmessage = onRequest;
      void invoke("take_requests", { channel });
    },
    reportFiles(paths) {
      if (remote === undefined) void invoke("report_files", { paths });
    },
    async showElsewhere(path) {
      return remote === undefined && (await invoke<boolean>("show_elsewhere", { path }).catch(() => false));
    },
    async newWindow(shown = {}) {
      try {
        await invoke("new_window", shown);
      } catch (thrown) {
        throw HostError.from(thrown);
      }
    },
    async setZoom(factor) {
      await getCurrentWebview().setZoom(factor);
    },
  };
}
