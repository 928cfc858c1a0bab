/** Checks the displayed flow shortly after each change. The latest flow wins. */
import type { CheckedFlow, Flow } from "@/bindings";
import { notify } from "@/design/notify";
import { call, HostError } from "@/ipc";
import { declaredPorts } from "./ports";
import { displayedFlow, displayedPath, flowStore } from "./store";

const DELAY_MS = 120;

/** Keeps `checked` up to date until the returned function is called. */
export function keepChecked(): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let latest = 0;
  let complained = false;

  async function check(flow: Flow) {
    latest += 1;
    const turn = latest;
    try {
      const checked = await call("flow.check", { flow, path: displayedPath(flowStore.getState()) });
      if (turn === latest) {
        flowStore.setState((state) => ({ checked: withKnownPorts(flow, checked, state.checked), checkedFlow: flow }));
      }
      complained = false;
    } catch (thrown) {
      // Report once: the next edit tries again.
      if (!complained) notify.error(HostError.from(thrown));
      complained = true;
    }
  }

  const stop = flowStore.subscribe((state, before) => {
    const flow = displayedFlow(state);
    if (state.checkedFlow === undefined && before.checkedFlow !== undefined) {
      // Another document: the old findings are obsolete.
      clearTimeout(timer);
      void check(flow);
    } else if (differs(flow, displayedFlow(before)) || displayedPath(state) !== displayedPath(before)) {
      // Sub-flow paths are relative to the document.
      clearTimeout(timer);
      timer = setTimeout(() => void check(displayedFlow(flowStore.getState())), DELAY_MS);
    }
  });
  void check(displayedFlow(flowStore.getState()));
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
function withKnownPorts(flow: Flow, checked: CheckedFlow, before: CheckedFlow): CheckedFlow {
  const ports = Object.entries(checked.ports).map(([id, fresh]) => {
    const known = declaredPorts(flow, before, id);
    return [id, known && JSON.stringify(known) === JSON.stringify(fresh) ? known : fresh] as const;
  });
  return { ...checked, ports: Object.fromEntries(ports) };
}
