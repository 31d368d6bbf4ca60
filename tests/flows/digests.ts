/** Listens to what the server digests: by WebCrypto, by the runtime's own hashing, or by scrypt. */

import { Buffer } from "node:buffer";
import nodeCrypto from "node:crypto";

/** Every text that is digested with SHA-256 while `work` goes on, in order. */
export async function digestedBy(work: () => Promise<unknown>): Promise<string[]> {
  const heard: string[] = [];
  const { subtle } = crypto;
  const { digest } = subtle;
  const module = nodeCrypto as unknown as { hash(name: string, text: string, form: string): unknown };
  const { hash } = module;
  subtle.digest = (algorithm, data) => {
    const view = ArrayBuffer.isView(data) ? data : new Uint8Array(data);
    heard.push(Buffer.from(view.buffer, view.byteOffset, view.byteLength).toString());
    return digest.call(subtle, algorithm, data);
  };
  module.hash = (name, text, form) => (heard.push(text), hash(name, text, form));
  try {
    await work();
  } finally {
    delete (subtle as { digest?: unknown }).digest;
    module.hash = hash;
  }
  return heard;
}

/** The costs of every scrypt digest that is made while `work` goes on, in order: `N r p`. */
export async function scryptCostsOf(work: () => Promise<unknown>): Promise<string[]> {
  const heard: string[] = [];
  const { scrypt } = nodeCrypto;
  nodeCrypto.scrypt = ((password, salt, length, cost, callback) => {
    heard.push(`${cost.N} ${cost.r} ${cost.p}`);
    return scrypt(password, salt, length, cost, callback);
  }) as typeof scrypt;
  try {
    await work();
  } finally {
    nodeCrypto.scrypt = scrypt;
  }
  return heard;
}
