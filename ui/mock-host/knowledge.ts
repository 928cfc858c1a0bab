/** The mock host's knowledge bases: one is there, others can be added. Indexing takes a second; a search looks for words. */
import type { BaseStatus, Retrieval, SourceText } from "@/bindings";
import { HostError } from "@/ipc/host";
import type { Passage } from "@/workspace/knowledge/passage";
import type { Commands } from "./commands";

const TRAINS =
  "## Trains\n\nTrains are booked by the office, second class. A ticket is refunded if the trip is canceled a day before.\n";
const FILES: Record<string, string> = {
  "travel/trains.md": `# Travel\n\nTrips are planned two weeks ahead.\n\n${TRAINS}`,
  "food.md": "# Food\n\nThe soup is free on Fridays. Meals with clients need a receipt.\n",
};
const STEPS = 5;
const STEP_MS = 200;

type BaseDefinition = Pick<BaseStatus, "name" | "paths" | "embeddings">;
type Mock = { status: BaseStatus; stop: boolean };

export function mockKnowledge(): Commands {
  const bases = new Map<string, Mock>();
  const put = (definition: BaseDefinition): BaseStatus => {
    const status: BaseStatus = { ...definition, state: "new", files: 0, chunks: 0, embedded: 0, skippedCount: 0 };
    bases.set(definition.name, { status, stop: false });
    return status;
  };
  const find = (name: string): Mock => {
    const base = bases.get(name);
    if (base) return base;
    throw new HostError({ code: "knowledge.unknown", message: `There is no knowledge base \`${name}\`.` });
  };
  put({ name: "handbook", paths: ["/home/ada/handbook"] });
  return {
    "knowledge.list": () => [...bases.values()].map((base) => base.status),
    "knowledge.add": (definition: BaseDefinition) => {
      if (bases.has(definition.name)) {
        const message = `There is already a knowledge base \`${definition.name}\`.`;
        throw new HostError({ code: "knowledge.exists", message, hint: "Choose another name." });
      }
      return put(definition);
    },
    "knowledge.remove": ({ name }: { name: string }) => void (find(name) && bases.delete(name)),
    "knowledge.cancel": ({ name }: { name: string }) => {
      find(name).stop = true;
    },
    "knowledge.reindex": async ({ name }: { name: string }) => {
      const base = find(name);
      base.stop = false;
      for (let done = 0; done < STEPS; done++) {
        const progress = { base: name, done, total: STEPS, bytes: done * 1000 };
        base.status = { ...base.status, state: "indexing", progress, fault: undefined };
        await new Promise((resolve) => setTimeout(resolve, STEP_MS));
        if (base.stop) {
          const fault = { code: "knowledge.stopped", message: "Indexing was stopped." } as const;
          base.status = { ...base.status, state: "failed", progress: undefined, fault: { ...fault } };
          throw new HostError(fault);
        }
      }
      base.status = { ...base.status, ...INDEXED, progress: undefined };
      return base.status;
    },
    "knowledge.search": ({ query, bases: names }: { query: string; bases?: string[] }): Retrieval => {
      const words = query.toLowerCase().match(/\w{3,}/g) ?? [];
      const found = Object.entries(FILES).filter(([, text]) => words.some((word) => text.toLowerCase().includes(word)));
      const passages = found.map(([source, text], rank) => {
        const offset = source === "travel/trains.md" ? text.indexOf(TRAINS) : 0;
        return { passage: passageOf(names?.[0] ?? "handbook", source, text, offset, rank), text: text.slice(offset) };
      });
      const [best, ...others] = passages;
      return {
        query,
        maxTokens: 2000,
        used: best ? [{ ...best.passage, text: best.text }] : [],
        leftOut: others.map((one) => ({ ...one.passage, reason: { kind: "cap", room: 12 } })),
      };
    },
    "knowledge.source": ({ base, source }: { base: string; source: string }): SourceText => {
      find(base);
      const text = FILES[source];
      if (text !== undefined) return { path: `/home/ada/handbook/${source}`, text, offset: 0, line: 1 };
      throw new HostError({ code: "knowledge.source", message: `There is no file \`${source}\` any more.` });
    },
  };
}

const INDEXED = {
  state: "ready",
  files: 2,
  chunks: 3,
  skipped: [
    {
      source: "scan.pdf",
      reason: { code: "knowledge.bad_file", message: "It is not indexed: the PDF has no text, only images." },
    },
  ],
  skippedCount: 1,
} satisfies Partial<BaseStatus>;

function passageOf(base: string, source: string, text: string, offset: number, rank: number): Passage {
  const line = text.slice(0, offset).split("\n").length;
  const length = text.length - offset;
  return { base, source, offset, length, line, score: 4.2 / (rank + 1), matched: "words", tokens: 60 };
}
