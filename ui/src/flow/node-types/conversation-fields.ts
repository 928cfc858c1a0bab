/** Which fields of a node's form have a use only in a loop with a conversation. The engine's schemas mark them. */
import type { Spec } from "./config-spec";

/** A node's form where no loop around it has a conversation: without the fields for one, unless they are set. */
export function outsideOfConversation(spec: Spec, config: Readonly<Record<string, unknown>>): Spec {
  if (spec.kind !== "object") return spec;
  const fields = spec.fields.filter((field) => !field.spec.ofConversation || field.name in config);
  return fields.length === spec.fields.length ? spec : { ...spec, fields };
}
