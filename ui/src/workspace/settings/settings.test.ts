import { beforeEach, describe, expect, it, vi } from "vitest";
import type { Settings } from "@/bindings";
import { notify } from "@/design/dialogs/notify";
import { applyMergePatch } from "@/design/json/merge-patch";
import { HostError } from "@/ipc";
import { testHost } from "@/ipc/test-host";
import { SettingsStore } from "./settings";

/** What the host was sent, each to be answered. */
let sent: { patch: object; take: () => void; refuse: (error: HostError) => void }[];

/** What the host has. */
let kept: Settings;

let settings: SettingsStore;

beforeEach(() => {
  sent = [];
  kept = { theme: "system", reducedMotion: false, panels: {}, providers: {}, ui: {} };
  const host = testHost({
    call: (_, args) =>
      new Promise((resolve, refuse) => {
        const { patch } = args as { patch: Record<string, unknown> };
        const take = () => {
          kept = applyMergePatch(kept, patch) as Settings;
          resolve(kept as never);
        };
        sent.push({ patch, take, refuse });
      }),
  });
  settings = new SettingsStore(host);
});

async function next() {
  await vi.waitFor(() => expect(sent.length).toBeGreaterThan(0));
  const [first] = sent.splice(0, 1);
  if (!first) throw new Error("It was there.");
  return first;
}

const ollama = { kind: "ollama", baseUrl: "http://box" } as const;
const gemini = { kind: "gemini", baseUrl: "http://box" } as const;

describe("settings", () => {
  it("report an error when the host refuses them", async () => {
    const notifyError = vi.spyOn(notify, "error").mockReturnValue();
    settings.change({ theme: "dark" });
    const saved = settings.save();
    (await next()).refuse(new HostError({ code: "settings.price", message: "The price is wrong." }));
    await saved;
    expect(notifyError.mock.lastCall?.[0]).toMatchObject({ code: "settings.price" });
  });

  it("keep a provider that is added during another change", async () => {
    const added = settings.put(() => ({ providers: { mine: ollama } }));
    const adding = await next();
    settings.change({ theme: "dark" });
    const saved = settings.save();
    expect(sent).toEqual([]);
    adding.take();
    await added;
    const later = await next();
    expect(later.patch).toEqual({ theme: "dark" });
    later.take();
    await saved;
    expect(kept).toMatchObject({ theme: "dark", providers: { mine: ollama } });
  });

  it("keep two providers that are added at the same time", async () => {
    const add = (name: string, provider: typeof ollama | typeof gemini) =>
      settings.put(({ providers }) => ({ providers: { ...providers, [name]: provider } }));
    const both = Promise.all([add("one", ollama), add("two", gemini)]);
    (await next()).take();
    (await next()).take();
    await both;
    expect(settings.current.providers).toEqual({ one: ollama, two: gemini });
  });

  it("are pending until the host has them and can be flushed", async () => {
    expect(settings.unsaved).toBe(false);
    settings.change({ theme: "light" });
    expect(settings.unsaved).toBe(true);
    const saved = settings.save();
    (await next()).take();
    await saved;
    expect(settings.unsaved).toBe(false);
  });

  it("leave to other windows what this one did not change", async () => {
    kept = { ...kept, providers: { theirs: gemini }, panels: { dockTab: "events" } };
    settings.remember("layout", { open: true });
    const saved = settings.save();
    const first = await next();
    expect(first.patch).toEqual({ panels: { layout: { open: true } } });
    settings.remember("inspectorTab", "prompt");
    first.take();
    await saved;
    expect(kept.providers).toEqual({ theirs: gemini });
    expect(settings.current).toMatchObject({
      providers: { theirs: gemini },
      panels: { dockTab: "events", layout: { open: true }, inspectorTab: "prompt" },
    });
  });

  it("are not sent when nothing changed", async () => {
    settings.change({ theme: "system" });
    await settings.save();
    expect(sent).toEqual([]);
  });
});

describe("a file that something other than Plait wrote", () => {
  const changed = (document: string, hash = "h1") =>
    new HostError({ code: "store.changed_outside", message: "It was changed.", details: { document, hash } });

  it("is accepted as the person saw it", async () => {
    const call = vi.fn(async () => ({ theme: "dark" }) as never);
    const settings = new SettingsStore(testHost({ call }));
    settings.acceptAction(changed("settings"))?.run();
    await vi.waitFor(() => expect(settings.current.theme).toBe("dark"));
    expect(call.mock.calls).toEqual([["settings.accept", { hash: "h1" }]]);
  });

  it("does not cost the change that the person made", async () => {
    const notifyError = vi.spyOn(notify, "error").mockReturnValue();
    const calls: [string, unknown][] = [];
    let inFile: object = { theme: "system", limits: { maxRuns: 9 } };
    let accepted = false;
    const call = async (name: string, args: unknown) => {
      calls.push([name, args]);
      if (name === "settings.accept") accepted = true;
      else if (!accepted) throw changed("settings");
      else
        inFile = applyMergePatch(inFile as Record<string, unknown>, (args as { patch: Record<string, unknown> }).patch);
      return inFile as never;
    };
    const settings = new SettingsStore(testHost({ call: call as never }));
    settings.change({ reducedMotion: true });
    await settings.save();
    await vi.waitFor(() => expect(notifyError).toHaveBeenCalled());
    const [error, action] = notifyError.mock.lastCall ?? [];
    expect(error).toMatchObject({ code: "store.changed_outside" });
    action?.run();
    await vi.waitFor(() => expect(calls).toHaveLength(3));
    expect(calls[2]).toEqual(["settings.change", { patch: { reducedMotion: true } }]);
    await vi.waitFor(() => expect(settings.unsaved).toBe(false));
    expect(settings.current).toMatchObject({ reducedMotion: true, limits: { maxRuns: 9 } });
  });

  it("is offered once more when it has changed again", async () => {
    const notifyError = vi.spyOn(notify, "error").mockReturnValue();
    const call = vi.fn(async () => {
      throw changed("settings", "h2");
    });
    const settings = new SettingsStore(testHost({ call }));
    await settings.accept({ document: "settings", hash: "h1" });
    notifyError.mock.lastCall?.[1]?.run();
    await vi.waitFor(() => expect(call).toHaveBeenLastCalledWith("settings.accept", { hash: "h2" }));
  });

  it("may be another one than the settings", async () => {
    const call = vi.fn(async () => null as never);
    const onAccept = vi.fn();
    const settings = new SettingsStore(testHost({ call }), onAccept);
    settings.acceptAction(changed("users"))?.run();
    await vi.waitFor(() => expect(onAccept).toHaveBeenCalledWith("users"));
    expect(call.mock.calls).toEqual([["app.acceptDocument", { document: "users", hash: "h1" }]]);
  });

  it("is not accepted after another error", () => {
    expect(
      settings.acceptAction({ code: "store.corrupt", details: { document: "settings", hash: "h1" } }),
    ).toBeUndefined();
    expect(settings.acceptAction({ code: "store.changed_outside" })).toBeUndefined();
  });
});
