/** For tests: a host that answers what the test tells it to. */
import { type Call, type Host, HostError } from "./host";

/** Rejects every command that `host` does not answer, and never delivers events. */
export function testHost(host: Partial<Host> = {}): Host {
  const call: Call = (name) =>
    Promise.reject(new HostError({ code: "host.unreachable", message: `The test host does not answer ${name}.` }));
  return {
    opened: async () => undefined,
    call,
    on: () => ({ call }),
    watch: () => () => undefined,
    watchRuns: () => () => undefined,
    closeWindow: async () => undefined,
    takeRequests: () => undefined,
    reportFiles: () => undefined,
    showElsewhere: async () => false,
    newWindow: async () => undefined,
    setZoom: async () => undefined,
    ...host,
  };
}

/** A call of a host that is busy: what the window changed stays as it changed it. */
export const neverAnswers = () => new Promise<never>(() => undefined);
