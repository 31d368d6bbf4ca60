/** A driver of a resource server that runs: it sends access tokens to one URL over HTTP. */

import { readLimited } from "../server/fetching/outbound.ts";
import { type ClientDriver, TokenRejectedError, unknownUser, UnreachableError } from "./driver.ts";
import type { WebApplicationOptions } from "./web_application.ts";
import { userReader, type UserTexts } from "./user_texts.ts";
import { describeWebPage } from "./web_page.ts";
import { stripQuery } from "../testing/browser/test_browser.ts";
import type { Fetch } from "../testing/fetch.ts";

/** Options of {@link resourceApplication}. */
export interface ResourceApplicationOptions extends UserTexts, Pick<WebApplicationOptions, "name" | "fetch"> {
  /**
   * Where a request has the token: `bearer`, the header `Authorization` (RFC 6750 §2.1), or `header`, `query`, `form`
   * or `cookie` with a name, such as `cookie:session`. Default: `bearer`.
   */
  readonly tokenIn?: string;
}

/** The maximum size of a response, in bytes. */
const maxBytes = 2_000_000;

/** The forms of {@link ResourceApplicationOptions.tokenIn}. */
export const tokenPlace = /^(?:bearer|(?:header|query|form|cookie):[\w-]+)$/;

/**
 * Drives a resource server in any language: sends a request with an access token, which the resource server accepts by
 * a response below 300.
 *
 * @param url A URL that needs an access token. Its tokens have the `audience` of the server.
 */
export function resourceApplication(url: string | URL, options: ResourceApplicationOptions = {}): ClientDriver {
  const { name = new URL(url).origin, tokenIn = "bearer" } = options;
  const { fetch = globalThis.fetch as Fetch } = options;
  const read = userReader(options);
  return {
    name,
    usesDefaultAudience: true,
    async acceptToken({ accessToken, signal }) {
      const response = await send(new URL(url), tokenIn, accessToken, { fetch, signal }).catch((cause) => {
        const where = stripQuery(String(url));
        throw new UnreachableError(`${where} could not be reached: is the resource server running?`, { cause });
      });
      const text = await readLimited(response, maxBytes);
      if (response.status >= 300) {
        throw new TokenRejectedError(
          describeWebPage({ url: String(url), status: response.status, html: text }),
          response.headers.get("www-authenticate") ?? "",
        );
      }
      return { sub: read(text).sub ?? unknownUser };
    },
  };
}

async function send(
  url: URL,
  tokenIn: string,
  token: string,
  { fetch, signal }: { readonly fetch: Fetch; readonly signal: AbortSignal },
): Promise<Response> {
  const [place, name = ""] = tokenIn.split(":");
  const headers = new Headers({ accept: "application/json, */*;q=0.8" });
  if (place === "bearer") headers.set("authorization", `Bearer ${token}`);
  if (place === "header") headers.set(name, token);
  if (place === "cookie") headers.set("cookie", `${name}=${token}`);
  if (place === "query") url.searchParams.set(name, token);
  const body = place === "form" ? new URLSearchParams({ [name]: token }) : undefined;
  return await fetch(url, { method: body && "POST", body, headers, redirect: "manual", signal });
}
