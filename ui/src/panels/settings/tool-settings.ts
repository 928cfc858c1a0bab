/** Reads what a person enters for tools. The host checks it. */

/** One host in each line. */
export function readHosts(text: string): string[] {
  const hosts = text.split(/[\s,]+/).filter((host) => host !== "");
  return [...new Set(hosts)];
}
