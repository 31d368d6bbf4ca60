/** Finds the app of a request by the host and the path of its issuer. */

import type { HttpRequest } from "../../core/http/message.ts";

/** Apps by host and path. */
export interface AppTable<App> {
  /** Finds the app whose issuer is a prefix of the URL of a request; `undefined` if there is none. */
  find(request: HttpRequest): App | undefined;
  /**
   * Adds an app.
   *
   * @param hosts The hosts with ports; empty for every host.
   * @param base The path of the issuer, without a slash at its end.
   * @returns False if another app has one of these hosts with this path.
   */
  add(app: App, hosts: readonly string[], base: string): boolean;
  delete(app: App): void;
}

/** Creates a table. An app for one host precedes an app for every host, and a longer path precedes a shorter one. */
export function appTable<App>(): AppTable<App> {
  const apps = new Map<string, App>();
  const keysOf = new Map<App, readonly string[]>();
  /** The maximum number of segments in a path. It only grows. */
  let maxSegments = 0;

  return {
    find({ url, headers }) {
      const authority = url.startsWith("/") ? 0 : url.indexOf("://") + 3;
      const pathStart = authority === 0 ? 0 : indexOrEnd(url, "/", authority);
      const host = (headers.get("host") ?? url.slice(authority, pathStart)).toLowerCase();
      const candidates = bases(url.slice(pathStart), maxSegments);
      for (const name of [host, ""]) {
        for (const base of candidates) {
          const app = apps.get(`${name} ${base}`);
          if (app !== undefined) return app;
        }
      }
      return undefined;
    },
    add(app, hosts, base) {
      const keys = (hosts.length === 0 ? [""] : [...new Set(hosts)]).map((host) => `${host} ${base}`);
      if (keys.some((key) => apps.has(key))) return false;
      for (const key of keys) apps.set(key, app);
      keysOf.set(app, keys);
      maxSegments = Math.max(maxSegments, base.split("/").length - 1);
      return true;
    },
    delete(app) {
      for (const key of keysOf.get(app) ?? []) apps.delete(key);
      keysOf.delete(app);
    },
  };
}

/** The path that RFC 8414 §3.1 inserts between host and path of an issuer. */
const wellKnownPrefix = /^\/\.well-known\/[^/?#]*/;

/** The paths that an issuer of this target may have, the longest first. */
function bases(target: string, maxSegments: number): readonly string[] {
  const start = wellKnownPrefix.exec(target)?.[0].length ?? 0;
  const path = target.slice(start, Math.min(indexOrEnd(target, "?", start), indexOrEnd(target, "#", start)));
  const found = [""];
  for (let end = 0; found.length <= maxSegments && end < path.length;) {
    end = indexOrEnd(path, "/", end + 1);
    found.unshift(path.slice(0, end));
  }
  return found;
}

function indexOrEnd(text: string, searched: string, from: number): number {
  const index = text.indexOf(searched, from);
  return index < 0 ? text.length : index;
}
