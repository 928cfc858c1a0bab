/**
 * A simplified forecast for the mock host: chats in loops whose history grows by their message and a reply of a fixed size. The engine
 * runs the flow dry instead.
 */
import type { Flow, FlowForecast, Node, NodeForecast, NodeId } from "@/bindings";

const WINDOW = 8192;
const MESSAGE_TOKENS = 40;
const ASSUMED_REPLY_TOKENS = 300;
const MAX_POINTS = 64;

export function forecastFlow(flow: Flow): FlowForecast {
  const chats = Object.entries(flow.nodes).filter(([, node]) => node.type === "chat");
  return {
    nodes: chats.map(([id, node]) => forecastChat(flow, id, node)),
    cost: { atMostNanoUsd: 0, unknown: [] },
  };
}

function forecastChat(flow: Flow, id: NodeId, node: Node): NodeForecast {
  const config = (node.config ?? {}) as { maxTokens?: number; contextWindow?: number };
  const window = config.contextWindow ?? (flow.settings?.contextWindow as number | undefined) ?? WINDOW;
  const reply = config.maxTokens ?? ASSUMED_REPLY_TOKENS;
  const reserve = (config.maxTokens ?? Math.floor(window / 4)) + Math.floor(window / 64);
  const iterations = iterationsOf(flow, node);
  const growth = iterations === undefined ? 0 : MESSAGE_TOKENS + reply;
  const tokensIn = (iteration: number) => MESSAGE_TOKENS + iteration * growth;
  const percentIn = (iteration: number) => Math.round((100 * (tokensIn(iteration) + reserve)) / window);
  const fitting = growth === 0 ? 1 : Math.floor((window - reserve - MESSAGE_TOKENS) / growth) + 1;
  const count = iterations ?? 1;
  const points = Array.from({ length: Math.min(count, MAX_POINTS) }, (_, iteration) => ({
    epoch: iterations === undefined ? [] : [iteration],
    tokens: Math.min(tokensIn(iteration), window - reserve),
    shares: [],
  }));
  const fits = iterations === undefined ? {} : { iteration: String(count) };
  const before = { iteration: String(fitting), percent: percentIn(fitting - 1) };
  return {
    node: id,
    provider: "offline",
    model: "echo",
    window,
    reserve,
    outlook:
      count > fitting
        ? { kind: "overflows", iteration: String(fitting + 1), fails: false, before }
        : { kind: "fits", percent: percentIn(count - 1), ...fits },
    growth,
    points,
    reply: { tokens: reply, source: config.maxTokens ? "maxTokens" : "assumed" },
    executions: { atMost: count, isExact: true },
    ...(iterations !== undefined && { iterationLimit: iterations }),
    nanoUsdPerCall: 0,
    atMostNanoUsd: 0,
  };
}

/** The iterations of the loop around a node. */
function iterationsOf(flow: Flow, node: Node): number | undefined {
  const loop = node.parent === undefined ? undefined : flow.nodes[node.parent];
  if (!loop) return undefined;
  const {
    kind,
    times = 1,
    max_iterations = 100,
  } = (loop.config ?? {}) as {
    kind?: string;
    times?: number;
    max_iterations?: number;
  };
  return kind === "times" ? Math.min(times, max_iterations) : max_iterations;
}
