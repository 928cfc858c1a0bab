import { beforeEach, describe, expect, it, vi } from "vitest";
import type { Settings } from "@/bindings";
import { notify } from "@/design/notify";
import { HostError } from "@/ipc";
import { testHost } from "@/ipc/test-host";
import { SettingsStore } from "./settings";

/** What the host was sent, each to be answered. */
let sent: { settings: Settings; take: () => void; refuse: (error: HostError) => void }[];

let settings: SettingsStore;

beforeEach(() => {
  sent = [];
  const host = testHost({
    call: (_, args) =>
      new Promise((resolve, refuse) => {
        const { settings } = args as { settings: Settings };
        sent.push({ settings, take: () => resolve(settings as never), refuse });
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
    const kept = settings.save();
    (await next()).refuse(new HostError({ code: "settings.price", message: "The price is wrong." }));
    await kept;
    expect(notifyError.mock.lastCall?.[0]).toMatchObject({ code: "settings.price" });
  });

  it("keep a provider that is added during another change", async () => {
    const added = settings.put(() => ({ providers: { mine: ollama } }));
    const adding = await next();
    settings.change({ theme: "dark" });
    const kept = settings.save();
    expect(sent).toEqual([]);
    adding.take();
    await added;
    const later = await next();
    expect(later.settings).toMatchObject({ theme: "dark", providers: { mine: ollama } });
    later.take();
    await kept;
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
    const kept = settings.save();
    (await next()).take();
    await kept;
    expect(settings.unsaved).toBe(false);
  });
});
