/** The issuer of oauth2-mock-server: its URL, its keys, and tokens that it signs. */

import { EventEmitter } from "node:events";
import { importJWK, SignJWT } from "jose";
import { testClock } from "../clock.ts";
import { JWKStore } from "./key_store.ts";
import type { Header, MutableToken, Payload, TokenBuildOptions } from "./types.ts";

export const tokenLifetime = 3600;

/** Tolerated clock skew of clients, in seconds. */
const clockSkewSeconds = 10;

/** An issuer. Its event `beforeSigning` has the {@link MutableToken} of each token that is signed. */
export class OAuth2Issuer extends EventEmitter {
  #url: string | undefined;
  readonly #keys = new JWKStore();
  /** The clock of tokens, in milliseconds since the epoch: the clock of the mock while the mock exists. */
  now: () => number = testClock().now;
  readonly #hasTrailingSlash: boolean | undefined;

  /**
   * Creates an issuer without keys.
   *
   * @param hasTrailingSlash Whether the URL ends with a slash. Default: as it is set.
   */
  constructor(hasTrailingSlash?: boolean) {
    super();
    this.#hasTrailingSlash = hasTrailingSlash;
  }

  /** The issuer identifier; `undefined` until the server listens, unless a test has set it. */
  get url(): string | undefined {
    return this.#url;
  }

  set url(value: string | undefined) {
    const bare = this.#hasTrailingSlash === undefined ? value : value?.replace(/\/$/, "");
    this.#url = this.#hasTrailingSlash && bare !== undefined ? `${bare}/` : bare;
  }

  /** The keys that sign in turn. */
  get keys(): JWKStore {
    return this.#keys;
  }

  /**
   * Signs a JWT with `iss`, `iat`, `nbf`, `exp` and the claims of the options.
   *
   * @throws {Error} Without a key, or without a URL.
   */
  async buildToken(options: TokenBuildOptions = {}): Promise<string> {
    return await signToken(this, options, (token) => void this.emit("beforeSigning", token));
  }
}

/**
 * Signs a token of an issuer.
 *
 * @param change Called with the token before it is signed.
 * @throws {Error} Without a key, or without a URL.
 */
export async function signToken(
  issuer: OAuth2Issuer,
  { kid, scopesOrTransform, expiresIn = tokenLifetime }: TokenBuildOptions,
  change: (token: MutableToken) => void,
): Promise<string> {
  const { keys, url } = issuer;
  const key = keys.get(kid);
  if (key === undefined) {
    throw new Error('Cannot build token: Unknown key. Call await server.issuer.keys.generate("RS256") first.');
  }
  if (url === undefined) throw new Error("Unknown issuer url. Start the server first, or set issuer.url.");
  const now = Math.floor(issuer.now() / 1000);
  const header: Header = { kid: key.kid };
  const payload: Payload = { iss: url, iat: now, exp: now + expiresIn, nbf: now - clockSkewSeconds };
  if (typeof scopesOrTransform === "function") scopesOrTransform(header, payload);
  else if (scopesOrTransform !== undefined) payload.scope = [scopesOrTransform].flat().join(" ");
  const token = { header, payload };
  change(token);
  return await new SignJWT(token.payload)
    .setProtectedHeader({ typ: "JWT", ...token.header, alg: key.alg })
    .sign(await importJWK(key, key.alg));
}
