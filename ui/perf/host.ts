/** The host of measurements: opens one flow, and answers a run with the load that the flow asks for. */
import type { Flow, NodeDescriptor, Settings } from "@/bindings";
import nodes from "@/bindings/nodes.json";
import { type Args, type CommandName, type Host, HostError, type Reply } from "@/ipc/host";
import { type Load, startLoad } from "./load";

const SETTINGS: Settings = { theme: "system", reducedMotion: false, panels: {}, providers: {}, ui: {} };
const TYPES = nodes as unknown as NodeDescriptor[];

type Commands = Partial<{ [C in CommandName]: (args: Args<C>) => Reply<C> }>;

export function perfHost(): Host {
  let load: ReturnType<typeof startLoad> | undefined;
  let settings = SETTINGS;
  const commands: Commands = {
    "nodes.list": () => TYPES,
    "users.list": () => ({ current: "local", names: ["local"] }),
    "settings.get": () => settings,
    "settings.change": ({ patch }) => {
      settings = { ...settings, ...(patch as Partial<Settings>) };
      return settings;
    },
    "flow.open": ({ path }) => {
      const text = localStorage.getItem(path);
      if (text === null) throw new HostError({ code: "flow.not_found", message: `There is no file \`${path}\`.` });
      return { path, flow: JSON.parse(text) as Flow, hash: "", diagnostics: [], readOnly: false };
    },
    "flow.check": ({ flow }) => check(flow),
    "autosave.list": () => [],
    "flow.recent": () => [],
    "flow.examples": () => [],
    "templates.list": () => [],
    "runs.list": () => [],
    "tools.list": () => [],
    "run.start": ({ flow }) => {
      const { load: asked } = flow.settings as unknown as { load: Load };
      load = startLoad("load", flow, asked);
      return { run: "load" };
    },
  };
  return {
    opened: async () => undefined,
    async call(name, args) {
      const command = commands[name];
      // No measurement needs it.
      if (!command) return new Promise<never>(() => undefined);
      return structuredClone(command(args));
    },
    on: () => ({ call: () => new Promise<never>(() => undefined) }),
    watchRuns: () => () => undefined,
    watch: (...args) => load?.watch(...args) ?? (() => undefined),
    closeWindow: async () => undefined,
    takeRequests: () => undefined,
    reportFiles: () => undefined,
    showElsewhere: async () => false,
    newWindow: async () => undefined,
    setZoom: async () => undefined,
  };
}

/** Their nodes have the ports of their types. */
function check(flow: Flow): Reply<"flow.check"> {
  const ports = new Map(TYPES.map((type) => [type.type, type.ports]));
  return {
    diagnostics: [],
    ports: Object.fromEntries(
      Object.entries(flow.nodes).flatMap(([id, { type }]) => {
        const known = ports.get(type);
        return known ? [[id, known]] : [];
      }),
    ),
    contexts: {},
    backEdges: [],
    reads: {},
  };
}
