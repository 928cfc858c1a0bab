/** Flows, files and drafts of the mock host. Its "disk" is a map in the page's storage. */
import type {
  Autosave,
  CheckedFlow,
  Flow,
  NodeDescriptor,
  OpenedFlow,
  PutAutosave,
  ReadFlow,
  RecentFlow,
  SavedFlow,
} from "@/bindings";
import { HostError } from "@/ipc/host";
import { checkFlow } from "./check";
import type { Commands } from "./commands";
import { forecastFlow } from "./forecast";
import { mockImports } from "./imports";
import { store, stored } from "./storage";
import { mockTemplates } from "./templates";

export type Files = {
  list(): string[];
  read(path: string): string | undefined;
  write(path: string, text: string): void;
};

const EXAMPLES = Object.entries(
  import.meta.glob<Flow>("../../examples/*.flow.json", { eager: true, import: "default" }),
).map(([file, flow]) => ({ id: file.replace(/^.*\/|\.flow\.json$/g, ""), flow }));

export function mockFlows(types: readonly NodeDescriptor[]): { commands: Commands; files: Files } {
  const byType = new Map(types.map((type) => [type.type, type]));
  const check = (flow: Flow): CheckedFlow => checkFlow(flow, byType);
  const files = storedFiles();
  return {
    files,
    commands: {
      ...documents(files, check),
      ...drafts(files),
      ...mockImports(files),
      ...mockTemplates(),
      "flow.check": ({ flow }: { flow: Flow }) => check(flow),
      "flow.forecast": ({ flow }: { flow: Flow }) => forecastFlow(flow),
    },
  };
}

function documents(files: Files, check: (flow: Flow) => CheckedFlow): Commands {
  return {
    "flow.new": (): Flow => ({ version: 1, name: "", nodes: {}, edges: {}, layout: {} }),
    "flow.examples": () =>
      EXAMPLES.map(({ id, flow }) => ({
        id,
        title: flow.name || id,
        description: (flow.description ?? "").split("\n")[0] ?? "",
      })),
    "flow.example": ({ id }: { id: string }): Flow => {
      const found = EXAMPLES.find((example) => example.id === id);
      if (!found) throw new HostError({ code: "flow.unknown_example", message: `There is no example flow \`${id}\`.` });
      return found.flow;
    },
    "flow.open": ({ path }: { path: string }): OpenedFlow => {
      const text = files.read(path);
      if (text === undefined) {
        throw new HostError({
          code: "flow.not_found",
          message: `There is no file \`${path}\`.`,
          hint: "It may have been moved or deleted.",
        });
      }
      const flow = read(path, text);
      remember(path, flow.name);
      const recovered = stored<Autosave[]>("drafts", []).find((draft) => draft.path === path);
      return { flow, path, hash: hash(text), diagnostics: check(flow).diagnostics, readOnly: false, recovered };
    },
    "flow.read": ({ path = "", text, name }: ReadFlow): Flow => read(name ?? path, text ?? files.read(path) ?? ""),
    "flow.save": ({
      path,
      flow,
      baseHash,
      force,
    }: {
      path: string;
      flow: Flow;
      baseHash?: string;
      force?: boolean;
    }): SavedFlow => {
      const there = files.read(path);
      if (!force && there !== undefined && hash(there) !== baseHash) {
        throw new HostError({
          code: "flow.changed_on_disk",
          message: `\`${path}\` was changed by somebody else since it was opened.`,
        });
      }
      const text = `${JSON.stringify(flow, null, 2)}\n`;
      files.write(path, text);
      remember(path, flow.name);
      return { path, savedAt: Date.now(), hash: hash(text) };
    },
    "flow.recent": (): RecentFlow[] =>
      stored<RecentFlow[]>("recent", []).map((flow) => ({ ...flow, missing: files.read(flow.path) === undefined })),
    "flow.nearby": (): string[] => {
      const folderOf = (path: string) => path.slice(0, path.lastIndexOf("/"));
      const folders = new Set(stored<RecentFlow[]>("recent", []).map(({ path }) => folderOf(path)));
      return files.list().filter((path) => folders.has(folderOf(path)) && /\.(flow\.json|ya?ml)$/.test(path));
    },
    "flow.forget": ({ path }: { path: string }) => {
      store(
        "recent",
        stored<RecentFlow[]>("recent", []).filter((flow) => flow.path !== path),
      );
      return null;
    },
  };
}

function drafts(files: Files): Commands {
  const all = () => stored<Autosave[]>("drafts", []);
  const without = (key: string) => all().filter((draft) => draft.key !== key);
  return {
    "autosave.put": ({ key, path, baseHash, flow }: PutAutosave) => {
      store("drafts", [...without(key), { key, path, baseHash, name: flow.name, savedAt: Date.now(), flow }]);
      return null;
    },
    "autosave.list": () => all().filter((draft) => draft.path === undefined || files.read(draft.path) !== undefined),
    "autosave.drop": ({ key }: { key: string }) => {
      store("drafts", without(key));
      return null;
    },
  };
}

function storedFiles(): Files {
  const all = () => stored<Record<string, string>>("files", {});
  return {
    list: () => Object.keys(all()).sort(),
    read: (path) => all()[path],
    write: (path, text) => store("files", { ...all(), [path]: text }),
  };
}

function read(path: string, text: string): Flow {
  try {
    const flow = JSON.parse(text) as Flow;
    if (typeof flow === "object" && flow !== null && typeof flow.version === "number") {
      return {
        ...flow,
        name: flow.name ?? "",
        nodes: flow.nodes ?? {},
        edges: flow.edges ?? {},
        layout: flow.layout ?? {},
      };
    }
  } catch {
    // Reported below, together with other unreadable input.
  }
  throw new HostError({
    code: "flow.unreadable",
    message: `\`${path}\` is not a flow.`,
    hint: "Choose a `.flow.json` file.",
  });
}

function remember(path: string, name: string): void {
  const others = stored<RecentFlow[]>("recent", []).filter((flow) => flow.path !== path);
  store("recent", [{ path, name, openedAt: Date.now(), missing: false }, ...others].slice(0, 20));
}

/** FNV-1a. Good enough to distinguish texts here. */
function hash(text: string): string {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  return (value >>> 0).toString(16);
}
