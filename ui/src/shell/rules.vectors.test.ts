/**
 * The rules that both the window and the engine compute. A Rust test writes the results of these vectors
 * (`src-tauri/api/tests/bindings/shared_rules.rs`).
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { CheckedFlow, Content, ConversationFlow, Cost, Epoch, Flow, NodeDescriptor } from "@/bindings";
import nodes from "@/bindings/nodes.json";
import { formatJson, parseJson } from "@/design/json/exact-json";
import { applyMergePatch, mergePatch } from "@/design/json/merge-patch";
import { headingAnchor } from "@/design/markdown/heading-anchor";
import { acceptanceAnswer, answerForm, approvalAnswer, numberOf } from "@/dock/conversation/answer-schema";
import { partners } from "@/flow/connect/connection";
import { declaredPorts, portsOn } from "@/flow/connect/ports";
import { UNCHECKED } from "@/flow/document/flow-state";
import { indexNodeTypes } from "@/flow/node-types/node-types";
import { flowKey } from "@/run/conversations/conversation-list";
import { compareEpochs } from "@/run/fold/epoch";
import { plainMessageText } from "@/run/fold/message-text";
import { formatCost } from "@/run/values/format";

const FOLDER = join(import.meta.dirname, "../../../tests/fixtures/rules");
const tested = new Set<string>();

/** One test for each case of a file. */
function vectors<Case>(name: string, title: (one: Case) => string, check: (one: Case) => void): void {
  tested.add(`${name}.json`);
  const cases: Case[] = parseJson(readFileSync(join(FOLDER, `${name}.json`), "utf8")) as Case[];
  it.each(cases.map((one) => [title(one), one] as const))(`${name}: %s`, (_, one) => check(one));
}

const types = indexNodeTypes(nodes as unknown as NodeDescriptor[]);

type Edges = { about: string; flow: Flow; result: { allowed: Record<string, string[]>; ports: CheckedFlow["ports"] } };

vectors<Edges>(
  "edges",
  ({ about }) => about,
  ({ flow, result }) => {
    const checked = { ...UNCHECKED, ports: result.ports };
    const allowed: Record<string, Set<string>> = {};
    for (const node of Object.keys(flow.nodes)) {
      const ports = declaredPorts(types, flow, checked, node);
      for (const inner of [false, true]) {
        for (const { name: port } of portsOn(ports, "out", inner)) {
          const found = partners(types, flow, checked, { node, side: "out", port, inner });
          const known = allowed[`${node}.${port}`] ?? new Set();
          for (const other of found) known.add(`${other.node}.${other.port}`);
          if (known.size > 0) allowed[`${node}.${port}`] = known;
        }
      }
    }
    const sorted = (lists: Record<string, Iterable<string>>) =>
      Object.fromEntries(Object.entries(lists).map(([from, to]) => [from, [...to].sort()]));
    expect(sorted(allowed)).toEqual(sorted(result.allowed));
  },
);

vectors<{ cost: Cost; result: string }>(
  "costs",
  ({ cost }) => formatJson(cost) ?? "",
  ({ cost, result }) => {
    expect(formatCost(cost)).toBe(result);
  },
);

type Members = Record<string, unknown>;
type Patch = { about: string; document: Members; patch: Members; result: Members };

vectors<Patch>(
  "merge-patches",
  ({ about }) => about,
  ({ document, patch, result }) => {
    expect(applyMergePatch(document, patch)).toEqual(result);
    expect(applyMergePatch(document, mergePatch(document, result))).toEqual(result);
  },
);

vectors<{ text: string; result: unknown }>(
  "large-integers",
  ({ text }) => text,
  ({ text, result }) => {
    if (result === null) expect(() => parseJson(text)).toThrow(SyntaxError);
    else expect(parseJson(text)).toEqual(result);
  },
);

vectors<{ epochs: Epoch[]; result: Epoch[] }>(
  "epochs",
  ({ epochs }) => formatJson(epochs) ?? "",
  ({ epochs, result }) => {
    expect(epochs.toSorted(compareEpochs)).toEqual(result);
  },
);

vectors<{ flow: ConversationFlow; result: string }>(
  "conversation-flows",
  ({ result }) => result,
  ({ flow, result }) => expect(flowKey(flow)).toBe(result),
);

vectors<{ content: Content; result: string }>(
  "message-texts",
  ({ content }) => formatJson(content) ?? "",
  ({ content, result }) => expect(plainMessageText(content)).toBe(result),
);

type AnswerCase = { schema: Members; text: string; result: { answer: unknown; choices: string[] | null } };

vectors<AnswerCase>(
  "answers",
  ({ schema, text }) => `${text} for ${formatJson(schema)}`,
  ({ schema, text, result }) => {
    const { answer, choices } = result;
    const form = answerForm(schema);
    const isDecision = form.kind === "approval" || form.kind === "acceptance" || form.kind === "question";
    expect(isDecision || form.kind === "yesNo" || form.kind === "choice").toBe(choices !== null);
    switch (form.kind) {
      case "text":
        expect(answer).toBe(text);
        break;
      case "number":
        expect(numberOf(text, form.integer) ?? null).toEqual(answer);
        break;
      case "yesNo":
        expect(answer).toBe(text === "yes");
        break;
      case "choice":
        expect(form.options.map(String)).toEqual(choices);
        expect(form.options).toContain(answer);
        break;
      case "approval":
        expect(answer).toEqual(approvalAnswer(form, text === "yes"));
        expect(form.comment?.toUpperCase()).toBe(choices?.[2]?.replace("no, ", ""));
        break;
      case "acceptance":
        expect(answer).toEqual(acceptanceAnswer(text === "yes"));
        break;
      case "question":
        expect(form.fields?.map(({ name }) => name.toUpperCase())).toEqual(choices?.slice(0, 1));
        break;
      case "json":
        expect(readOrNull(text)).toEqual(answer);
    }
  },
);

function readOrNull(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return null;
  }
}

vectors<{ heading: string; result: string }>(
  "heading-anchors",
  ({ heading }) => heading,
  ({ heading, result }) => expect(headingAnchor(heading)).toBe(result),
);

it("every file of vectors is tested", () => {
  expect([...tested].sort()).toEqual(readdirSync(FOLDER).sort());
});
