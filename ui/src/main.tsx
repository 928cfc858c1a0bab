/** The entry point of the desktop window. The page for plain browsers has its own: `mock-host/main.tsx`. */
import { tauriHost } from "@/ipc/tauri";
import { mount } from "@/shell/start/mount";

await mount(tauriHost());
