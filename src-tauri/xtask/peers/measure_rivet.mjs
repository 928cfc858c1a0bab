// Measures Rivet's engine on flows of trivial nodes, for comparison with Plait's own benchmarks.
//
// Usage: node measure_rivet.mjs MODULES SHAPE NODES RUNS
//   MODULES  the directory whose node_modules holds @ironclad/rivet-node
//   SHAPE    chain | fan-out | join | ladder | run-to (a ladder of which only the last node is asked for)
// Prints one line of JSON. `cargo xtask bench --peers` installs Rivet and runs this.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [modules, shape, nodesText, runsText] = process.argv.slice(2);
const [wanted, runs] = [Number(nodesText), Number(runsText)];
const packageDirectory = join(modules, "node_modules", "@ironclad", "rivet-node");
const { version } = JSON.parse(readFileSync(join(packageDirectory, "package.json"), "utf8"));
const require = createRequire(pathToFileURL(join(modules, "x.js")));
const { GraphProcessor } = await import(pathToFileURL(require.resolve("@ironclad/rivet-node")).href);

const nodes = [];
const connections = [];

function node(id, type, data) {
  nodes.push({ id, type, title: id, data, visualData: { x: 0, y: 0, width: 200 } });
}

function edge(from, to, input, output = "output") {
  connections.push({ outputNodeId: from, outputId: output, inputNodeId: to, inputId: input });
}

const pass = (id, from) => {
  node(id, "text", { text: "{{input}}" });
  edge(from, id, "input");
};

node("n0", "text", { text: "x" });
let count = wanted;
let last = `n${wanted - 1}`;
if (shape === "chain") {
  for (let at = 1; at < wanted; at++) pass(`n${at}`, `n${at - 1}`);
} else if (shape === "fan-out") {
  for (let at = 1; at < wanted; at++) pass(`n${at}`, "n0");
} else if (shape === "join") {
  const middle = Array.from({ length: wanted - 2 }, (_, at) => `n${at + 1}`);
  for (const id of middle) pass(id, "n0");
  node(last, "text", { text: middle.map((id) => `{{${id}}}`).join("") });
  for (const id of middle) edge(id, last, id);
} else if (shape === "ladder" || shape === "run-to") {
  const diamonds = Math.floor((wanted - 1) / 3);
  count = 3 * diamonds + 1;
  last = `n${count - 1}`;
  for (let top = 0; top < count - 1; top += 3) {
    pass(`n${top + 1}`, `n${top}`);
    pass(`n${top + 2}`, `n${top}`);
    node(`n${top + 3}`, "coalesce", {});
    edge(`n${top + 1}`, `n${top + 3}`, "input1");
    edge(`n${top + 2}`, `n${top + 3}`, "input2");
  }
} else {
  console.error(`there is no shape ${shape}`);
  process.exit(2);
}
node("out", "graphOutput", { id: "result", dataType: "string" });
edge(last, "out", "value");

const project = {
  metadata: { id: "p", title: "p", description: "", mainGraphId: "g" },
  graphs: { g: { metadata: { id: "g", name: "g", description: "" }, nodes, connections } },
  plugins: [],
};

function report(measured) {
  console.log(
    JSON.stringify({ peer: `rivet-node ${version}`, shape, journal: "none", nodes: count, ...measured }),
  );
}

// It walks the graph by recursion, and a stack that overflows there is nobody's promise to reject.
process.on("uncaughtException", (error) => {
  report({ complete: false, failure: error.message });
  process.exit(0);
});

const times = [];
let complete = true;
for (let run = 0; run <= runs; run++) {
  const processor = new GraphProcessor(project, "g", undefined, false);
  if (shape === "run-to") processor.runToNodeIds = [last];
  let finished = 0;
  processor.on("nodeFinish", () => {
    finished += 1;
  });
  const start = process.hrtime.bigint();
  await processor.processGraph({ settings: {}, externalFunctions: {} }, {}, {});
  times.push(Number(process.hrtime.bigint() - start));
  // It can report success without having run all nodes.
  complete &&= finished >= count;
}
// The first run warms up.
const measured = times.slice(1).sort((a, b) => a - b);
report({ nanoseconds: measured[Math.floor(measured.length / 2)], complete });
