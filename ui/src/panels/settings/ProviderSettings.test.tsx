import { cleanup, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { KeyLocation, ProviderStatus } from "@/bindings";
import { HostError } from "@/ipc";
import { createTestWorkspace, renderInWorkspace } from "@/workspace/test-workspace";
import { ProviderSettings } from "./ProviderSettings";

const FILE: KeyLocation = { source: "file", file: "/data/keys.sealed", passphrase: false };

function provider(more: Partial<ProviderStatus> = {}): ProviderStatus {
  return {
    name: "mine",
    settings: { kind: "openAi", baseUrl: "http://box/v1", keyEnv: "MY_KEY" },
    builtIn: true,
    changed: false,
    takesKey: true,
    needsKey: true,
    key: {},
    ...more,
  };
}

/** Renders the settings on a scripted host, opens its one provider, and returns the calls to the host. */
async function draw(
  one: ProviderStatus,
  keyPlace: KeyLocation,
  answers: Record<string, (args: never) => unknown> = {},
) {
  const call = vi.fn(async (name: string, args: unknown) => {
    const all: Record<string, (args: never) => unknown> = {
      "provider.status": () => ({ providers: [one], keyPlace }),
      "provider.detect": () => [],
      ...answers,
    };
    const answer = all[name];
    if (!answer) throw new HostError({ code: "command.unknown", message: name });
    return answer(args as never);
  });
  renderInWorkspace(<ProviderSettings />, { workspace: createTestWorkspace({ call: call as never }) });
  const user = userEvent.setup();
  await user.click(await screen.findByRole("button", { name: /^mine/ }));
  return {
    user,
    requests: (name: string) => call.mock.calls.filter(([called]) => called === name).map(([, args]) => args),
  };
}

afterEach(cleanup);

describe("a provider's key", () => {
  it.each([
    [{ source: "keychain", ending: "cdef" }, "In the system keychain, ends in cdef", true],
    [{ source: "file", ending: "cdef" }, "In an encrypted file, protected by a key file, ends in cdef", true],
    [{ source: "environment", variable: "MY_KEY" }, "From MY_KEY", false],
    [{ source: "session" }, "Set for this session", true],
    [{}, "Not set; also read from MY_KEY", false],
  ] as const)("says where it comes from: %j", async (key, words, removable) => {
    await draw(provider({ key }), FILE);
    expect(screen.getByTestId("key-place-mine").textContent).toBe(words);
    expect(screen.queryAllByRole("button", { name: "Remove the API key of mine" })).toHaveLength(removable ? 1 : 0);
  });

  it("says that the key of another host has to be entered again, until one is set", async () => {
    const removedWith = "https://api.example.com";
    await draw(provider({ key: { removedWith } }), FILE);
    expect(screen.getByText(/was entered for https:\/\/api\.example\.com/)).toBeDefined();
    cleanup();
    await draw(provider({ key: { removedWith, source: "file" } }), FILE);
    expect(screen.queryByText(/was entered for/)).toBeNull();
  });

  it("reports an unreadable key", async () => {
    const problem = { code: "keys.locked" as const, message: "The keychain is locked.", hint: "Unlock it." };
    await draw(provider({ key: { problem } }), FILE);
    expect(screen.getByText("Unlock it.")).toBeDefined();
    expect(screen.getByText("Key unreadable")).toBeDefined();
  });

  it.each([
    [false, "stored"],
    [true, "session"],
  ] as const)("goes to the host once, for the session (%s) or for good, and out of the field", async (once, keep) => {
    const after = provider({ key: { source: "file", ending: "cdef" } });
    const { user, requests } = await draw(provider(), FILE, { "provider.setKey": () => after });
    const field = screen.getByLabelText("API key") as HTMLInputElement;
    await user.type(field, "sk-0123");
    if (once) await user.click(screen.getByLabelText("This session only"));
    await user.click(screen.getByRole("button", { name: "Set the API key of mine" }));
    expect(requests("provider.setKey")).toEqual([{ provider: "mine", key: "sk-0123", keep }]);
    expect(field.value).toBe("");
    expect(screen.getByTestId("key-place-mine").textContent).toContain("ends in cdef");
  });

  it("stays in the field when the host rejects it", async () => {
    const refuse = () => {
      throw new HostError({ code: "keys.unwritable", message: "The disk is full.", hint: "Make room." });
    };
    const { user } = await draw(provider(), FILE, { "provider.setKey": refuse });
    await user.type(screen.getByLabelText("API key"), "sk-0123{Enter}");
    expect(screen.getByText("Make room.")).toBeDefined();
    expect((screen.getByLabelText("API key") as HTMLInputElement).value).toBe("sk-0123");
  });

  it("can only be set for the session without a key store", async () => {
    await draw(provider(), { passphrase: false });
    const once = screen.getByLabelText("This session only") as HTMLInputElement;
    expect([once.checked, once.disabled]).toEqual([true, true]);
  });
});

describe("a provider test", () => {
  it("shows its result and offers to test a model if there is no list", async () => {
    const reports = [
      { tested: "models", tookMs: 12, fault: { code: "provider.no_models", message: "No models.", hint: "Name one." } },
      { tested: "call", tookMs: 1_234 },
    ];
    const { user, requests } = await draw(provider(), FILE, { "provider.test": () => reports.shift() });
    await user.click(screen.getByRole("button", { name: "Test mine" }));
    expect(screen.getByText("Name one.")).toBeDefined();
    await user.type(screen.getByLabelText("Test with a model"), " tiny {Enter}");
    expect(screen.getByTestId("test-mine").textContent).toBe("Model responded (1.2 s)");
    expect(screen.queryByText("Name one.")).toBeNull();
    expect(requests("provider.test")).toEqual([{ provider: "mine" }, { provider: "mine", model: "tiny" }]);
  });

  it("lists the first models, and all of them on request", async () => {
    const models = Array.from({ length: 9 }, (_, number) => `model-${number}`);
    const { user } = await draw(provider(), FILE, { "provider.test": () => ({ tested: "models", tookMs: 5, models }) });
    await user.click(screen.getByRole("button", { name: "Test mine" }));
    expect(screen.getByTestId("test-mine").textContent).toBe("Connected (5 ms)");
    expect(screen.getAllByRole("listitem")).toHaveLength(6);
    await user.click(screen.getByRole("button", { name: "Show all 9" }));
    expect(screen.getAllByRole("listitem")).toHaveLength(9);
  });
});
