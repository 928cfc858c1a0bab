import { cleanup, fireEvent, screen, waitFor } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { HostError } from "@/ipc";
import { createTestWorkspace, renderInWorkspace } from "@/workspace/test-workspace";
import { ToolSettings } from "./ToolSettings";
import { TEXTS } from "./texts";

afterEach(cleanup);

const refused = new HostError({ code: "settings.tools", message: "An allowed host: `a/b` is not a host." });

it("shows why the host refuses an allowed host, and saves the corrected one", async () => {
  const call = vi.fn(async (_: string, { patch }: { patch: { tools: { allowedHosts: string[] } } }) => {
    if (patch.tools.allowedHosts.includes("a/b")) throw refused;
    return patch;
  });
  const workspace = createTestWorkspace({ call: call as never });
  renderInWorkspace(<ToolSettings />, { workspace });
  const hosts = screen.getByLabelText(TEXTS.allowedHosts);
  fireEvent.blur(hosts, { target: { value: "a/b" } });
  await screen.findByText(/is not a host/);
  expect(workspace.settings.current.tools).toBeUndefined();
  fireEvent.blur(hosts, { target: { value: "localhost" } });
  await waitFor(() => expect(workspace.settings.current.tools).toEqual({ allowedHosts: ["localhost"] }));
  await waitFor(() => expect(screen.queryByText(/is not a host/)).toBeNull());
});

it("keeps the fields of a secret that the host refuses", async () => {
  const workspace = createTestWorkspace({ call: (async () => Promise.reject(refused)) as never });
  renderInWorkspace(<ToolSettings />, { workspace });
  const fields = [TEXTS.secretName, TEXTS.secretOrigin, TEXTS.secretVariable].map((label) =>
    screen.getByLabelText(label),
  );
  for (const field of fields) fireEvent.change(field, { target: { value: "A" } });
  fireEvent.click(screen.getByRole("button", { name: TEXTS.addSecret }));
  await screen.findByText(/is not a host/);
  expect(fields.map((field) => (field as HTMLInputElement).value)).toEqual(["A", "A", "A"]);
});
