/** Reads what a person enters for tools. The host checks it again. */

/** One host in each line. */
export function readHosts(text: string): string[] {
  const hosts = text.split(/[\s,]+/).filter((host) => host !== "");
  return [...new Set(hosts)];
}

/** `localhost`, `localhost:8080`, `192.168.0.1` or `[::1]:8080`. */
export function isHost(text: string): boolean {
  if (/[/@?#\\*]/.test(text)) return false;
  try {
    return new URL(`http://${text}/`).hostname !== "";
  } catch {
    return false;
  }
}

/** Scheme, host and port, such as `https://api.github.com`. */
export function isOrigin(text: string): boolean {
  try {
    const url = new URL(text);
    const isWeb = url.protocol === "https:" || url.protocol === "http:";
    return isWeb && url.pathname === "/" && url.search === "" && url.username === "";
  } catch {
    return false;
  }
}

export function isVariable(text: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(text);
}
