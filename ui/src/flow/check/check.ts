/** Checks the displayed flow shortly after each change. The latest flow wins. */
import type { CheckedFlow, Flow } from "@/bindings";
import { notify } from "@/design/dialogs/notify";
import { declaredPorts } from "@/flow/connect/ports";
import type { FlowEditor } from "@/flow/document/editor";
import { displayedFlow, displayedPath } from "@/flow/document/flow-state";
import type { NodeTypeRegistry, NodeTypes } from "@/flow/node-types/node-types";
import { type Host, HostError } from "@/ipc";

const DELAY_MS = 120;

type Parts = { host: Host; editor: FlowEditor; nodeTypes: NodeTypeRegistry };

/** Keeps `checked` up to date until the returned function is called. */
export function keepChecked({ host, editor, nodeTypes }: Parts): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let latest = 0;
  let complained = false;

  async function check(flow: Flow) {
    latest += 1;
    const turn = latest;
    const { key } = editor.state;
    try {
      const checked = await host.call("flow.check", { flow, path: displayedPath(editor.state) });
      if (turn === latest && editor.state.key === key) {
        editor.store.setState((state) => ({
          checked: withKnownPorts(nodeTypes.all, flow, checked, state.checked),
          checkedFlow: flow,
        }));
      }
      complained = false;
    } catch (thrown) {
      // Report once: the next edit tries again.
      if (!complained) notify.error(HostError.from(thrown));
      complained = true;
    }
  }

  const stop = editor.store.subscribe((state, before) => {
    const flow = displayedFlow(state);
    if (state.checkedFlow === undefined && before.checkedFlow !== undefined) {
      // Another document: the old findings are obsolete.
      clearTimeout(timer);
      void check(flow);
    } else if (differs(flow, displayedFlow(before)) || displayedPath(state) !== displayedPath(before)) {
      // Sub-flow paths are relative to the document.
      clearTimeout(timer);
      timer = setTimeout(() => void check(displayedFlow(editor.state)), DELAY_MS);
    }
  });
  void check(displayedFlow(editor.state));
  return () => {
    stop();
    clearTimeout(timer);
    latest += 1;
  };
}

/** Ignores the layout, which does not affect the check. */
function differs(a: Flow, b: Flow): boolean {
  return a.nodes !== b.nodes || a.edges !== b.edges || a.settings !== b.settings;
}

/**
 * Keeps the port objects that did not change: each check returns new ones, and comparing them per render would be slow.
 */
function withKnownPorts(types: NodeTypes, flow: Flow, checked: CheckedFlow, before: CheckedFlow): CheckedFlow {
  const ports = Object.entries(checked.ports).map(([id, fresh]) => {
    const known = declaredPorts(types, flow, before, id);
    return [id, known && JSON.stringify(known) === JSON.stringify(fresh) ? known : fresh] as const;
  });
  return { ...checked, ports: Object.fromEntries(ports) };
}
