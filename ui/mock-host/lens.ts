/** The lens of the mock host: searching the prompts of a run, and requests, which simulated models have none of. */
import type { Entry, PromptHit, RunId } from "@/bindings";
import { HostError } from "@/ipc/host";
import { RunFold } from "@/run/fold/fold";
import { EventLog } from "@/run/live/event-log";
import { linesOf } from "@/run/prompt/prompt-parts";
import type { Commands } from "./commands";

const EXCERPT_CHARS = 60;

/** `journalsOf` gives the journals of a run and of its child runs. */
export function mockLens(journalsOf: (run: RunId) => Iterable<readonly [RunId, readonly Entry[]]>): Commands {
  return {
    "lens.search": ({ run, text }: { run: RunId; text: string }): PromptHit[] =>
      [...journalsOf(run)].flatMap(([id, journal]) => search(id, journal, text.trim().toLowerCase())),
    "lens.request": () => {
      throw new HostError({ code: "lens.no_request", message: "The provider `offline` sends no HTTP request." });
    },
  };
}

function search(run: RunId, journal: readonly Entry[], text: string): PromptHit[] {
  if (text === "") return [];
  const fold = new RunFold();
  const log = new EventLog();
  log.append(fold.apply([...journal]).entries);
  const seen = new Set<string>();
  const hits: PromptHit[] = [];
  for (const [node, { epochs }] of fold.nodes) {
    for (const epoch of epochs) {
      epoch.calls.forEach((call, index) => {
        const found = (value: string, role: PromptHit["role"], message?: number) => {
          const at = value.toLowerCase().indexOf(text);
          if (at < 0) return;
          const [from, to] = [Math.max(0, at - EXCERPT_CHARS), at + text.length];
          const excerpt = {
            before: value.slice(from, at),
            found: value.slice(at, to),
            after: value.slice(to, to + EXCERPT_CHARS),
          };
          hits.push({
            run,
            node,
            epoch: epoch.epoch,
            call: index,
            role,
            ...excerpt,
            ...(message !== undefined && { message }),
          });
        };
        const lines = call.prompt ? linesOf(call.prompt, epoch, log, epoch.turn?.contextId) : [];
        lines.forEach((line, message) => {
          if (line.kind === "block") found(line.text, "user", message);
          // A message of the history: once, in the first prompt that has it.
          if (line.kind !== "message" || (line.inHistory && seen.has(line.key))) return;
          if (line.inHistory) seen.add(line.key);
          found(line.text, line.role, message);
        });
        if (call.reply) found(call.reply.text, "assistant");
      });
    }
  }
  return hits;
}
