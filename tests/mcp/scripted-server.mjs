// An MCP server for tests that does what its arguments say, without the SDK: also what good servers never do.
//
//   node scripted-server.mjs [MODE] [STATE_FILE]
//
// The tool `act` does what its argument `do` says. MODE changes what happens before, STATE_FILE holds what outlives the
// process.

import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";

const [mode = "good", stateFile] = process.argv.slice(2);

/** A PNG of one white pixel. */
const pixel = new URL("../fixtures/pixel.png", import.meta.url);

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const reply = (id, result) => send({ id, result });
const text = (id, value) =>
  reply(id, { content: [{ type: "text", text: typeof value === "string" ? value : JSON.stringify(value) }] });

const act = {
  name: "act",
  description: "Does what it is asked.",
  inputSchema: { type: "object", properties: { do: { type: "string" } } },
};

function tools() {
  const version = stateFile && existsSync(stateFile) ? readFileSync(stateFile, "utf8").trim() : "";
  if (mode === "changing" && version !== "") {
    const changed = { ...act, description: `Does what it is asked. ${version}` };
    return version === "new" ? [act, { ...act, name: "extra" }] : version === "none" ? [] : [changed];
  }
  if (mode === "bad-schema") {
    return [act, { ...act, name: "broken.tool", inputSchema: { type: "object", properties: 5 } }];
  }
  if (mode === "no-schema") {
    const { inputSchema, ...bare } = { ...act, name: "bare" };
    return [bare, act, { name: "odd", description: 5, inputSchema }, { ...act, name: "look" }];
  }
  if (mode === "many") return Array.from({ length: 2000 }, (_, index) => ({ ...act, name: `tool_${index}` }));
  return [act, { ...act, name: "look", annotations: { readOnlyHint: true } }];
}

/** Requests of this server to the client, by id. */
const open = new Map();
let nextId = 1000;
function request(method, params, then) {
  const id = nextId++;
  open.set(id, then);
  send({ id, method, params });
}

const together = [];

const actions = {
  echo: (id, params) => text(id, params),
  env: (id) => text(id, process.env),
  fail: (id) => reply(id, { content: [{ type: "text", text: "It is broken." }], isError: true }),
  refuse: (id) => send({ id, error: { code: -32602, message: "No such argument." } }),
  hang: () => {},
  die: () => {
    process.stderr.write("about to die\n");
    process.exit(3);
  },
  noise: (id) => {
    process.stdout.write("this is no message\n{ nor is this\n[1, 2\n");
    text(id, "after the noise");
  },
  endless: () => {
    const chunk = "x".repeat(1 << 20);
    const more = () => {
      while (process.stdout.write(chunk));
      process.stdout.once("drain", more);
    };
    more();
  },
  lines: () => {
    const chunk = "no message\n".repeat(10_000);
    const more = () => {
      while (process.stdout.write(chunk));
      process.stdout.once("drain", more);
    };
    more();
  },
  huge: (id) => text(id, "x".repeat(50 << 20)),
  large: (id) => text(id, "x".repeat(6 << 20)),
  stderr: (id) => {
    for (let line = 0; line < 50_000; line++) process.stderr.write(`line ${line} ${"y".repeat(100)}\n`);
    text(id, "after the flood");
  },
  progress: (id, params) => {
    for (let step = 1; step <= 3; step++) {
      const progressToken = params._meta?.progressToken;
      send({ method: "notifications/progress", params: { progressToken, progress: step, total: 3, message: `step ${step}` } });
    }
    text(id, "done");
  },
  steps: async (id, params) => {
    const steps = ["Reading the ledger", "Matching invoices", "Summing up"];
    for (const [index, message] of steps.entries()) {
      const progressToken = params._meta?.progressToken;
      send({ method: "notifications/progress", params: { progressToken, progress: index + 1, total: 4, message } });
      await new Promise((resolve) => setTimeout(resolve, params.arguments.stepMs ?? 700));
    }
    text(id, "42 invoices match.");
  },
  // Asks once two calls of it are in progress.
  "ask-together": (id, params) => {
    together.push(() => actions.ask(id, params));
    if (together.length === 2) for (const ask of together.splice(0)) ask();
  },
  // Answers once two calls of it are in progress.
  meet: (id) => {
    together.push(() => text(id, "met"));
    if (together.length === 2) for (const answer of together.splice(0)) answer();
  },
  ask: (id) =>
    request(
      "elicitation/create",
      {
        mode: "form",
        message: "What is your name?",
        requestedSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
      },
      (answer) => text(id, answer),
    ),
  sample: (id) =>
    request(
      "sampling/createMessage",
      {
        messages: [{ role: "user", content: { type: "text", text: "Say hello." } }],
        systemPrompt: "Be brief.",
        maxTokens: 20,
      },
      (answer) => text(id, answer),
    ),
  image: (id) =>
    reply(id, { content: [{ type: "text", text: "Look:" }, { type: "image", mimeType: "image/png", data: "AAAAAA==" }] }),
  picture: (id) =>
    reply(id, {
      content: [
        { type: "text", text: "Look:" },
        { type: "image", mimeType: "image/png", data: readFileSync(pixel).toString("base64") },
      ],
    }),
  structured: (id) => reply(id, { content: [{ type: "text", text: "{}" }], structuredContent: { temperature: 21 } }),
};

function handle(message) {
  const { id, method, params } = message;
  if (method === undefined) {
    const then = open.get(id);
    open.delete(id);
    return then?.(message.result ?? { error: message.error });
  }
  switch (method) {
    case "initialize":
      return reply(id, {
        protocolVersion: "2025-06-18",
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: "scripted", version: "1.0.0" },
      });
    case "tools/list":
      return reply(id, { tools: tools() });
    case "tools/call": {
      if (stateFile && mode === "counting") appendFileSync(stateFile, `${params.arguments?.do}\n`);
      const action = actions[params.arguments?.do ?? "echo"];
      return action ? action(id, params) : send({ id, error: { code: -32602, message: "Unknown action." } });
    }
    case "notifications/cancelled":
      return stateFile && writeFileSync(stateFile, "canceled");
    default:
      return id === undefined ? undefined : send({ id, error: { code: -32601, message: "Unknown method." } });
  }
}

process.stderr.write(`started as ${mode}\n`);
if (mode === "exit") process.exit(7);
if (mode === "chatty") process.stdout.write("Welcome to my server!\n");
if (mode === "leaky") process.stderr.write(`key ${process.env.API_KEY}\n`);
if (mode === "not-mcp") setInterval(() => {}, 1000);
else createInterface({ input: process.stdin }).on("line", (line) => handle(JSON.parse(line)));
