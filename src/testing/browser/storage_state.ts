/** Cookies in the form in which Playwright reads them. */

import type { Cookie } from "./cookie_jar.ts";

/** @internal A cookie of Playwright. */
export interface StoredCookie extends Pick<Cookie, "name" | "value" | "path" | "httpOnly" | "secure"> {
  /** The host that set the cookie. Without a dot in front: hosts below it do not receive the cookie. */
  readonly domain: string;
  /** Playwright keeps the cookie until its browser closes: the cookie expires by the clock of the mock. */
  readonly expires: -1;
  /** Which requests from other sites have the cookie; `Lax` if the server did not say. */
  readonly sameSite: "Strict" | "Lax" | "None";
}

/** The `storageState` of a browser context of Playwright. */
export interface StorageState {
  /** The cookies, oldest first. */
  readonly cookies: StoredCookie[];
  /** The local storage of origins; none, because pages of the server store nothing there. */
  readonly origins: [];
}

export function toStorageState(cookies: readonly Cookie[]): StorageState {
  return {
    cookies: cookies.map(({ name, value, origin, path, httpOnly, secure, sameSite = "" }) => ({
      ...{ name, value, domain: new URL(origin).hostname, path, expires: -1, httpOnly, secure },
      sameSite: sameSites.find((known) => known.toLowerCase() === sameSite.toLowerCase()) ?? "Lax",
    })),
    origins: [],
  };
}

const sameSites = ["Strict", "Lax", "None"] as const;
