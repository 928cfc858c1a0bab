import { useEffect, useState } from "react";
import type { AppInfo } from "@/bindings";
import { useWorkspace } from "@/workspace/context";
import { TEXTS } from "./texts";

/** Which Plait this is, and where it keeps its data. */
export function About() {
  const { host } = useWorkspace();
  const [info, setInfo] = useState<AppInfo>();
  useEffect(() => {
    let current = true;
    host.call("app.info", {}).then(
      (reply) => current && setInfo(reply),
      () => undefined, // The rest of the settings work without it.
    );
    return () => {
      current = false;
    };
  }, [host]);
  if (!info) return null;
  return (
    <>
      <p className="text-fg-2 text-xs">{TEXTS.plait(info.version)}</p>
      <p className="break-all text-fg-3 text-xs">{TEXTS.dataFolder(info.home)}</p>
    </>
  );
}
