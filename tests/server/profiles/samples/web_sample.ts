/** What the samples of web applications need besides their own code: a port, and the browser of a user. */

import type { Express } from "express";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";

/** An application on a free port. */
export interface ServedSample extends AsyncDisposable {
  /** Its origin. */
  readonly url: string;
}

/** Serves an application, which may add its routes later. */
export async function serveSample(app: Express): Promise<ServedSample> {
  const server: Server = await new Promise((resolve) => {
    const starting: Server = app.listen(0, "localhost", () => resolve(starting));
  });
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The page at the end of a visit. */
export interface VisitedPage {
  /** Every URL of the visit, in order. */
  readonly urls: readonly URL[];
  readonly status: number;
  readonly text: string;
}

/** A browser that keeps cookies and follows redirects, as far as a URL that begins with `until`. */
export function openSampleBrowser(): (url: string, until?: string) => Promise<VisitedPage> {
  const jars = new Map<string, Map<string, string>>();
  return async (start, until) => {
    const urls: URL[] = [];
    let url = new URL(start);
    while (urls.length < 20) {
      urls.push(url);
      if (until !== undefined && url.href.startsWith(until)) return { urls, status: 0, text: "" };
      const jar = jars.get(url.origin) ?? new Map<string, string>();
      jars.set(url.origin, jar);
      const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
      const response = await fetch(url, { redirect: "manual", headers: cookie === "" ? {} : { cookie } });
      for (const line of response.headers.getSetCookie()) {
        const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        if (value === "" || /max-age=0|expires=thu, 01 jan 1970/i.test(line)) jar.delete(name);
        else jar.set(name, value);
      }
      const text = await response.text();
      const location = response.headers.get("location");
      if (location === null) return { urls, status: response.status, text };
      url = new URL(location, url);
    }
    throw new Error(`more than 20 redirects: ${urls.map(({ href }) => href).join("\n")}`);
  };
}

/** Calls an API with an access token; its response, as JSON if it is JSON. */
export async function callApi(
  url: string,
  token?: string,
): Promise<{ readonly status: number; readonly body: string }> {
  const headers: HeadersInit = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const response = await fetch(url, { headers });
  return { status: response.status, body: await response.text() };
}
