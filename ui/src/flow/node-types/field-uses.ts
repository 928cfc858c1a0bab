/**
 * What the schemas of node types do not say about their fields: which come first, and which have a use only beside a value of
 * another field.
 */
import type { NodeDescriptor } from "@/bindings";
import { type Field, inOrder, type Spec, specOf } from "./config-spec";

type Use = Pick<Spec, "rank" | "shownIf">;

const ofConversation: Use = { shownIf: { conversation: true } };

/** By node type, then by the path of the field. */
const FIELD_USES: Readonly<Record<string, Readonly<Record<string, Use>>>> = {
  loop: {
    kind: { rank: 0 },
    condition: { rank: 1, shownIf: { kind: "while" } },
    times: { rank: 1, shownIf: { kind: "times" } },
    concurrency: { rank: 1, shownIf: { kind: "forEach" } },
    on_error: { rank: 1.5, shownIf: { kind: "forEach" } },
    max_iterations: { rank: 2 },
    conversation: { rank: 3 },
    ai_turn_source: ofConversation,
    user_turn_sources: ofConversation,
    named_steps: ofConversation,
    history_template: ofConversation,
    init: ofConversation,
    history_management: ofConversation,
    "history_management.max_tokens": { shownIf: { strategy: ["truncate_tokens", "summarize"] } },
    "history_management.max_turns": { shownIf: { strategy: ["truncate_turns", "summarize"] } },
    "history_management.summarize_ratio": { shownIf: { strategy: "summarize" } },
    "history_management.summarizer_agent": { shownIf: { strategy: "summarize" } },
  },
  remember: {
    kind: { rank: 0 },
    name: { rank: 1, shownIf: { kind: "procedure" } },
  },
  subflow: {
    file: { rank: 0 },
    inputSource: { rank: 1 },
    mapping: { rank: 2, shownIf: { inputSource: "mapping" } },
    sourceNodeId: { rank: 2, shownIf: { inputSource: "nodeOutput" } },
    sourceOutput: { rank: 3, shownIf: { inputSource: "nodeOutput" } },
  },
};

const read = new WeakMap<NodeDescriptor, Spec>();

/** The form of a node's config. Worked out once for each type. */
export function configSpecOf(type: NodeDescriptor): Spec {
  let spec = read.get(type);
  if (!spec) {
    const uses = FIELD_USES[type.type];
    spec = uses ? withUses(specOf(type.configSchema), uses, "") : specOf(type.configSchema);
    read.set(type, spec);
  }
  return spec;
}

function withUses(spec: Spec, uses: Readonly<Record<string, Use>>, prefix: string): Spec {
  if (spec.kind !== "object") return spec;
  const fields = spec.fields.map((field): Field => {
    const path = `${prefix}${field.name}`;
    return { ...field, spec: { ...withUses(field.spec, uses, `${path}.`), ...uses[path] } };
  });
  return { ...spec, fields: inOrder(fields) };
}

/** The fields of nodes that have a use only inside of a loop with a conversation. */
const IN_CONVERSATION: ReadonlySet<string> = new Set(["pinned", "use_history"]);

/** A node's form where no loop around it has a conversation: without the fields for one, unless they are set. */
export function outsideOfConversation(spec: Spec, config: Readonly<Record<string, unknown>>): Spec {
  if (spec.kind !== "object") return spec;
  const fields = spec.fields.filter(({ name }) => !IN_CONVERSATION.has(name) || name in config);
  return fields.length === spec.fields.length ? spec : { ...spec, fields };
}
