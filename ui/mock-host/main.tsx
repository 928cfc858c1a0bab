/** The entry point for plain browsers: the same window on the mock host. Used by development, Playwright and measurements. */
import { mount } from "@/shell/start/mount";
import { mockHost } from "./host";

await mount(await mockHost());
