/** Every text of this part of the window. */
export const TEXTS = {
  change: "Change",
  changeOf: (port: string) => `Change ${port}`,
  notJson: "This is not valid JSON.",
};
