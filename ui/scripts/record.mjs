/**
 * Records runs of the example flows with the real engine, to which both folds of events are held (`../tests/fixtures/folds`). Run
 * it after the engine's events have changed:
 *
 *   cargo build -p plait-cli && node scripts/record.mjs && PLAIT_WRITE_FOLDS=1 cargo test -p plait-journal --test folds
 *
 * `PLAIT` names another binary than `target/debug/plait`. An argument is the name of the only flow to record.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");
const plait = process.env.PLAIT ?? join(root, "target/debug/plait");
const home = mkdtempSync(join(tmpdir(), "plait-record-"));

/** Each run that is recorded: the flow, the answers, and whether the next pause is then ended. */
const RUNS = [
  { example: "order-form" },
  { example: "second-opinion" },
  { example: "error-handling" },
  { example: "draft-and-critique" },
  { example: "chat-loop", answers: ["Hello!", "What is 23 × 17?"], end: true },
  { example: "approval", answers: ["false", "true"] },
  {
    example: "long-conversation",
    answers: [
      "I want to see the Colosseum early in the morning, before the crowds come and before it is hot.",
      "After that I want to walk through the Roman Forum, slowly, with somebody who explains the ruins.",
      "For lunch I want a small place near the Pantheon where people from Rome eat, and no music.",
      "In the evening I want to sit on the Spanish Steps and watch the lights of the city.",
    ],
    end: true,
  },
  { fixture: "server-questions", answers: ["Ada", "yes"] },
];

/** The server of the flow `server-questions`. */
const SERVER = { command: "node", args: [join(root, "tests/mcp/scripted-server.mjs")] };

/** Runs the CLI and returns what it prints. */
function run(...args) {
  const { stdout, stderr, status, error } = spawnSync(plait, ["--home", home, ...args], { encoding: "utf8" });
  if (error) throw error;
  if (status !== 0 && status !== 3) throw new Error(`plait ${args.join(" ")}: exit code ${status}\n${stderr}`);
  return stdout;
}

/** The same for a command that prints events. */
function events(...args) {
  return run(...args, "--json")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

function record({ example, fixture, answers = [], end = false }) {
  const journal = events(
    "run",
    ...(fixture ? [fileOf({ fixture }), "--allow", "command=scripted,tool=scripted/*+untrusted"] : [example]),
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

/** Writes the servers as other clients have them. */
function writeServers() {
  const file = join(home, "servers.json");
  writeFileSync(file, JSON.stringify({ mcpServers: { scripted: SERVER } }));
  return file;
}

function fileOf({ example, fixture }) {
  return join(root, fixture ? `tests/fixtures/flows/${fixture}` : `examples/${example}`).concat(".flow.json");
}

/** Removes machine- and time-specific values, so that recording again only changes durations. */
function tidy(journal) {
  const start = journal[0].at;
  const anywhere = JSON.parse(JSON.stringify(journal).replaceAll(root, "/plait"));
  return anywhere.map((entry) => ({
    ...entry,
    at: 1_700_000_000_000 + (entry.at - start),
    ...(entry.type === "run.started" ? { run: "recorded" } : {}),
  }));
}

try {
  run("mcp", "add", "--json", writeServers());
  for (const wanted of RUNS) {
    const id = wanted.example ?? wanted.fixture;
    if (process.argv[2] !== undefined && process.argv[2] !== id) continue;
    // No journal holds progress, and its numbers are not written alike.
    const journal = tidy(record(wanted)).filter((entry) => entry.type !== "tool.progressed");
    const about = `Recorded: the ${wanted.example ? "example" : "flow"} ${id}${wanted.answers ? `, answered ${JSON.stringify(wanted.answers)}` : ""}.`;
    const file = join(root, "tests/fixtures/folds", `recorded-${id}.json`);
    writeFileSync(file, `${JSON.stringify({ about, journal, view: null }, null, 1)}\n`);
    process.stdout.write(`${id}: ${journal.length} entries\n`);
  }
} finally {
  rmSync(home, { recursive: true });
}
