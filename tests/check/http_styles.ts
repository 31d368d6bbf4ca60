/** How HTTP clients send requests: functions that change the fetch of a client. */

import type { ClientJourney } from "../../src/check/mod.ts";
import type { Fetch } from "../../src/testing/fetch.ts";

/** Changes how requests are sent. */
export type Http = (fetch: Fetch, journey: ClientJourney) => Fetch;

const isGet = (init?: { readonly method?: string }) => (init?.method ?? "GET") === "GET";

/** Repeats a GET request twice after a failure or a status of 500 and above, as urllib3 and got do. */
export const retriesGets: Http = (fetch) => async (url, init) => {
  for (let attempt = 1;; attempt++) {
    const response = await fetch(url, init).catch((error) => {
      if (!isGet(init) || attempt > 2) throw error;
    });
    if (response !== undefined && (response.status < 500 || !isGet(init) || attempt > 2)) return response;
    await response?.body?.cancel();
  }
};

/** Follows redirects of GET requests to https URLs, and sends no credentials to another origin (Fetch §4.4). */
export const followsGets: Http = (fetch) => async (url, init) => {
  let response = await fetch(url, init);
  let address = String(url);
  for (let hops = 0; isGet(init) && hops < 5; hops++) {
    const location = response.headers.get("location");
    if (location === null || response.status < 300 || response.status > 399) break;
    const next = new URL(location, address);
    if (next.protocol !== "https:") throw new Error("a redirect to http");
    const headers = new Headers(init?.headers);
    if (next.origin !== new URL(address).origin) headers.delete("authorization");
    address = next.href;
    response = await fetch(address, { ...init, headers });
  }
  return response;
};

/** Accepts JSON by its media type alone (RFC 9110 §8.3.1), as oauth4webapi does. */
export const demandsJson: Http = (fetch) => async (url, init) => {
  const response = await fetch(url, init);
  const type = response.headers.get("content-type")?.split(";").at(0)?.trim().toLowerCase();
  const isJson = type === "application/json" || type?.endsWith("+json");
  if (response.ok && response.body !== null && !isJson) throw new Error(`content type ${type}`);
  return response;
};

/** Writes the scheme of credentials in lower case (RFC 9110 §11.1). */
export const lowerCaseScheme: Http = (fetch) => (url, init) => {
  const headers = new Headers(init?.headers);
  const value = headers.get("authorization");
  if (value !== null) headers.set("authorization", value.replace(/^\w+/, (scheme) => scheme.toLowerCase()));
  return fetch(url, { ...init, headers });
};

/** Sends the header fields of many HTTP libraries. */
export const sendsFields: Http = (fetch) => (url, init) => {
  const headers = new Headers(init?.headers);
  headers.set("accept", "application/json, text/plain, */*");
  headers.set("user-agent", "Library/2.1 (+https://client.test)");
  headers.set("x-correlation-id", crypto.randomUUID());
  return fetch(url, { ...init, headers });
};

/** Reads at most 64 KiB. */
export const limitsBodies: Http = (fetch) => async (url, init) => {
  const response = await fetch(url, init);
  const text = response.body === null ? null : await response.text();
  if (text !== null && text.length > 65_536) throw new Error("the body is too large");
  return new Response(text, { status: response.status, headers: response.headers });
};

/** Rests for a minute after a response of 429 or 503 with `Retry-After` (RFC 9110 §10.2.3). */
export const rests: Http = (fetch, { issuer, now }) => async (url, init) => {
  if (now() < (restsUntil.get(issuer) ?? 0)) throw new Error("the server asked to wait");
  const response = await fetch(url, init);
  const seconds = Number(response.headers.get("retry-after") ?? NaN);
  if ([429, 503].includes(response.status) && seconds > 0) restsUntil.set(issuer, now() + Math.min(seconds, 60) * 1000);
  return response;
};

const restsUntil = new Map<string, number>();

/** Several changes together. */
export const all = (...changes: readonly Http[]): Http => (fetch, journey) =>
  changes.reduce((changed, change) => change(changed, journey), fetch);
