/** The entry point for plain browsers: the same page on a host behind HTTP. Used by development and Playwright. */

import { remoteOfPage } from "@/ipc/host";
import { mount } from "@/shell/start/mount";
import { browserHost } from "./host";

await mount(browserHost(remoteOfPage()));
