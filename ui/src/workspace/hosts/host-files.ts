/** The files of a host in place of the file dialogs of the system, which show those of this machine. */
import type { DialogRequests } from "@/design/dialogs/dialog-requests";
import { type Args, type CommandName, type Host, HostError, type Reply } from "@/ipc/host";

/** What a person is to choose in the folder of the host: a file to open, or a name to save under. */
export type FileRequest = { kind: "open"; title?: string | undefined } | { kind: "save"; suggested: string };

type Dialogs = Partial<{ [C in CommandName]: (args: Args<C>) => Promise<Reply<C>> }>;

/** The host of a window of another machine: its dialogs choose among the files there. */
export function withHostFiles(host: Host, requests: DialogRequests<FileRequest, string>): Host {
  const dialogs: Dialogs = {
    "dialog.open": async ({ title }) => ({ path: (await requests.ask({ kind: "open", title })) ?? null }),
    "dialog.save": async ({ suggested }) => ({ path: (await requests.ask({ kind: "save", suggested })) ?? null }),
    "dialog.folder": async () => {
      throw new HostError({
        code: "host.not_served",
        message: "The folders of a host cannot be chosen in the window.",
        hint: "Ask who runs the host to name the folder there.",
      });
    },
  };
  return { ...host, call: (name, args) => dialogs[name]?.(args) ?? host.call(name, args) };
}
