import { Menu } from "@base-ui/react/menu";
import type { ReactNode } from "react";

/** Where open menus are: above the page, in a landmark of their own, so that everything on the screen is in one. */
export function MenuPortal({ children }: { children: ReactNode }) {
  return <Menu.Portal render={<section aria-label="Menu" />}>{children}</Menu.Portal>;
}
