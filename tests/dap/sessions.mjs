// Debug sessions of `plait dap` with the stock client of the protocol.
//
//   node sessions.mjs PLAIT FOLDER SESSION…
//
// Each session is a function below; FOLDER has its flows. A line of standard output for each: its name, and what it wants checked.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { DebugClient } from "@vscode/debugadapter-testsupport";

const [plait, folder, ...wanted] = process.argv.slice(2);
/** Long enough for a busy machine: nothing waits for it to pass. */
const TIMEOUT_MS = 30_000;

const file = (name) => join(folder, name);
const lineOf = (name, text) => readFileSync(file(name), "utf8").split("\n").findIndex((line) => line.includes(text)) + 1;
/** The line at which a node of a flow is written. */
const node = (name, id) => lineOf(name, `"${id}": {`);

class Session {
  constructor() {
    this.dc = new DebugClient(plait, "dap", "plait", { env: process.env }, true);
    this.dc.defaultTimeout = TIMEOUT_MS;
    this.output = "";
    this.stops = [];
    this.waiting = [];
    this.dc.on("output", ({ body }) => {
      this.output += body.output;
    });
    this.dc.on("stopped", ({ body }) => {
      const waiting = this.waiting.shift();
      if (waiting) waiting(body);
      else this.stops.push(body);
    });
    this.ended = new Promise((resolve) => this.dc.once("terminated", () => resolve("terminated")));
  }

  get run() {
    return /^Run (\S+)/m.exec(this.output)?.[1];
  }

  /** The next stop. Fails if the run ends in place of it. */
  async stop() {
    const stop = this.stops.shift() ?? (await Promise.race([new Promise((resolve) => this.waiting.push(resolve)), this.ended]));
    assert.notEqual(stop, "terminated", `the run ended in place of a stop:\n${this.output}`);
    const frames = stop.threadId === 1 ? [] : (await this.dc.stackTraceRequest({ threadId: stop.threadId })).body.stackFrames;
    return { ...stop, frames, frame: frames[0], line: frames[0]?.line, place: frames[0]?.name };
  }

  async configure(request, args, { lines = {}, functions = [], filters = [], filterOptions = [] } = {}) {
    await this.dc.start();
    await this.dc.initializeRequest();
    const initialized = this.dc.waitForEvent("initialized");
    const answered = this.dc.send(request, args);
    answered.catch(() => {});
    await Promise.race([initialized, answered]);
    const set = {};
    for (const [name, breakpoints] of Object.entries(lines)) {
      set[name] = (await this.dc.setBreakpointsRequest({ source: { path: file(name) }, breakpoints })).body.breakpoints;
    }
    set.functions = (await this.dc.setFunctionBreakpointsRequest({ breakpoints: functions.map((name) => ({ name })) })).body.breakpoints;
    set.filters = (await this.dc.setExceptionBreakpointsRequest({ filters, filterOptions })).body.breakpoints;
    await this.dc.configurationDoneRequest();
    await answered;
    return set;
  }

  launch(name, options = {}, args = {}) {
    return this.configure("launch", { program: file(name), ...args }, options);
  }

  attach(run, options = {}) {
    return this.configure("attach", { run }, options);
  }

  /** The variables of a scope of a frame, by name. */
  async scope(frame, name) {
    const { scopes } = (await this.dc.scopesRequest({ frameId: frame.id })).body;
    const { variablesReference } = scopes.find((scope) => scope.name === name);
    return { reference: variablesReference, ...(await this.members(variablesReference)) };
  }

  async members(variablesReference) {
    const { variables } = (await this.dc.variablesRequest({ variablesReference })).body;
    return { of: variablesReference, values: Object.fromEntries(variables.map((variable) => [variable.name, variable])) };
  }

  set(variablesReference, name, value) {
    return this.dc.setVariableRequest({ variablesReference, name, value });
  }

  async evaluate(expression, frame, context = "watch") {
    return (await this.dc.evaluateRequest({ expression, frameId: frame?.id, context })).body;
  }

  go(request, { threadId } = { threadId: 1 }) {
    return this.dc.send(request, { threadId });
  }

  /** Continues to the end. */
  async finish(stop) {
    await this.go("continue", stop);
    await this.ended;
    assert.equal(this.stops.length, 0, "it stops no more");
  }

  async refused(request, code) {
    await assert.rejects(request, (error) => {
      assert.match(error.message, new RegExp(code.replace(".", "\\.")), error.message);
      return true;
    });
  }

