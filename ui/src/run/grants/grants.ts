/** What a flow needs and what a person decides about it: pure functions for the dialog before a run and for the panel. */
import type { GrantDecision, GrantKind, GrantRule, McpPin, Need, NeedStatus, NeedUse } from "@/bindings";
import { GRANT_KINDS } from "@/bindings/constants";

/**
 * What a person can choose before a run. `once` and `denyOnce` hold for this run only; the others are kept for the flow's file.
 * What nobody chooses is denied once, so that a hasty run is no trap.
 */
export type GrantChoice = "once" | "always" | "ask" | "denyOnce" | "never";

export const DEFAULT_CHOICE: GrantChoice = "denyOnce";

/** What each choice decides, and whether for more than one run. */
const CHOICES: Record<GrantChoice, { decision: GrantDecision; forGood: boolean }> = {
  once: { decision: "allow", forGood: false },
  always: { decision: "allow", forGood: true },
  ask: { decision: "ask", forGood: true },
  denyOnce: { decision: "deny", forGood: false },
  never: { decision: "deny", forGood: true },
};

/** The needs of each kind that has some, in the order in which they are shown. */
export function needsByKind<T extends { need: Need }>(needs: readonly T[]): { kind: GrantKind; needs: T[] }[] {
  const groups = GRANT_KINDS.map((kind) => ({ kind, needs: needs.filter(({ need }) => need.kind === kind) }));
  return groups.filter((group) => group.needs.length > 0);
}

/** The target of a rule without its kind: `host=api.example.com` is `api.example.com`. */
export function targetName(target: string): string {
  return target.slice(target.indexOf("=") + 1);
}

/** The rule about exactly this need. */
export function ruleOf({ need }: NeedStatus, decision: GrantDecision, untrusted = false): GrantRule {
  return {
    target: need.target,
    decision,
    ...(need.write ? { write: true } : {}),
    ...(untrusted && decision === "allow" ? { untrusted: true } : {}),
    ...(need.seen === undefined ? {} : { seen: need.seen }),
    ...(need.needsHash === undefined ? {} : { needsHash: need.needsHash }),
  };
}

/**
 * The rules that follow from choices: those to keep for the flow's file, if it has one, and those for one run. What was not
 * chosen is denied.
 */
export function rulesOf(
  needs: readonly NeedStatus[],
  choices: ReadonlyMap<string, GrantChoice>,
  hasFile: boolean,
): { kept: GrantRule[]; once: GrantRule[] } {
  const kept: GrantRule[] = [];
  const once: GrantRule[] = [];
  for (const status of needs) {
    const { decision, forGood } = CHOICES[choices.get(status.need.target) ?? DEFAULT_CHOICE];
    (forGood && hasFile ? kept : once).push(ruleOf(status, decision));
  }
  return { kept, once };
}

/** How many needs are allowed, asked about and denied. */
export function countChoices(needs: readonly NeedStatus[], choices: ReadonlyMap<string, GrantChoice>) {
  const counts = { allowed: 0, asked: 0, denied: 0 };
  for (const { need } of needs) {
    const { decision } = CHOICES[choices.get(need.target) ?? DEFAULT_CHOICE];
    if (decision === "deny") counts.denied++;
    else if (decision === "ask") counts.asked++;
    else counts.allowed++;
  }
  return counts;
}

function nodeName(use: NeedUse, settings: string): string {
  const name = use.title ?? use.node ?? settings;
  return use.flow === undefined ? name : `${use.flow} › ${name}`;
}

/** What something is needed for, and by which nodes; each once, in the order in which they are found. */
export function reasonsOf(need: Need, settings: string): { whats: string[]; nodes: string[] } {
  const whats = new Set(need.uses.map((use) => use.what));
  const nodes = new Set(need.uses.map((use) => nodeName(use, settings)));
  return { whats: [...whats], nodes: [...nodes] };
}

/** The needs in the details of the error `grant.needed`; nothing if they cannot be read. */
export function neededBy(details: unknown): NeedStatus[] | undefined {
  const needs = (details as { needs?: unknown } | undefined)?.needs;
  return Array.isArray(needs) && needs.length > 0 ? (needs as NeedStatus[]) : undefined;
}

/** The accepted tools of a server, in one line. */
export function describePin({ tools, definitions, at, asFirstSeen }: McpPin): string {
  const count = tools === 1 ? "1 tool" : `${tools} tools`;
  const when = at === undefined ? "" : ` on ${new Date(at).toLocaleDateString("en", { dateStyle: "medium" })}`;
  const how = asFirstSeen ? " as first seen" : "";
  return `${count} accepted${when}${how}, pinned to sha256:${definitions.slice(0, 4)}…${definitions.slice(-4)}`;
}
