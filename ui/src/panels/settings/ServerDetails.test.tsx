import { cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { afterEach, expect, it } from "vitest";
import type { ProviderSettings } from "@/bindings";
import { ServerDetails } from "./ServerDetails";

afterEach(cleanup);

/** Draws the open form, and returns the settings as they were last changed. */
async function draw(first: ProviderSettings) {
  let latest = first;
  function Form() {
    const [settings, setSettings] = useState(first);
    latest = settings;
    return <ServerDetails settings={settings} onChange={setSettings} />;
  }
  render(<Form />);
  const user = userEvent.setup();
  await user.click(screen.getByRole("button", { name: "Server details" }));
  const choose = (label: string, choice: string) => user.selectOptions(screen.getByLabelText(label), choice);
  return { choose, settings: () => latest };
}

it("switches reasoning in tags for servers of every protocol", async () => {
  const { choose, settings } = await draw({ kind: "ollama" });
  await choose("Reasoning in tags", "Stays in the text");
  expect(settings()).toEqual({ kind: "ollama", reasoningTags: false });
  await choose("Reasoning in tags", "Becomes reasoning");
  expect(settings().reasoningTags).toBe(true);
  await choose("Reasoning in tags", "Default: Becomes reasoning");
  expect(settings()).toEqual({ kind: "ollama" });
});

it("switches the merging of messages of one role", async () => {
  const { choose, settings } = await draw({ kind: "openAi" });
  await choose("Messages of one role in a row", "Sent as one");
  expect(settings()).toEqual({ kind: "openAi", quirks: { mergeRoles: true } });
  await choose("Messages of one role in a row", "Default: Sent apart");
  expect(settings()).toEqual({ kind: "openAi" });
});
