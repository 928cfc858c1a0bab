import { beforeEach, describe, expect, it, vi } from "vitest";
import type { Flow } from "@/bindings";
import { notify } from "@/design/dialogs/notify";
import type { Host } from "@/ipc";
import { createTestWorkspace } from "@/workspace/test-workspace";
import type { Workspace } from "@/workspace/workspace";
import { start } from "./start";

const LAST = { tabs: [{ path: "/a" }, { path: "/b" }], shown: "/b" };
const flow = (name: string): Flow => ({ version: 1, name, nodes: { n: { type: "text" } }, edges: {}, layout: {} });

let workspace: Workspace;
/** Files without their content yet. */
let held: Map<string, Promise<void>>;

beforeEach(() => {
  vi.spyOn(notify, "error").mockReturnValue();
  held = new Map();
  const call = async (name: string, args: { path?: string }) => {
    if (name === "settings.get") return { panels: { session: LAST } };
    if (name === "flow.open") {
      await held.get(args.path ?? "");
      return { path: args.path, hash: "h", flow: flow(args.path ?? ""), readOnly: false };
    }
    return name.endsWith("list") ? [] : {};
  };
  workspace = createTestWorkspace({ call: call as Host["call"] });
});

const paths = () => workspace.documents.all.map(({ path }) => path);
const stored = () => workspace.session.last.tabs.map(({ path }) => path);

describe("the last session", () => {
  it("is opened again beside a file that is opened before it", async () => {
    await start(workspace);
    await workspace.files.openPath("/c");
    await vi.waitFor(() => expect(paths()).toEqual(expect.arrayContaining(["/a", "/b", "/c"])));
    await vi.waitFor(() => expect(stored()).toEqual(expect.arrayContaining(["/a", "/b", "/c"])));
  });

  it("is not replaced while it is being opened", async () => {
    let arrive: (() => void) | undefined;
    const arrived = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    held.set("/a", arrived);
    await start(workspace);
    await vi.waitFor(() => expect(paths()).toContain("/b"));
    expect(workspace.session.last).toEqual(LAST);
    arrive?.();
    await vi.waitFor(() => expect(paths()).toEqual(["/a", "/b"]));
    await workspace.files.openPath("/c");
    expect(stored()).toEqual(["/a", "/b", "/c"]);
  });
});

it("reports what the host met when it started, and offers to accept a changed file", async () => {
  const details = { document: "settings", hash: "h" };
  const changed = { code: "store.changed_outside", message: "`settings.json` was changed outside of Plait.", details };
  const damaged = { code: "store.corrupt", message: "The recent is damaged." };
  workspace = createTestWorkspace({
    call: (async (name: string) =>
      name === "app.info" ? { notices: [damaged, changed] } : name.endsWith("list") ? [] : {}) as Host["call"],
  });
  await start(workspace);
  const reported = () =>
    vi
      .mocked(notify.error)
      .mock.calls.filter(([error]) => error.code.startsWith("store."))
      .map(([error, action]) => [error.code, action?.label]);
  await vi.waitFor(() =>
    expect(reported()).toEqual([
      ["store.corrupt", undefined],
      ["store.changed_outside", "Accept"],
    ]),
  );
});
