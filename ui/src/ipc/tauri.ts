/** The host inside the desktop window: one `rpc` command, one `watch` command with a channel, and what begins and ends it. */
import { Channel, invoke } from "@tauri-apps/api/core";
import { getCurrentWebview } from "@tauri-apps/api/webview";
import type { Entry } from "@/bindings";
import { FirstReplies } from "./first-replies";
import { type Host, HostError, type OpeningProgress, type OpenRequest } from "./host";

export function tauriHost(): Host {
  const first = new FirstReplies(document);
  return {
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
      const reply = first.take(name);
      if (reply !== undefined) return reply;
      try {
        return await invoke("rpc", { name, args });
      } catch (thrown) {
        throw HostError.from(thrown);
      }
    },
    watch(run, fromSeq, onBatch, onError) {
      let open = true;
      const channel = new Channel<Entry[]>();
      channel.onmessage = (entries) => {
        if (open) onBatch(entries);
      };
      invoke("watch", { run, fromSeq, channel }).catch((thrown) => {
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
    watchRuns(onChange) {
      let open = true;
      const channel = new Channel<null>();
      channel.onmessage = () => {
        if (open) onChange();
      };
      invoke("watch_runs", { channel }).catch(() => {
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
      const channel = new Channel<OpenRequest>();
      channel.onmessage = onRequest;
      void invoke("take_requests", { channel });
    },
    reportFiles(paths) {
      void invoke("report_files", { paths });
    },
    async showElsewhere(path) {
      return await invoke<boolean>("show_elsewhere", { path }).catch(() => false);
    },
    async newWindow() {
      try {
        await invoke("new_window");
      } catch (thrown) {
        throw HostError.from(thrown);
      }
    },
    async setZoom(factor) {
      await getCurrentWebview().setZoom(factor);
    },
  };
}
