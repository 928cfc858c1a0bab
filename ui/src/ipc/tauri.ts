/** The host inside the desktop window: one `rpc` command, one `watch` command with a channel. */
import { Channel, invoke } from "@tauri-apps/api/core";
import type { Entry } from "@/bindings";
import { type Host, HostError } from "./host";

export function tauriHost(): Host {
  return {
    kind: "tauri",
    async call(name, args) {
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
        invoke("unwatch", { run }).catch(() => {
          // The run may be gone already; there is nothing left to end.
        });
      };
    },
  };
}
