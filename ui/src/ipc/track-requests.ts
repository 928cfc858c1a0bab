/** Marks errors of the host with the request that failed, and tells when one that is about the same thing succeeds. */
import { type Args, type Call, type CommandName, type Host, HostError, type Reply } from "./host";

/** What arguments name: the same command about another one is another action. */
const SUBJECTS = ["path", "run", "provider", "name", "id", "conversation", "server", "base", "user"] as const;

type Listeners = {
  onSuccess: (request: string) => void;
  /** Gets the name of each command that succeeds. */
  onCommand?: (name: CommandName) => void;
};

export function trackRequests(host: Host, { onSuccess, onCommand }: Listeners): Host {
  const failed = (thrown: unknown, request: string) => {
    const error = HostError.from(thrown);
    error.request = request;
    return error;
  };
  const track =
    (call: Call): Call =>
    <C extends CommandName>(name: C, args: Args<C>): Promise<Reply<C>> => {
      const request = requestOf(name, args);
      return call(name, args).then(
        (reply) => {
          onSuccess(request);
          onCommand?.(name);
          return reply;
        },
        (thrown) => {
          throw failed(thrown, request);
        },
      );
    };
  return {
    remote: host.remote,
    opened: (onProgress) => host.opened(onProgress),
    closeWindow: () => host.closeWindow(),
    takeRequests: (onRequest) => host.takeRequests(onRequest),
    reportFiles: (paths) => host.reportFiles(paths),
    showElsewhere: (path) => host.showElsewhere(path),
    newWindow: (shown) => host.newWindow(shown),
    setZoom: (factor) => host.setZoom(factor),
    call: track((name, args) => host.call(name, args)),
    on: (remote) => ({ call: track(host.on(remote).call) }),
    watchRuns: (onChange, onLost) => host.watchRuns(onChange, onLost),
    watch: (run, fromSeq, onBatch, onError) => {
      const request = requestOf("watch", { run });
      return host.watch(
        run,
        fromSeq,
        (entries) => {
          onSuccess(request);
          onBatch(entries);
        },
        (error) => onError(failed(error, request)),
      );
    },
  };
}

function requestOf(name: string, args: object): string {
  const given = args as Record<string, unknown>;
  return JSON.stringify([name, ...SUBJECTS.map((key) => (typeof given[key] === "string" ? given[key] : null))]);
}
