/** The mock host's long-term memories, by user. The first user has some; a search looks for words. */
import type { ExportFormat, MemoryContent, MemoryKind, MemoryPage, MemoryRecord } from "@/bindings";
import { HostError } from "@/ipc/host";
import type { Commands } from "./commands";
import { currentUser } from "./users";

const DAY_MS = 86_400_000;

type Of = { user?: string };

export type MockMemories = {
  commands: Commands;
  count(user: string): number;
  removeAll(user: string): void;
};

export function mockMemories(env: { now(): number }): MockMemories {
  const now = env.now();
  const users = new Map<string, MemoryRecord[]>([["local", firstMemories(now)]]);
  const of = (user = currentUser()) => {
    const memories = users.get(user) ?? [];
    users.set(user, memories);
    return { user, memories };
  };
  const find = (user: string | undefined, id: string) => {
    const found = of(user).memories.find((memory) => memory.id === id);
    if (found) return found;
    throw new HostError({ code: "memory.unknown", message: `There is no memory \`${id}\`.` });
  };
  const check = ({ text, steps = [] }: MemoryContent) => {
    if (new TextEncoder().encode([text, ...steps].join("")).length > 4096) {
      throw new HostError({
        code: "memory.too_long",
        message: "The memory has more than 4096 bytes.",
        hint: "Summarize it, or store several memories.",
      });
    }
  };
  const commands = {
    "memories.list": ({
      user,
      kinds = [],
      search = "",
      limit,
    }: Of & { kinds?: MemoryKind[]; search?: string; limit?: number }): MemoryPage => {
      const { user: owner, memories } = of(user);
      const words = search.toLowerCase().split(/\W+/).filter(Boolean);
      const found = [...memories]
        .sort((a, b) => b.at - a.at)
        .filter((memory) => kinds.length === 0 || kinds.includes(memory.kind))
        .filter(({ text, steps = [] }) => {
          const all = [text, ...steps].join("\n").toLowerCase();
          return words.length === 0 || words.some((word) => all.includes(word));
        });
      const counts: Partial<Record<MemoryKind, number>> = {};
      for (const { kind } of memories) counts[kind] = (counts[kind] ?? 0) + 1;
      return { user: owner, memories: found.slice(0, limit), found: found.length, counts };
    },
    "memories.add": ({ user, content }: Of & { content: MemoryContent }): MemoryRecord => {
      check(content);
      const memory = { id: crypto.randomUUID().replaceAll("-", ""), ...content, at: env.now(), source: {} };
      of(user).memories.push(memory);
      return memory;
    },
    "memories.edit": ({ user, id, content }: Of & { id: string; content: MemoryContent }): MemoryRecord => {
      check(content);
      const memory = find(user, id);
      return Object.assign(memory, { steps: undefined }, content, { editedAt: env.now() });
    },
    "memories.erase": ({ user, ids }: Of & { ids?: string[] }) => {
      const { user: owner, memories } = of(user);
      const kept = memories.filter(({ id }) => ids !== undefined && !ids.includes(id));
      users.set(owner, kept);
      return { count: memories.length - kept.length };
    },
    "memories.export": ({ user, format }: Of & { format: ExportFormat }) => {
      const { user: owner, memories } = of(user);
      const text =
        format === "json"
          ? JSON.stringify({ user: owner, memories }, undefined, 2)
          : [`# Memories of ${owner}`, "", ...memories.map(({ text }) => `- ${text}`)].join("\n");
      return { name: `memories.${format === "json" ? "json" : "md"}`, text, count: memories.length };
    },
  };
  return { commands, count: (user) => of(user).memories.length, removeAll: (user) => users.delete(user) };
}

function firstMemories(now: number): MemoryRecord[] {
  const triage = { flow: "Support triage", run: "mock-run", node: "learn" };
  return [
    {
      id: "a1",
      kind: "fact",
      text: "The customer prefers messages by email.",
      at: now - 4 * DAY_MS,
      source: triage,
    },
    { id: "a2", kind: "fact", text: "Parcel 7731 is on hold until Thursday.", at: now - 60_000, source: triage },
    { id: "a3", kind: "fact", text: "Refunds over $50 need approval.", at: now - 10 * DAY_MS, source: {} },
    { id: "b1", kind: "episode", text: "Held a parcel after two questions.", at: now - DAY_MS, source: triage },
    {
      id: "c1",
      kind: "procedure",
      text: "Promise a delivery date",
      steps: ["Call track_parcel", "Ask the depot if it is late", "Name the day, not the hour"],
      at: now - 20 * DAY_MS,
      source: {},
    },
  ];
}
