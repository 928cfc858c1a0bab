/** What happens once, before the window is drawn: settings, node types, the document to begin with. */

import { notify } from "@/design/notify";
import { keepDrafts } from "@/flow/autosave";
import { keepChecked } from "@/flow/check";
import { openExample, openPath } from "@/flow/files";
import { loadNodeTypes } from "@/flow/node-types";
import { documentState, flowStore } from "@/flow/store";
import { call, HostError } from "@/ipc";
import { loadLayout } from "@/workbench/layout";
import { overlayStore } from "@/workbench/overlays";
import { loadSettings } from "@/workbench/settings";
import { offerOpenRuns, startRuns } from "./start-runs";

/** Loads what the first picture needs. A part that fails says so once the window is there, and leaves the rest alone. */
export async function start(): Promise<void> {
  const parts = await Promise.allSettled([loadSettings(), loadNodeTypes(), blank()]);
  loadLayout();
  keepChecked();
  keepDrafts();
  startRuns();
  // Messages need the window to be there.
  setTimeout(() => {
    for (const part of parts) if (part.status === "rejected") notify.error(HostError.from(part.reason));
    void begin();
  });
}

async function blank(): Promise<void> {
  flowStore.setState(documentState(await call("flow.new", {})), true);
}

/** Opens what the window was started on; else offers what a crash left behind. */
async function begin(): Promise<void> {
  const query = new URLSearchParams(window.location.search);
  const path = query.get("open");
  const example = query.get("example");
  if (path !== null) await openPath(path);
  else if (example !== null) await openExample(example);
  try {
    const drafts = await call("autosave.list", {});
    const shown = flowStore.getState().path;
    overlayStore.setState({ drafts: drafts.filter((draft) => draft.path === undefined || draft.path !== shown) });
  } catch (thrown) {
    notify.error(HostError.from(thrown));
  }
  await offerOpenRuns();
}
