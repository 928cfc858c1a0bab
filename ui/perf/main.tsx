/** The entry point of measurements. */
import { mount } from "@/shell/start/mount";
import { perfHost } from "./host";

await mount(perfHost());
