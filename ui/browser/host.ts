/** A host behind HTTP, with what a browser does in place of a window: it asks for paths in the page, and zooms with CSS. */
import type { Args, CommandName, Host, Reply } from "@/ipc/host";
import { httpHost } from "@/ipc/http";
import { pageDialogs } from "./dialogs";
import { zoomPage } from "./zoom";

export function browserHost(remote?: string): Host {
  const host = httpHost(remote);
  const dialogs: Partial<{ [C in CommandName]: (args: Args<C>) => Promise<Reply<C>> }> = pageDialogs;
  return {
    ...host,
    call: (name, args) => dialogs[name]?.(args) ?? host.call(name, args),
    // A page can't close its own tab.
    closeWindow: async () => undefined,
    takeRequests: () => undefined,
    reportFiles: () => undefined,
    showElsewhere: async () => false,
    async newWindow({ host: shownHost, run } = {}) {
      const page = new URL(window.location.href);
      page.search = "?window=another";
      if (shownHost !== undefined) page.searchParams.set("host", shownHost);
      if (run !== undefined) page.searchParams.set("run", run);
      window.open(page);
    },
    setZoom: zoomPage,
  };
}
