/**
 * Values of extensions that travel: from the authorization request into its grant, with a login from its session to its
 * grant, with a grant to its tokens, with the destination of a response, and with one token request. The core stores
 * and returns them, and knows none of them.
 */

import { ignoreRejection, isThenable } from "./thenable.ts";
import { ProgramError } from "./rules/program_error.ts";

/** @internal What has values of extensions, such as a request, a login, a grant or a refresh token. */
export interface WithExtensions {
  /** The values, each under the name of its extension. Plain JSON, except in a token request. */
  readonly extensions?: Readonly<Record<string, unknown>>;
}

/** @internal A value of an extension. */
export interface Slot<Value> {
  /** The value; `undefined` if it has none. */
  of(holder: WithExtensions | undefined): Value | undefined;
  /** A copy with the value. For `undefined`, a copy without it, or the holder itself if it has none. */
  put<Copied extends object>(holder: Copied & WithExtensions, value: Value | undefined): Copied & WithExtensions;
}

/**
 * The value of an extension in requests, grants and tokens.
 *
 * A server without the extension rejects grants that have its value, because the value may limit them.
 *
 * @param name The name of the extension.
 */
export function slot<Value>(name: string): Slot<Value> {
  return {
    of(holder) {
      const extensions = holder?.extensions;
      return extensions !== undefined && Object.hasOwn(extensions, name) ? extensions[name] as Value : undefined;
    },
    put(holder, value) {
      ignoreRejection(value);
      if (isThenable(value)) throw new ProgramError(`expected a value for slot ${name}, received a promise. Await it.`);
      const extensions = holder.extensions ?? {};
      if (value !== undefined) return { ...holder, extensions: { ...extensions, [name]: value } };
      if (!Object.hasOwn(extensions, name)) return holder;
      const { [name]: _, ...others } = extensions;
      return { ...holder, extensions: Object.keys(others).length === 0 ? undefined : others };
    },
  };
}
