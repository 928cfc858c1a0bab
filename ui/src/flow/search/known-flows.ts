/** All flows that Plait knows of: those in tabs, recent ones, those in the folders of these, and templates. */
import type { Flow } from "@/bindings";
import { documentFlow, documentName, type FlowState, fileName, isDirty, isStartPage } from "@/flow/document/flow-state";
import { type Host, HostError } from "@/ipc";

export type FlowSource =
  | { kind: "tab"; key: string }
  | { kind: "file"; path: string }
  | { kind: "template"; id: string };

export type KnownFlow = {
  source: FlowSource;
  name: string;
  /** The file that it is in, if it is in one. */
  path?: string;
  isDirty: boolean;
  flow: Flow;
};

export type KnownFlows = {
  /** In the order of the kinds above, however long each takes to read. */
  flows: readonly KnownFlow[];
  /** The number of flows outside of tabs that were read, unreadable ones included, and their total. */
  read: number;
  total: number;
  unreadable: number;
};

/** A host has other things to do. */
const MAX_CONCURRENT_READS = 4;

type Options = {
  documents: readonly FlowState[];
  signal: AbortSignal;
  onProgress: (known: KnownFlows) => void;
};

/** Reads all known flows, a few at a time, until it is aborted. Nothing is remembered as opened. */
export async function readKnownFlows(host: Host, { documents, signal, onProgress }: Options): Promise<void> {
  const open = documents.filter((document) => !isStartPage(document)).map(openFlow);
  onProgress({ flows: open, read: 0, total: 0, unreadable: 0 });
  const { loads, unreadable: unlisted } = await listOthers(host, new Set(open.flatMap(({ path }) => path ?? [])));
  const others: (KnownFlow | undefined)[] = loads.map(() => undefined);
  let [next, read, unreadable] = [0, unlisted, unlisted];
  const report = () => {
    if (signal.aborted) return;
    const flows = [...open, ...others.filter((flow) => flow !== undefined)];
    onProgress({ flows, read, total: loads.length + unlisted, unreadable });
  };
  const readNext = async () => {
    while (next < loads.length && !signal.aborted) {
      const at = next++;
      try {
        others[at] = await loads[at]?.();
      } catch {
        unreadable += 1;
      }
      read += 1;
      report();
    }
  };
  report();
  await Promise.all(Array.from({ length: MAX_CONCURRENT_READS }, readNext));
}

function openFlow(document: FlowState): KnownFlow {
  return {
    source: { kind: "tab", key: document.key },
    name: documentName(document),
    path: document.path,
    isDirty: isDirty(document),
    flow: documentFlow(document),
  };
}

/** How to read the flows that are in no tab, each file once. Templates that the host can't read count as unreadable. */
async function listOthers(
  host: Host,
  openPaths: ReadonlySet<string>,
): Promise<{ loads: (() => Promise<KnownFlow>)[]; unreadable: number }> {
  const [recent, nearby, templates] = await Promise.all([
    host.call("flow.recent", {}),
    host.call("flow.nearby", {}),
    host.call("templates.list", {}),
  ]).catch((thrown) => {
    throw HostError.from(thrown);
  });
  const paths = new Set([...recent.filter(({ missing }) => !missing).map(({ path }) => path), ...nearby]);
  const readable = templates.filter(({ problem }) => problem === undefined);
  return {
    loads: [
      ...[...paths].filter((path) => !openPaths.has(path)).map((path) => () => readFile(host, path)),
      ...readable.map(({ id, name }) => async (): Promise<KnownFlow> => {
        const flow = await host.call("templates.open", { id });
        return { source: { kind: "template", id }, name, isDirty: false, flow };
      }),
    ],
    unreadable: templates.length - readable.length,
  };
}

async function readFile(host: Host, path: string): Promise<KnownFlow> {
  const flow = await host.call("flow.read", { path });
  return { source: { kind: "file", path }, name: flow.name || fileName(path), path, isDirty: false, flow };
}
