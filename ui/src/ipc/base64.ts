/** How many bytes are turned into characters at once: engines limit the number of arguments. */
const CHUNK_BYTES = 32_768;

export function toBase64(bytes: Uint8Array): string {
  const chunks: string[] = [];
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    chunks.push(String.fromCharCode(...bytes.subarray(at, at + CHUNK_BYTES)));
  }
  return btoa(chunks.join(""));
}