  /** Ends the session, once. */
  async end(args) {
    if (this.isOver) return;
    this.isOver = true;
    await this.dc.disconnectRequest(args);
    this.dc.stopAdapter();
  }

  kill() {
    this.isOver = true;
    this.dc._adapterProcess.kill("SIGKILL");
  }
}

const sessions = {
  async break_at_a_line_of_a_node(s) {
    const inside = node("chain.flow.json", "shout") + 2;
    const { "chain.flow.json": [set] } = await s.launch("chain.flow.json", { lines: { "chain.flow.json": [{ line: inside }] } });
    assert.deepEqual([set.verified, set.line], [true, node("chain.flow.json", "shout")]);
    const stop = await s.stop();
    assert.deepEqual([stop.reason, stop.line, stop.hitBreakpointIds], ["breakpoint", set.line, [set.id]]);
    assert.equal(stop.frame.source.path, file("chain.flow.json"));
    await s.finish(stop);
    assert.match(s.output, /out\.value: hello you!/);
  },

  async stock_client_hits_a_breakpoint(s) {
    await s.dc.start();
    const at = { path: file("chain.flow.json"), line: node("chain.flow.json", "shout") };
    await s.dc.hitBreakpoint({ program: at.path }, at);
  },

  async break_outside_of_nodes_is_not_verified(s) {
    const lines = [{ line: 1 }, { line: 100_000 }, { line: -7 }, { line: 0 }];
    const set = await s.launch("chain.flow.json", { lines: { "chain.flow.json": lines, "parts.flow.json": [{ line: 5 }] } });
    assert.deepEqual(set["chain.flow.json"].map(({ verified }) => verified), [false, false, false, false]);
    assert.match(set["chain.flow.json"][0].message, /No node is written/);
    assert.match(set["parts.flow.json"][0].message, /does not run this file/);
    await s.ended;
  },

  async condition_chooses_an_item(s) {
    const line = node("items.flow.json", "each");
    await s.launch("items.flow.json", { lines: { "items.flow.json": [{ line, condition: "inputs.value == 'b'" }] } });
    const stop = await s.stop();
    assert.equal((await s.scope(stop.frame, "Inputs")).values.value.value, '"b"');
    assert.deepEqual(stop.frames.map(({ name }) => name), ["each#1", "loop iteration 2"]);
    assert.equal(stop.frames[1].line, node("items.flow.json", "loop"));
    await s.finish(stop);
  },

  async condition_that_can_not_be_read_is_not_verified(s) {
    const at = (condition) => ({ line: node("chain.flow.json", "shout"), condition });
    const set = await s.launch("chain.flow.json", { lines: { "chain.flow.json": [at("value ==")] }, functions: ["nosuch", ""] });
    const messages = [...set["chain.flow.json"], ...set.functions].map(({ verified, message }) => [verified, message]);
    assert.match(messages[0][1], /debug\.bad_breakpoint/);
    assert.match(messages[1][1], /debug\.unknown_node/);
    assert.match(messages[2][1], /name of a node/);
    assert.deepEqual(messages.map(([verified]) => verified), [false, false, false]);
    await s.ended;
  },

  async hit_count_passes_over_the_first_items(s) {
    const line = node("items.flow.json", "each");
    await s.launch("items.flow.json", { lines: { "items.flow.json": [{ line, hitCondition: "3" }] } });
    const stop = await s.stop();
    assert.equal((await s.scope(stop.frame, "Inputs")).values.value.value, '"c"');
    await s.finish(stop);
  },

  async log_point_notes_and_does_not_stop(s) {
    const line = node("items.flow.json", "each");
    const places = [];
    s.dc.on("output", ({ body }) => body.output.startsWith("item ") && places.push([body.output, body.line]));
    await s.launch("items.flow.json", { lines: { "items.flow.json": [{ line, logMessage: "item {inputs.value}" }] } });
    await s.ended;
    assert.deepEqual(places, ["a", "b", "c"].map((item) => [`item ${item}\n`, line]));
  },

  async edit_of_an_input_reaches_the_model(s) {
    await s.launch("chat.flow.json", { lines: { "chat.flow.json": [{ line: node("chat.flow.json", "ask") }] } });
    const stop = await s.stop();
    const inputs = await s.scope(stop.frame, "Inputs");
    assert.equal(inputs.values.message.value, '"What is one?"');
    const set = await s.set(inputs.of, "message", "What is two?");
    assert.equal(set.body.value, '"What is two?"');
    await s.refused(s.set(inputs.of, "nosuch", "1"), "dap.unknown_id");
    await s.finish(stop);
    assert.match(s.output, /You said: What is two\?/);
    return { run: s.run };
  },

  async edit_of_an_output_is_delivered(s) {
    const line = node("chain.flow.json", "greet");
    await s.launch("chain.flow.json", { lines: { "chain.flow.json": [{ line, mode: "after" }] } });
    const stop = await s.stop();
    const outputs = await s.scope(stop.frame, "Outputs");
    assert.equal(outputs.values.text.value, '"hello you"');
    await s.set(outputs.of, "text", '"bye"');
    const inputs = await s.scope(stop.frame, "Inputs");
    await s.refused(s.set(inputs.of, Object.keys(inputs.values)[0], '"no"'), "dap.not_changeable");
    await s.finish(stop);
    assert.match(s.output, /out\.value: bye!/);
  },

  async edit_of_one_member_keeps_the_others(s) {
    const line = node("members.flow.json", "show");
    await s.launch("members.flow.json", { lines: { "members.flow.json": [{ line }] } });
    const stop = await s.stop();
    const value = (await s.scope(stop.frame, "Inputs")).values.value;
    assert.equal(value.namedVariables, 2);
    const list = (await s.members(value.variablesReference)).values.list;
    const page = await s.dc.variablesRequest({ variablesReference: list.variablesReference, filter: "indexed", start: 1, count: 1 });
    assert.deepEqual(page.body.variables.map(({ name, value, evaluateName }) => [name, value, evaluateName]), [
      ["1", "2", "inputs.value.list[1]"],
    ]);
    await s.set(list.variablesReference, "1", '{"new": [true]}');
    await s.refused(s.set(list.variablesReference, "2", "{ no json"), "dap.arguments");
    assert.equal((await s.evaluate("inputs.value.list[1].new[0]", stop.frame)).result, "true");
    await s.finish(stop);
    assert.match(s.output, /out\.value: \{"list":\[1,\{"new":\[true\]\},3\],"name":"x"\}/);
  },

  async edit_of_the_history_reaches_the_model(s) {
    const line = node("twice.flow.json", "second");
    await s.launch("twice.flow.json", { lines: { "twice.flow.json": [{ line }] } });
    const stop = await s.stop();
    const main = (await s.scope(stop.frame, "Context")).values.main;
    const messages = (await s.members((await s.members(main.variablesReference)).values.messages.variablesReference)).values;
    const reply = await s.members(messages[1].variablesReference);
    assert.deepEqual([reply.values.role.value, reply.values.text.value], ['"assistant"', '"You said: One"']);
    await s.refused(s.set(reply.of, "role", '"user"'), "dap.not_changeable");
    await s.set(reply.of, "text", "I never said that.");
    await s.finish(stop);
  },

  async step_back_shows_the_past_and_changes_nothing(s) {
    const line = node("chain.flow.json", "shout");
    await s.launch("chain.flow.json", { lines: { "chain.flow.json": [{ line }] } });
    const present = await s.stop();
    await s.go("stepBack", present);
    const past = await s.stop();
    assert.deepEqual([past.reason, past.line], ["step", node("chain.flow.json", "greet")]);
    assert.match(past.description, /In the past/);
    assert.deepEqual((await s.scope(past.frame, "Outputs")).values, {}, "it had given nothing then");
    assert.equal((await s.evaluate("nodes.who.value", past.frame)).result, '"you"');
    const inputs = await s.scope(past.frame, "Inputs");
    assert.deepEqual(Object.keys(inputs.values), ["who"]);
    await s.refused(s.set(inputs.of, "who", '"me"'), "dap.past");
    await s.refused(s.dc.restartFrameRequest({ frameId: past.frame.id }), "dap.past");
    await s.go("stepBack", past);
    assert.equal((await s.stop()).line, node("chain.flow.json", "who"));
    await s.refused(s.go("stepBack", past), "dap.beginning");
    await s.go("next", past);
    assert.equal((await s.stop()).line, node("chain.flow.json", "greet"));
    await s.go("next", past);
    const back = await s.stop();
    assert.deepEqual([back.line, back.reason], [line, "breakpoint"], "the present again");
    await s.finish(back);
    return { run: s.run };
  },

  async reverse_continue_goes_to_stops_and_to_the_beginning(s) {
    const at = (id) => ({ line: node("chain.flow.json", id) });
    await s.launch("chain.flow.json", { lines: { "chain.flow.json": [at("greet"), at("out")] } });
    await s.go("continue", await s.stop());
    const present = await s.stop();
    assert.equal(present.line, node("chain.flow.json", "out"));
    // One that was set later counts as well.
    await s.dc.setBreakpointsRequest({ source: { path: file("chain.flow.json") }, breakpoints: [at("greet"), at("shout"), at("out")] });
    await s.go("reverseContinue", present);
    assert.equal((await s.stop()).line, node("chain.flow.json", "shout"));
    await s.go("reverseContinue", present);
    const first = await s.stop();
    assert.deepEqual([first.line, first.reason], [node("chain.flow.json", "greet"), "breakpoint"]);
    await s.go("reverseContinue", present);
    const beginning = await s.stop();
    assert.deepEqual([beginning.line, beginning.reason], [node("chain.flow.json", "who"), "entry"]);
    await s.refused(s.go("reverseContinue", present), "dap.beginning");
    for (const id of ["greet", "shout", "out"]) {
      await s.go("continue", present);
      assert.equal((await s.stop()).line, node("chain.flow.json", id));
    }
    await s.finish(present);
  },

  async next_goes_from_node_to_node(s) {
    await s.launch("chain.flow.json", {}, { stopOnEntry: true });
    let stop = await s.stop();
    assert.equal(stop.reason, "entry");
    const places = [stop.place];
    for (let step = 0; step < 3; step++) {
      await s.go("next", stop);
      stop = await s.stop();
      assert.equal(stop.reason, "step");
      places.push(stop.place);
    }
    assert.deepEqual(places, ["who", "greet", "shout", "out"]);
    await s.finish(stop);
  },

  async step_into_a_sub_flow_and_out(s) {
    await s.launch("parts.flow.json", { lines: { "parts.flow.json": [{ line: node("parts.flow.json", "part") }] } });
    let stop = await s.stop();
    await s.go("stepIn", stop);
    stop = await s.stop();
    const frames = stop.frames.map(({ name, line, source }) => [name, line, source.path]);
    const who = node("chain.flow.json", "who");
    assert.deepEqual(frames, [
      ["who", who, file("chain.flow.json")],
      ["part", node("parts.flow.json", "part"), file("parts.flow.json")],
    ]);
    const threads = (await s.dc.threadsRequest()).body.threads.map(({ name }) => name);
    assert.deepEqual(threads, ["part › who"]);
    await s.go("next", stop);
    stop = await s.stop();
    await s.go("stepBack", stop);
    stop = await s.stop();
    assert.equal(stop.place, "who");
    await s.go("stepBack", stop);
    stop = await s.stop();
    assert.deepEqual([stop.place, stop.frame.source.path], ["part", file("parts.flow.json")]);
    await s.go("stepIn", stop);
    assert.equal((await s.stop()).place, "who", "forward again, into the sub-flow");
    await s.go("continue", stop);
    stop = await s.stop();
    assert.equal(stop.place, "greet", "the present");
    await s.go("stepOut", stop);
    stop = await s.stop();
    assert.equal(stop.frames.length, 1);
    await s.finish(stop);
  },

  async breakpoint_in_a_file_of_a_sub_flow(s) {
    const line = node("chain.flow.json", "shout");
    const set = await s.launch("parts.flow.json", { lines: { "chain.flow.json": [{ line: line + 1 }] } });
    assert.deepEqual([set["chain.flow.json"][0].verified, set["chain.flow.json"][0].line], [true, line]);
    const stop = await s.stop();
    assert.deepEqual([stop.line, stop.frames.length], [line, 2]);
    await s.finish(stop);
  },

  async continue_after_a_kill(s) {
    const line = node("twice.flow.json", "second");
    await s.launch("twice.flow.json", { lines: { "twice.flow.json": [{ line }] } });
    await s.stop();
    const run = s.run;
    s.kill();
    const again = new Session();
    const news = [];
    again.dc.on("breakpoint", ({ body }) => news.push(body));
    await again.attach(run);
    assert.deepEqual(news.map(({ reason, breakpoint }) => [reason, breakpoint.line]), [["new", line]], "it is still there");
    const stop = await again.stop();
    assert.deepEqual([stop.reason, stop.line], ["breakpoint", line]);
    const inputs = await again.scope(stop.frame, "Inputs");
    assert.ok("message" in inputs.values, Object.keys(inputs.values).join());
    await again.set(inputs.of, "message", "After the kill");
    await again.finish(stop);
    assert.match(again.output, /You said: After the kill/);
    await again.end();
    return { run };
  },

  async filter_for_failures_stops_after_the_node(s) {
    await s.launch("failing.flow.json", { filters: ["failed"] });
    const stop = await s.stop();
    assert.deepEqual([stop.reason, stop.place], ["exception", "parse"]);
    assert.match(stop.text, /json\.query/);
    const info = (await s.dc.exceptionInfoRequest({ threadId: stop.threadId })).body;
    assert.equal(info.exceptionId, "json.query");
    assert.equal((await s.evaluate("error.code", stop.frame)).result, '"json.query"');
    await s.go("continue", stop);
    await s.ended;
    assert.match(s.output, /The run failed at `parse`/);
  },

  async filter_with_a_condition_passes_over_other_failures(s) {
    const filterOptions = [{ filterId: "failed", condition: "error.code == 'nosuch.code'" }, { filterId: "spent", condition: "a lot" }];
    const set = await s.launch("failing.flow.json", { filterOptions });
    assert.deepEqual(set.filters.map(({ verified }) => verified), [true, false]);
    await s.ended;
  },

  async restart_of_a_frame_runs_the_node_again(s) {
    const line = node("chat.flow.json", "ask");
    await s.launch("chat.flow.json", { lines: { "chat.flow.json": [{ line, mode: "after" }, { line }] } });
    let stop = await s.stop();
    assert.equal(stop.frame.canRestart, false, "it has not run");
    await s.refused(s.dc.restartFrameRequest({ frameId: stop.frame.id }), "dap.not_stopped");
    await s.dc.setBreakpointsRequest({ source: { path: file("chat.flow.json") }, breakpoints: [{ line, mode: "after" }] });
    await s.go("continue", stop);
    stop = await s.stop();
    assert.equal(stop.frame.canRestart, true);
    await s.dc.restartFrameRequest({ frameId: stop.frame.id });
    stop = await s.stop();
    assert.match(stop.description, /After ask/);
    await s.refused(s.dc.restartFrameRequest({ frameId: 999 }), "dap.unknown_id");
    await s.finish(stop);
  },

  async data_breakpoints_on_values_and_contexts(s) {
    await s.launch("twice.flow.json", { lines: { "twice.flow.json": [{ line: node("twice.flow.json", "first") }] } });
    let stop = await s.stop();
    const info = async (scope, name) => {
      const { of } = await s.scope(stop.frame, scope);
      return (await s.dc.dataBreakpointInfoRequest({ variablesReference: of, name })).body;
    };
    assert.match((await info("Inputs", "message")).dataId, /first\.message:before/);
    assert.equal((await info("Prompt", "call 1")).dataId, null);
    const context = await info("Context", "main");
    assert.deepEqual([context.dataId, context.description], ["event:changed=main", "the context main changes"]);
    const { breakpoints } = (await s.dc.setDataBreakpointsRequest({ breakpoints: [{ dataId: context.dataId }, { dataId: "%" }] })).body;
    assert.deepEqual(breakpoints.map(({ verified }) => verified), [true, false]);
    await s.go("continue", stop);
    stop = await s.stop();
    assert.deepEqual([stop.reason, stop.place], ["data breakpoint", "first"]);
    const prompt = (await s.scope(stop.frame, "Prompt")).values["call 1"];
    assert.match((await s.members(prompt.variablesReference)).values.model.value, /openai/);
    await s.dc.setDataBreakpointsRequest({ breakpoints: [] });
    await s.finish(stop);
  },

  async function_breakpoint_before_a_call(s) {
    const { functions } = await s.launch("chat.flow.json", { functions: ["ask:call"] });
    const stop = await s.stop();
    assert.deepEqual([stop.reason, stop.hitBreakpointIds], ["function breakpoint", [functions[0].id]]);
    assert.match(stop.frames[0].name, /^before /);
    assert.equal(stop.frames[1].name, "ask");
    await s.finish(stop);
  },

  async expressions_are_evaluated_where_the_run_stands(s) {
    await s.launch("chain.flow.json", { lines: { "chain.flow.json": [{ line: node("chain.flow.json", "shout") }] } });
    const stop = await s.stop();
    assert.deepEqual(await s.evaluate("[value.size(), attempt]", stop.frame), { result: "[9,1]", type: "list", variablesReference: 1, indexedVariables: 2, namedVariables: null });
    assert.equal((await s.evaluate("nodes.greet.text", undefined, "hover")).result, '"hello you"');
    await s.refused(s.evaluate("1 +", stop.frame), "switch.condition");
    await s.refused(s.evaluate("x", { id: 4_000 }), "dap.unknown_id");
    assert.match((await s.evaluate("help", stop.frame, "repl")).result, /answer TEXT/);
    await s.refused(s.evaluate("force left", stop.frame, "repl"), "debug.no_way");
    await s.evaluate("skip", stop.frame, "repl");
    await s.ended;
  },

  async question_is_answered_in_the_console(s) {
    const asked = new Promise((resolve) => s.dc.on("output", ({ body }) => body.output.includes("asks:") && resolve(body)));
    await s.launch("asking.flow.json");
    assert.match((await asked).output, /person asks: What do you want to know\?[^]*Type here: answer TEXT/);
    await s.refused(s.evaluate("answer nosuch=1", undefined, "repl"), "answer.unknown_node");
    assert.equal((await s.evaluate("answer person=Why?", undefined, "repl")).result, "Answered person.");
    await s.ended;
    assert.match(s.output, /You said: Why\?/);
  },

  async questions_are_answered_by_settings_and_request(s) {
    await s.launch("asking.flow.json", { lines: { "asking.flow.json": [{ line: node("asking.flow.json", "chat") }] } }, { answers: ["person=First"] });
    const stop = await s.stop();
    assert.equal((await s.scope(stop.frame, "Inputs")).values.message.value, '"First"');
    await s.refused(s.dc.customRequest("plait/answer", { answer: "Second" }), "dap.no_question");
    await s.finish(stop);
    const other = new Session();
    const asked = new Promise((resolve) => other.dc.on("output", ({ body }) => body.output.includes("asks:") && resolve()));
    await other.launch("asking.flow.json");
    await asked;
    assert.deepEqual((await other.dc.customRequest("plait/answer", { answer: "Third" })).body, { node: "person" });
    await other.ended;
    assert.match(other.output, /You said: Third/);
    await other.end();
  },

  async pause_stops_a_run_that_waits(s) {
    const asked = new Promise((resolve) => s.dc.on("output", ({ body }) => body.output.includes("asks:") && resolve()));
    await s.launch("asking.flow.json");
    await asked;
    await s.refused(s.dc.stackTraceRequest({ threadId: 1 }), "dap.not_stopped");
    const { threads } = (await s.dc.threadsRequest()).body;
    assert.deepEqual(threads.map(({ name }) => name), ["person"]);
    await s.dc.pauseRequest({ threadId: threads[0].id });
    const stop = await s.stop();
    assert.equal(stop.reason, "pause");
    await s.go("continue", stop);
    await s.dc.terminateRequest();
    await s.ended;
  },

  async branches_are_threads(s) {
    await s.launch("branches.flow.json", { functions: ["left", "right"] });
    const stop = await s.stop();
    const { threads } = (await s.dc.threadsRequest()).body;
    assert.deepEqual(threads.map(({ name }) => name).toSorted(), ["left", "right"]);
    const other = threads.find(({ id }) => id !== stop.threadId);
    const frames = (await s.dc.stackTraceRequest({ threadId: other.id, startFrame: 0, levels: 5 })).body;
    assert.deepEqual([frames.totalFrames, frames.stackFrames[0].name], [1, other.name]);
    await s.refused(s.go("next", { threadId: other.id }), "dap.not_stopped");
    await s.go("continue", stop);
    const second = await s.stop();
    assert.equal(second.place, other.name);
    assert.equal(second.threadId, other.id, "a thread keeps its number");
    await s.finish(second);
  },

  async branches_stand_still_at_once_and_go_on_one_by_one(s) {
    await s.launch("branches.flow.json", { functions: ["left:branch", "right:branch"] });
    const stops = [await s.stop(), await s.stop()].toSorted((a, b) => a.place.localeCompare(b.place));
    const [left, right] = stops;
    assert.deepEqual([left.place, right.place], ["left", "right"]);
    assert.notEqual(left.threadId, right.threadId);
    assert.deepEqual(stops.map(({ allThreadsStopped }) => allThreadsStopped), [false, false]);
    const { threads } = (await s.dc.threadsRequest()).body;
    assert.deepEqual(threads.map(({ id }) => id).toSorted(), [left.threadId, right.threadId].toSorted());
    // Each is looked at and changed by its own frame, whichever came last.
    for (const [stop, text] of [[left, "one"], [right, "two"]]) {
      await s.set((await s.scope(stop.frame, "Inputs")).of, "value", JSON.stringify(text));
      assert.equal((await s.evaluate("inputs.value", stop.frame)).result, JSON.stringify(text));
    }
    const { body } = await s.go("continue", left);
    assert.equal(body.allThreadsContinued, false, "the other one stays");
    const frames = (await s.dc.stackTraceRequest({ threadId: right.threadId, startFrame: 0, levels: 1 })).body;
    assert.equal(frames.stackFrames[0].name, "right");
    await s.refused(s.go("next", left), "dap.not_stopped");
    // Another session finds what still stands.
    const other = new Session();
    await other.attach(s.run);
    assert.equal((await other.stop()).place, "right");
    await other.end({ terminateDebuggee: false });
    // The whole run is paused beside it, and goes on without it.
    const paused = s.stop();
    await s.dc.pauseRequest({ threadId: right.threadId });
    const whole = await paused;
    assert.deepEqual([whole.allThreadsStopped, whole.reason], [true, "pause"]);
    await s.refused(s.go("continue", { threadId: 999 }), "dap.unknown_id");
    const again = s.stop();
    assert.equal((await s.go("continue")).body.allThreadsContinued, true);
    const still = await again;
    assert.deepEqual([still.place, still.threadId, still.allThreadsStopped], ["right", right.threadId, false]);
    assert.equal((await s.go("continue", still)).body.allThreadsContinued, true);
    await s.ended;
    assert.match(s.output, /out\.value: lone/);
    assert.match(s.output, /other\.value: rtwo/);
  },

  async somebody_else_lets_one_of_two_branches_go_on(s) {
    await s.launch("branches.flow.json", { functions: ["left:branch", "right:branch"] });
    const byPlace = (a, b) => a.place.localeCompare(b.place);
    const [left, right] = [await s.stop(), await s.stop()].toSorted(byPlace);
    const other = new Session();
    await other.attach(s.run);
    const seen = [await other.stop(), await other.stop()].toSorted(byPlace);
    for (const [own, its, all] of [
      [left, seen[0], false],
      [right, seen[1], true],
    ]) {
      const continued = s.dc.waitForEvent("continued");
      await other.go("continue", its);
      assert.deepEqual((await continued).body, { threadId: own.threadId, allThreadsContinued: all });
    }
    await s.ended;
    await other.end({ terminateDebuggee: false });
  },

  async steps_of_a_pipeline_are_lines(s) {
    const line = lineOf("steps.yaml", "prompt: Write");
    const set = await s.launch("steps.yaml", { lines: { "steps.yaml": [{ line, hitCondition: "== 2" }] } });
    assert.deepEqual([set["steps.yaml"][0].verified, set["steps.yaml"][0].line], [true, lineOf("steps.yaml", "- kind: step")]);
    const stop = await s.stop();
    assert.equal(stop.line, lineOf("steps.yaml", "- kind: step"));
    assert.deepEqual([stop.frames[1].name, stop.frames[1].line], ["again iteration 2", lineOf("steps.yaml", "- kind: loop")]);
    await s.finish(stop);
  },

  async ended_run_is_looked_at(s) {
    await s.launch("chain.flow.json");
    await s.ended;
    const past = new Session();
    await past.attach(s.run);
    const last = await past.stop();
    assert.equal(last.place, "out");
    await past.go("stepBack", last);
    const stop = await past.stop();
    assert.equal(stop.place, "shout");
    await past.refused(past.set((await past.scope(stop.frame, "Inputs")).of, "value", "1"), "dap.past");
    await past.go("continue", stop);
    assert.equal((await past.stop()).place, "out");
    await past.end();
  },

  async two_editors_look_at_one_run(s) {
    await s.launch("chain.flow.json", { lines: { "chain.flow.json": [{ line: node("chain.flow.json", "greet") }] } });
    await s.stop();
    const other = new Session();
    await other.attach(s.run);
    const stop = await other.stop();
    assert.equal(stop.place, "greet");
    const continued = s.dc.waitForEvent("continued");
    await other.go("next", stop);
    await continued;
    assert.equal((await s.stop()).place, "shout");
    assert.equal((await other.stop()).place, "shout");
    // The second one leaves: the run stays.
    await other.end();
    await s.finish({ threadId: 1 });
  },

  async run_without_debugging_stops_nowhere(s) {
    await s.launch("chain.flow.json", { lines: { "chain.flow.json": [{ line: node("chain.flow.json", "greet") }] } }, { noDebug: true, stopOnEntry: true });
    await s.ended;
    assert.equal(s.stops.length, 0);
  },

  async limit_of_the_bill_holds(s) {
    await s.launch("chat.flow.json", {}, { maxUsd: 0.000_001 });
    await s.ended;
    assert.match(s.output, /quota\.exceeded/);
    const other = new Session();
    await other.refused(other.launch("chat.flow.json", {}, { maxUsd: -1 }), "dap.arguments");
    await other.end();
  },

  async example_flow_has_a_text(s) {
    const set = await s.configure("launch", { program: "hello", stopOnEntry: true });
    assert.deepEqual(set.functions, []);
    const stop = await s.stop();
    const { sourceReference, path } = stop.frame.source;
    assert.ok(sourceReference > 0 && path === undefined);
    const { content } = (await s.dc.sourceRequest({ source: stop.frame.source, sourceReference })).body;
    assert.match(content.split("\n")[stop.line - 1], new RegExp(`"${stop.place.split(" ")[0]}"`));
    await s.refused(s.dc.sourceRequest({ sourceReference: 77 }), "dap.unknown_id");
    // It is canceled with the session.
    await s.end();
    return { run: s.run };
  },

  async disconnect_can_leave_the_run(s) {
    await s.launch("chain.flow.json", { lines: { "chain.flow.json": [{ line: node("chain.flow.json", "shout") }] } });
    await s.stop();
    await s.end({ terminateDebuggee: false });
    return { run: s.run };
  },

  async wrong_requests_are_refused_and_the_session_goes_on(s) {
    await s.dc.start();
    await s.refused(s.dc.threadsRequest(), "dap.order");
    await s.refused(s.dc.initializeRequest({ linesStartAt1: "x" }), "dap.arguments");
    await s.dc.initializeRequest();
    await s.refused(s.dc.initializeRequest(), "dap.order");
    for (const request of ["threads", "configurationDone", "continue", "stepBack", "pause", "terminate"]) {
      await s.refused(s.dc.send(request, { threadId: 1 }), "dap.order");
    }
    await s.refused(s.dc.send("disassemble", {}), "dap.unknown_request");
    await s.refused(s.dc.send("launch", {}), "dap.arguments");
    await s.refused(s.dc.send("launch", { program: file("nosuch.flow.json") }), "flow.not_found");
    await s.refused(s.dc.send("launch", { program: file("broken.flow.json") }), "flow.");
    await s.refused(s.dc.send("attach", { run: 7 }), "dap.arguments");
    // What is no message is passed over.
    s.dc._adapterProcess.stdin.write("Content-Length: 3\r\n\r\n{\"a");
    await s.refused(s.dc.send("variables", { variablesReference: "x" }), "dap.arguments");
    const stop = (await s.launchAgain("chain.flow.json"), await s.stop());
    for (const [request, args, code] of [
      ["stackTrace", { threadId: -9 }, "dap.unknown_id"],
      ["scopes", { frameId: 9_007_199_254_740_991 }, "dap.unknown_id"],
      ["variables", { variablesReference: 0 }, "dap.unknown_id"],
      ["launch", { program: file("chain.flow.json") }, "dap.order"],
      ["configurationDone", {}, "dap.order"],
      ["exceptionInfo", { threadId: stop.threadId }, "dap.not_stopped"],
    ]) {
      await s.refused(s.dc.send(request, args), code);
    }
    await s.finish(stop);
  },

  async editor_connects_to_a_port(s) {
    const server = spawn(plait, ["dap", "--port", "0"], { env: process.env });
    const port = await new Promise((resolve) => {
      server.stderr.on("data", (text) => resolve(Number(/127\.0\.0\.1:(\d+)/.exec(text)?.[1])));
    });
    const ended = new Promise((resolve) => server.on("exit", resolve));
    s.dc.start = () => DebugClient.prototype.start.call(s.dc, port);
    await s.launch("chain.flow.json", { functions: ["out"] });
    const stop = await s.stop();
    await s.finish(stop);
    await s.end();
    assert.equal(await ended, 0, "it ends with its editor");
  },
};

/** As `launch`, of a session that has begun. */
Session.prototype.launchAgain = async function (name) {
  const initialized = this.dc.waitForEvent("initialized");
  const answered = this.dc.send("launch", { program: file(name), stopOnEntry: true });
  await initialized;
  await this.dc.configurationDoneRequest();
  await answered;
};

/** Fails where a session is not over in time: nothing else would say where it is. */
async function inTime(work) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not over after ${TIMEOUT_MS} ms`)), TIMEOUT_MS);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

let failed = false;
for (const name of wanted.length > 0 ? wanted : Object.keys(sessions)) {
  const session = new Session();
  try {
    const result = await inTime(sessions[name](session));
    await inTime(session.end());
    process.stdout.write(`${JSON.stringify({ session: name, ...result })}\n`);
  } catch (error) {
    failed = true;
    process.stderr.write(`${name}: ${error.stack}\n${session.output}\n`);
    session.dc.stopAdapter();
  }
}
process.exit(failed ? 1 : 0);
