/** Every text of this part of the window. */
import type { LineageSource } from "@/bindings";

export const TEXTS = {
  nothing: "No text followed",
  selectText: "Select text in a value, a prompt or a reply, and choose “Where does this come from?”.",
  from: "Where it comes from",
  to: "Where it went",
  searching: "Searching…",
  sameText: "Contains the same text",
  computed: "Computed from this",
  chooseFrom: "It may come from several places",
  chooseComputed: "Computed from",
  chooseTo: "It went to several places",
  more: "More places are not listed.",
  endFrom: "Nothing more is known.",
  endTo: "It went nowhere else.",
  followThis: (place: string) => `Follow from ${place}`,
  input: (port: string) => `input ${port}`,
  prompt: (call: number, message: number) => `prompt ${call}, message ${message}`,
  reply: (call: number) => `reply ${call}`,
  toolResult: (tool: number) => `result of tool call ${tool}`,
  toolArguments: (tool: number) => `arguments of tool call ${tool}`,
  answer: (question: number) => `answer ${question}`,
  runInput: "Input of the run",
  set: (port: string) => `${port}, set when the run started`,
  subFlow: "sub-flow",
} as const;

/** Where a text began, in words. */
export function describeSource(source: LineageSource, nameOf: (node: string) => string): string {
  switch (source.kind) {
    case "flow":
      return source.setting === undefined ? nameOf(source.node) : `${nameOf(source.node)}, setting ${source.setting}`;
    case "file":
      return `${source.path}, line ${source.line}`;
    case "url":
      return source.url;
    case "passage":
      return `${source.base}: ${source.document}, line ${source.line}`;
    case "answer":
      return `A person, asked “${source.question}”`;
    case "runInput":
      return "Given when the run started";
    case "trial":
      return `A setting of ${nameOf(source.node)} that a person tried at a stop`;
    case "changed":
      return "A person changed the value at a stop";
    case "pin":
      return source.run === undefined
        ? `The pin of ${nameOf(source.node)}, typed by a person`
        : `The pin of ${nameOf(source.node)}, taken from run ${source.run}`;
    case "memory":
      return "Long-term memory";
    case "conversation":
      return "An earlier turn of the conversation";
    case "origin":
      return source.origin;
    case "engine":
      return "Written by Plait";
    case "unknown":
      return "Unknown";
  }
}
