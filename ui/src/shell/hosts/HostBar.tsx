import "./host-bar.css";
import { CloudOff, ListTree, Server } from "lucide-react";
import { plain } from "@/design/markdown/plain-text";
import { windowText } from "@/design/text/window-text";
import type { HostError } from "@/ipc";
import { formatDate } from "@/run/values/format";
import { useCommands, useRemote, useWorkspace } from "@/workspace/context";
import { TEXTS } from "./texts";

/** What a window of a host has above everything else: which host it is, as whom, and whether it answers. */
export function HostBar() {
  const { remote } = useWorkspace();
  return remote ? <Bar name={remote.name} /> : null;
}

function Bar({ name }: { name: string }) {
  const { overlays } = useWorkspace();
  const commands = useCommands();
  const info = useRemote((state) => state.info);
  const lost = useRemote((state) => state.lost);
  const problem = useRemote((state) => state.problem);
  const error = lost ?? problem;
  return (
    <section
      className="host-bar @container flex h-[30px] shrink-0 items-center gap-3 px-3 text-sm"
      aria-label={TEXTS.hostBar(name)}
      data-testid="host-bar"
      data-lost={lost ? true : undefined}
    >
      {lost ? <CloudOff size={15} aria-hidden /> : <Server size={15} aria-hidden />}
      <b className="max-w-[40%] truncate font-semibold" data-testid="host-name">
        {TEXTS.onHost(name)}
      </b>
      <span
        className="min-w-0 flex-1 truncate"
        role="status"
        title={
          error
            ? plain(windowText(`${error.message} ${error.hint ?? ""}`))
            : info && [TEXTS.version(info.version), expiry(info.expiresAt)].filter(Boolean).join(" · ")
        }
        data-testid="host-state"
      >
        {error ? problemOf(error, lost !== undefined) : info ? TEXTS.as(info) : TEXTS.connecting}
      </span>
      {error?.code === "host.unauthorized" ? (
        <button type="button" className="host-bar-button" onClick={() => overlays.showHosts(true)}>
          {TEXTS.enterToken}
        </button>
      ) : null}
      <button
        type="button"
        className="host-bar-button"
        data-testid="host-published"
        onClick={() => commands.run("host.published")}
      >
        <ListTree size={14} aria-hidden />
        <span className="@max-[560px]:sr-only">{TEXTS.publishedFlows}</span>
      </button>
    </section>
  );
}

function problemOf({ message }: HostError, isLost: boolean): string {
  return plain(windowText(isLost ? `${TEXTS.lost} ${message}` : message));
}

function expiry(at: string | undefined): string | undefined {
  return at === undefined ? undefined : TEXTS.expires(formatDate(Date.parse(at)));
}
