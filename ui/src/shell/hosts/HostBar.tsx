import "./host-bar.css";
import { CloudOff, ListTree, Server } from "lucide-react";
import { Button } from "@/design/controls/Button";
import { windowText } from "@/design/text/window-text";
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
            ? `${error.message} ${error.hint ?? ""}`
            : info && [TEXTS.version(info.version), expiry(info.expiresAt)].filter(Boolean).join(" · ")
        }
        data-testid="host-state"
      >
        {error
          ? windowText(lost ? `${TEXTS.lost} ${error.message}` : error.message)
          : info
            ? TEXTS.as(info)
            : TEXTS.connecting}
      </span>
      {error?.code === "host.unauthorized" ? (
        <Button className="h-[22px]" onClick={() => overlays.showHosts(true)}>
          {TEXTS.enterToken}
        </Button>
      ) : null}
      <Button className="h-[22px]" data-testid="host-published" onClick={() => commands.run("host.published")}>
        <ListTree size={14} aria-hidden />
        <span className="@max-[560px]:sr-only">{TEXTS.publishedFlows}</span>
      </Button>
    </section>
  );
}

function expiry(at: string | undefined): string | undefined {
  return at === undefined ? undefined : TEXTS.expires(formatDate(Date.parse(at)));
}
