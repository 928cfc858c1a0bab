/** The file dialogs of a browser: plain `<dialog>`s that ask for a path on the host. */
import type { OpenDialog, SaveImage } from "@/bindings";

export const pageDialogs = {
  "dialog.open": async ({ title }: OpenDialog) => ({ path: await choose(title ?? "Open flow", "") }),
  "dialog.folder": async () => ({ path: await choose("Choose folder", "") }),
  "dialog.save": async ({ suggested }: { suggested: string }) => ({ path: await choose("Save as", suggested) }),
  "image.save": async ({ suggested, data }: SaveImage) => {
    const path = await choose("Save as", suggested);
    if (path !== null) download(path, data);
    return { path };
  },
};

/** An image goes where the browser's downloads go. */
function download(path: string, data: string): void {
  const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([bytes]));
  link.download = path.replace(/^.*\//, "");
  link.click();
  // The download reads it after the click.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

function choose(title: string, suggested: string): Promise<string | null> {
  return new Promise((resolve) => {
    const dialog = document.createElement("dialog");
    dialog.className = "pop m-auto w-[420px] p-5";
    dialog.setAttribute("aria-label", title);
    dialog.dataset.testid = "file-dialog";
    const form = document.createElement("form");
    form.method = "dialog";
    form.className = "flex flex-col gap-3";
    const heading = document.createElement("h2");
    heading.className = "font-semibold text-lg";
    heading.textContent = title;
    const field = document.createElement("input");
    field.className = "rounded-md border border-line bg-bg px-2 py-1";
    field.dataset.testid = "file-dialog-path";
    field.setAttribute("aria-label", "File");
    field.value = suggested;
    const row = document.createElement("div");
    row.className = "flex justify-end gap-2";
    const cancel = button("Cancel", "cancel");
    cancel.type = "button";
    cancel.addEventListener("click", () => dialog.close("cancel"));
    row.append(cancel, button("OK", "ok"));
    form.append(heading, field, row);
    form.addEventListener("submit", (event) => {
      // A form with `method=dialog` may not be submitted under the page's policy; the dialog is closed by hand.
      event.preventDefault();
      dialog.close("ok");
    });
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "ok" && field.value.trim() !== "" ? field.value.trim() : null);
    });
    dialog.append(form);
    document.body.append(dialog);
    dialog.showModal();
    field.select();
  });
}

function button(label: string, value: string): HTMLButtonElement {
  const made = document.createElement("button");
  made.type = "submit";
  made.value = value;
  made.textContent = label;
  made.dataset.testid = `file-dialog-${value}`;
  made.className = "h-[30px] rounded-md border border-line bg-bg-2 px-3 text-sm hover:bg-bg-3";
  return made;
}
