/** What flows need and what is decided, as far as a page can tell: from the URLs, servers and files that nodes name. */
import type { Flow, FlowGrants, GrantKind, GrantRule, Need, NeedStatus, NeedUse } from "@/bindings";
import { HostError } from "@/ipc/host";
import type { Commands } from "./commands";
import { PIN } from "./mcp";
import { store, stored } from "./storage";

type Kept = Record<string, GrantRule[]>;
type Config = Record<string, unknown> | undefined;

const KEPT = "grants";
const HTTP_METHOD = "GET";

export type MockGrants = {
  commands: Commands;
  /** Refuses a run that needs more than was decided. */
  check(flow: Flow, path: string | undefined, once: readonly GrantRule[]): void;
};

export function mockGrants(): MockGrants {
  const keptFor = (path?: string): GrantRule[] => (path === undefined ? [] : (stored<Kept>(KEPT, {})[path] ?? []));
  const keep = (path: string, rules: GrantRule[]) => store(KEPT, { ...stored<Kept>(KEPT, {}), [path]: rules });
  const replace = (rules: readonly GrantRule[], newer: readonly GrantRule[]) => [
    ...rules.filter((rule) => newer.every((one) => one.target !== rule.target)),
    ...newer,
  ];
  return {
    commands: {
      "grants.show": ({ flow, path }: { flow: Flow; path?: string }): FlowGrants => {
        const rules = keptFor(path);
        const needs = needsOf(flow).map((need) => statusOf(need, rules));
        const unused = rules.filter((rule) => needs.every(({ need }) => need.target !== rule.target));
        const servers = needs.filter(({ need }) => need.kind === "command").map(({ need }) => need.target.slice(8));
        const pins = servers.map((server) => ({
          server,
          pin: PIN,
          changed: false,
        }));
        return { needs, unused, pins, first: rules.length === 0, hasFile: path !== undefined };
      },
      "grants.set": ({ path, rules }: { path: string; rules: GrantRule[] }) => {
        keep(path, replace(keptFor(path), rules));
        return null;
      },
      "grants.revoke": ({ path, targets }: { path: string; targets?: string[] }) => {
        keep(path, targets ? keptFor(path).filter((rule) => !targets.includes(rule.target)) : []);
        return null;
      },
    },
    check(flow, path, once) {
      const rules = replace(keptFor(path), once);
      const needs = needsOf(flow)
        .map((need) => statusOf(need, rules))
        .filter(({ state }) => state !== "decided");
      if (needs.length === 0) return;
      throw new HostError({
        code: "grant.needed",
        message: "This flow needs what nobody has decided about yet.",
        details: { needs },
      });
    },
  };
}

function statusOf(need: Need, rules: readonly GrantRule[]): NeedStatus {
  const rule = rules.find((one) => one.target === need.target);
  if (!rule) return { need, state: "new" };
  const isSame = rule.seen === need.seen && (rule.write === true || !need.write);
  return { need, state: isSame || rule.decision === "deny" ? "decided" : "changed", rule };
}

function needsOf(flow: Flow): Need[] {
  const needs = new Map<string, Need>();
  const add = (kind: GrantKind, name: string, use: NeedUse, more: { write?: boolean; seen?: string } = {}) => {
    const target = `${kind}=${name}`;
    const need = needs.get(target) ?? { target, kind, write: false, uses: [] };
    need.write ||= more.write ?? false;
    if (more.seen !== undefined) need.seen = more.seen;
    need.uses.push(use);
    needs.set(target, need);
  };
  for (const [node, { type, title, config }] of Object.entries(flow.nodes)) {
    const use = (what: string): NeedUse => ({ node, ...(title === undefined ? {} : { title }), what });
    for (const request of requestsOf(type, config)) {
      add("host", hostOf(request.url), use(request.method), { write: request.method !== HTTP_METHOD });
    }
    if (type === "mcpServer") {
      const server = String(config?.server ?? "");
      add("command", server, use(`MCP server ${server}`), { seen: `npx -y server-${server}` });
      add("tool", `${server}/*`, use("all tools, accepted as first seen"), { write: true });
    }
    if (type === "readFile") add("folder", "/flows", use("read_file"));
    if (type === "retrieve" && config?.folder) add("folder", `/flows/${config.folder}`, use("knowledge"));
    for (const tool of namesOf(config)) {
      if (type === "tools" && tool === "fetch_url") add("host", "*", use(tool));
      if (type === "tools" && tool === "write_file") add("tool", tool, use(tool), { write: true });
    }
  }
  const order: GrantKind[] = ["command", "host", "folder", "tool"];
  return [...needs.values()].sort((left, right) => order.indexOf(left.kind) - order.indexOf(right.kind));
}

function requestsOf(type: string, config: Config): { method: string; url: string }[] {
  const declared = type === "httpRequest" ? [config] : type === "tools" ? (config?.http as Config[] | undefined) : [];
  return (declared ?? []).map((one) => ({
    method: String(one?.method ?? HTTP_METHOD),
    url: String(one?.url ?? ""),
  }));
}

function namesOf(config: Config): string[] {
  return Array.isArray(config?.tools) ? config.tools.map(String) : [];
}

function hostOf(url: string): string {
  return /^https?:\/\/([^/?#]+)/.exec(url)?.[1] ?? "*";
}
