/** The lens of the mock host. Prompts are read by the real host only. */
import { HostError } from "@/ipc/host";
import type { Commands } from "./commands";

export function mockLens(): Commands {
  return {
    "lens.search": () => [],
    "lens.request": () => {
      throw new HostError({ code: "lens.no_request", message: "The provider `offline` sends no HTTP request." });
    },
  };
}
