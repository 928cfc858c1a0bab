/**
 * Records runs of the example flows with the real engine, for two uses: the mock host replays them (`mock-host/recordings`),
 * and both folds of events are held to some of them (`../tests/fixtures/folds`). Run it after the engine's events have changed:
 *
 *   cargo build -p plait-cli && node scripts/record.mjs && PLAIT_WRITE_FOLDS=1 cargo test -p plait-engine --test folds
 *
 * `PLAIT` names another binary than `target/debug/plait`.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");
const plait = process.env.PLAIT ?? join(root, "target/debug/plait");
const home = mkdtempSync(join(tmpdir(), "plait-record-"));

/** Each run that is recorded: the flow, the answers, and whether the next pause is then ended. */
const RUNS = [
  { example: "hello" },
  { example: "sort-letters" },
  { example: "order-form", fold: true },
  { example: "branch-and-join" },
  { example: "second-opinion", fold: true },
  { example: "second-opinion", to: "answer" },
  { example: "error-handling", fold: true },
  { example: "draft-and-critique", fold: true },
  { example: "headline" },
  { example: "sub-flows", children: true },
  { example: "tool-brief", answers: ["Tell me the time."] },
  { example: "tool-brief", end: true },
  ...[0, 1, 2, 3].map((iterations) => ({
    example: "chat-loop",
    answers: ["Hello!", "What is 23 × 17?", "Thank you!"].slice(0, rounds),
    end: true,
    fold: iterations === 2,
  })),
  ...[["true"], ["false", "true"], ["false", "false", "true"]].map((answers) => ({
    example: "approval",
    answers,
    fold: answers.length === 2,
  })),
];

/** Runs the CLI and returns the events it prints. */
function events(...args) {
  const { stdout, stderr, status, error } = spawnSync(plait, ["--home", home, ...args, "--json"], { encoding: "utf8" });
  if (error) throw error;
  if (status !== 0 && status !== 3) throw new Error(`plait ${args.join(" ")}: exit code ${status}\n${stderr}`);
  return stdout
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

function record({ example, to, answers = [], end = false }) {
  const journal = events(
    "run",
    example,
    ...(to ? ["--to", to] : []),
    ...answers.flatMap((answer) => ["--answer", answer]),
  );
  if (end) {
    const next = Math.max(...journal.map((entry) => entry.seq ?? -1)) + 1;
    const rest = events("resume", journal[0].run, "--end");
    journal.push(...rest.slice(rest.findIndex((entry) => entry.seq === next)));
  }
  const last = journal.at(-1).type;
  if (last !== "run.finished") throw new Error(`${example} with [${answers}] did not finish, but ended with ${last}`);
  return journal;
}

/** The runs that a journal began, with the flows they ran. */
function childrenOf(journal, flow) {
  const begun = journal.filter((entry) => entry.type === "child.started");
  return begun.map(({ run, node }) => {
    const { file, flow: inner } = flow.nodes[node].config;
    const called = inner ?? JSON.parse(readFileSync(join(root, "tests/fixtures/examples", file), "utf8"));
    return { run, flow: called, journal: events("runs", "show", run) };
  });
}

/** Removes machine- and time-specific values, so that recording again only changes durations. */
function tidy(journal) {
  const start = journal[0].at;
  return journal.map((entry) => ({
    ...entry,
    at: 1_700_000_000_000 + (entry.at - start),
    ...(entry.type === "run.started" ? { run: "recorded" } : {}),
  }));
}

/** The same for the runs it began: their ids are numbers, their times those of the whole. */
function tidyAll(journal, flow) {
  const children = childrenOf(journal, flow);
  const start = journal[0].at;
  const named = (text) => children.reduce((all, { run }, place) => all.replaceAll(run, `child-${place}`), text);
  const kept = children.map((child, place) => {
    const at = child.journal[0].at - start;
    const entries = tidy(child.journal).map((entry) => ({ ...entry, at: entry.at + at }));
    for (const entry of entries) if (entry.type === "run.started") entry.parentRunId = "recorded";
    return [`child-${place}`, { flow: child.flow, journal: JSON.parse(named(JSON.stringify(entries))) }];
  });
  return { journal: JSON.parse(named(JSON.stringify(tidy(journal)))), children: Object.fromEntries(kept) };
}

try {
  const taken = new Map();
  for (const run of RUNS) {
    const count = (taken.get(run.example) ?? 0) + 1;
    taken.set(run.example, count);
    const recorded = record(run);
    const flow = JSON.parse(readFileSync(join(root, `tests/fixtures/examples/${run.example}.flow.json`), "utf8"));
    const { journal, children } = run.children ? tidyAll(recorded, flow) : { journal: tidy(recorded) };
    const nodes = Object.fromEntries(
      Object.entries(flow.nodes)
        .filter(([, node]) => node.type !== "note")
        .map(([id, node]) => [id, node.type]),
    );
    const name = `${run.example}-${count}.json`;
    writeFileSync(
      join(root, "ui/mock-host/recordings", name),
      `${JSON.stringify({ nodes, to: run.to, journal, children }, null, 1)}\n`,
    );
    if (run.fold) {
      const about = `Recorded: the example ${run.example}${run.answers ? `, answered ${JSON.stringify(run.answers)}` : ""}.`;
      const file = join(root, "tests/fixtures/folds", `recorded-${run.example}.json`);
      writeFileSync(file, `${JSON.stringify({ about, journal, view: null }, null, 1)}\n`);
    }
    process.stdout.write(`${name}: ${journal.length} entries\n`);
  }
} finally {
  rmSync(home, { recursive: true });
}
