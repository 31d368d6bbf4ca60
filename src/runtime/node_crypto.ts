/** Node's crypto module, where having it costs less than doing without: one seam for all that is quicker there. */

/** As much of the module as is used. */
export interface NodeCrypto {
  hash(name: "sha256" | "sha512", text: string, form: "buffer"): Uint8Array;
  hash(name: "sha256" | "sha512", data: string | Uint8Array, form: "base64url"): string;
  createPrivateKey(key: { readonly key: unknown; readonly format: "jwk" }): object;
  sign(hash: "sha256" | null, bytes: Uint8Array, key: object): Uint8Array;
}

interface Globals {
  readonly Bun?: unknown;
  readonly Deno?: unknown;
  readonly process?: { getBuiltinModule?(name: "crypto"): NodeCrypto | undefined };
}

/** Whether this is Deno. */
export const isDeno: boolean = (globalThis as Globals).Deno !== undefined;

/** Whether the module has to be loaded with much else of Node: that takes Deno some 15 ms, and Bun 6. */
const isSlowToLoad = isDeno || (globalThis as Globals).Bun !== undefined;

/** As often WebCrypto is used there before it is clear that a process will go on like that. */
const callsBeforeLoading = 100;

let loadedModule: NodeCrypto | undefined;
let calls = 0;

/**
 * The module; `undefined` where the runtime has none, and on Deno and Bun until it has been asked for often enough that
 * loading it pays: a test that logs in once is over before.
 */
export function nodeCrypto(): NodeCrypto | undefined {
  if (loadedModule !== undefined || calls > callsBeforeLoading) return loadedModule;
  if (!isSlowToLoad || calls === callsBeforeLoading) return loadNodeCrypto();
  calls++;
  return undefined;
}

/** The module, loaded even if loading is slow; `undefined` if the runtime has none. */
export function loadNodeCrypto(): NodeCrypto | undefined {
  if (calls !== Infinity) loadedModule = (globalThis as Globals).process?.getBuiltinModule?.("crypto");
  calls = Infinity;
  return loadedModule;
}
