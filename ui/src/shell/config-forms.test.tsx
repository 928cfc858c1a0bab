import { act, cleanup } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";
import type { Node, NodeDescriptor, RetryPolicy } from "@/bindings";
import NODE_TYPES from "@/bindings/nodes.json";
import { plain } from "@/design/markdown/plain-text";
import { documentState, EMPTY_FLOW } from "@/flow/document/flow-state";
import { CONFIG_FIELDS, pathOf } from "@/forms/config-fields";
import { ConfigTab } from "@/inspector/ConfigTab";
import { FlowInspector } from "@/inspector/FlowInspector";
import { SettingsPage } from "@/panels/settings/SettingsPage";
import { createTestWorkspace, renderInWorkspace } from "@/workspace/test-workspace";

/** Each key of the engine's table is in the form of each place that can set it. */

afterEach(cleanup);

const TYPES = NODE_TYPES as unknown as NodeDescriptor[];
const namesOf = ({ type, aliases = [] }: NodeDescriptor) => [type, ...aliases];
const RETRY: RetryPolicy = { attempts: 3, backoffMs: 500, maxBackoffMs: 30_000, jitter: 0.5 };

/** The field at a path below `root`. */
const fieldAt = (root: ParentNode, path: readonly string[]) => root.querySelector(`[data-field="${path.join(".")}"]`);
const labelOf = (field: Element | null | undefined) => field?.querySelector("label")?.firstChild?.textContent;

it("the settings have a field for each key that they can set", async () => {
  const { container } = renderInWorkspace(<SettingsPage />, { workspace: createTestWorkspace() });
  await act(async () => undefined);
  const inSettings = CONFIG_FIELDS.filter(({ settings }) => settings !== undefined);
  expect(inSettings.length).toBeGreaterThan(20);
  for (const { key, section, schema } of inSettings) {
    const field = container.querySelector(`[data-settings-section="${section}"] [data-setting="${key}"]`);
    expect([key, labelOf(field)]).toEqual([key, schema.title]);
    expect([key, field?.querySelector("label")?.title]).toEqual([key, plain(String(schema.description))]);
  }
});

it("the flow has a field for each key that it can set", () => {
  const { container } = renderInWorkspace(<FlowInspector />);
  const inFlow = CONFIG_FIELDS.flatMap((field) => (field.flow === undefined ? [] : [{ ...field, flow: field.flow }]));
  expect(inFlow.length).toBeGreaterThan(20);
  for (const { key, flow, schema } of inFlow) {
    const field = fieldAt(container, pathOf(flow));
    expect([key, labelOf(field)]).toEqual([key, schema.title]);
    expect(plain(field?.textContent ?? "")).toContain(plain(String(schema.description)));
  }
});

/** The configs with which the fields are shown that have a use beside others only. */
const SHOWING_ALL: Readonly<Record<string, Node["config"]>> = {
  loop: { conversation: true, history_management: { strategy: "summarize" } },
};

describe("a node has a field for each key that it can set", () => {
  const places = CONFIG_FIELDS.flatMap(({ key, nodes }) =>
    Object.entries(nodes).map(([type, pointer]) => ({ key, type, pointer: pointer ?? "" })),
  );

  it.each(TYPES.filter((type) => places.some((place) => namesOf(type).includes(place.type))))("$type", (type) => {
    const node: Node = { type: type.type, retry: RETRY, config: SHOWING_ALL[type.type] };
    const workspace = createTestWorkspace();
    workspace.editor.open(documentState({ ...EMPTY_FLOW, nodes: { n: node } }));
    const { container } = renderInWorkspace(<ConfigTab nodeId="n" node={node} type={type} readOnly={false} />, {
      workspace,
    });
    for (const place of places.filter((one) => namesOf(type).includes(one.type))) {
      const path = pathOf(place.pointer.replace(/^\/config/, ""));
      expect([place.key, fieldAt(container, path) !== null]).toEqual([place.key, true]);
    }
  });

  it("in some type of node", () => {
    const known = TYPES.flatMap(namesOf);
    expect(places.filter(({ type }) => !known.includes(type))).toEqual([]);
    expect(places.length).toBeGreaterThan(30);
  });
});

it("labels are words, and say what they are about also where they stand alone", () => {
  const labels = CONFIG_FIELDS.map(({ schema }) => String(schema.title));
  expect(new Set(labels).size).toBe(labels.length);
  for (const label of labels) expect(label).toMatch(/^(OTLP|[A-Z][a-z’]+)( [a-z]+)*( \(ms\))?$/);
});
