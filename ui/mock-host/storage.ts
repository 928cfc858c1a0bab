/** What the mock host keeps between loads of the page: small records in the page's own storage. */

const PREFIX = "plait.mock-host.";

export function stored<T>(name: string, fallback: T): T {
  try {
    const text = localStorage.getItem(PREFIX + name);
    return text === null ? fallback : (JSON.parse(text) as T);
  } catch {
    return fallback;
  }
}

export function store(name: string, value: unknown): void {
  localStorage.setItem(PREFIX + name, JSON.stringify(value));
}
