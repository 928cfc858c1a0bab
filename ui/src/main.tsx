/** The entry point of the window. The page for browsers has its own: `browser/main.tsx`. */
import { remoteOfPage } from "@/ipc/host";
import { tauriHost } from "@/ipc/tauri";
import { mount } from "@/shell/start/mount";

await mount(tauriHost(remoteOfPage()));
