/** Listens to what the server digests, by WebCrypto or by the runtime's own hashing. */

import { Buffer } from "node:buffer";
import nodeCrypto from "node:crypto";

type Listening = { update(text: string): unknown };

/** Every text that is digested with SHA-256 while `work` goes on, in order. */
export async function digestedBy(work: () => Promise<unknown>): Promise<string[]> {
  const heard: string[] = [];
  const { subtle } = crypto;
  const { digest } = subtle;
  const { createHash } = nodeCrypto;
  subtle.digest = (algorithm, data) => {
    const view = ArrayBuffer.isView(data) ? data : new Uint8Array(data);
    heard.push(Buffer.from(view.buffer, view.byteOffset, view.byteLength).toString());
    return digest.call(subtle, algorithm, data);
  };
  nodeCrypto.createHash = ((name: string) => {
    const hash = createHash(name) as unknown as Listening;
    const update = hash.update.bind(hash);
    hash.update = (text) => (heard.push(String(text)), update(text));
    return hash;
  }) as unknown as typeof createHash;
  try {
    await work();
  } finally {
    delete (subtle as { digest?: unknown }).digest;
    nodeCrypto.createHash = createHash;
  }
  return heard;
}
