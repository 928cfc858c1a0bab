/** The fields of a quota. */
import type { Spec } from "@/flow/node-types/config-spec";
import { TEXTS } from "./texts";

const FIELDS: Extract<Spec, { kind: "object" }>["fields"] = [
  {
    name: "tokens",
    label: TEXTS.quotaTokens,
    required: false,
    spec: { kind: "number", integer: true, optional: true, min: 1, help: "Of prompts and replies together." },
  },
  {
    name: "usd",
    label: TEXTS.quotaUsd,
    required: false,
    spec: {
      kind: "number",
      integer: false,
      optional: true,
      min: 0.000_001,
      help: "A call of a model without a known price is not sent then.",
    },
  },
  {
    name: "onExceeded",
    label: TEXTS.quotaExceeded,
    required: false,
    spec: {
      kind: "choice",
      optional: true,
      default: "stop",
      choices: [
        { value: "stop", label: TEXTS.quotaStop, help: "The call fails." },
        { value: "ask", label: TEXTS.quotaAsk, help: "You are asked whether as much again may be used." },
        { value: "fallback", label: TEXTS.quotaFallback, help: "The model below is called instead." },
      ],
      help: "The call that would exceed the quota is not sent in any case.",
    },
  },
  {
    name: "fallback",
    label: TEXTS.quotaFallbackModel,
    required: false,
    spec: {
      kind: "object",
      optional: true,
      fields: [
        {
          name: "provider",
          label: TEXTS.provider,
          required: false,
          spec: { kind: "text", widget: "provider", optional: true, help: "Default: the provider of the call." },
        },
        {
          name: "model",
          label: TEXTS.model,
          required: true,
          spec: { kind: "text", widget: "model", optional: false },
        },
      ],
    },
  },
];

/** A quota with this help. */
export function quotaSpec(help: string): Spec {
  return { kind: "object", optional: true, fields: FIELDS, help };
}
