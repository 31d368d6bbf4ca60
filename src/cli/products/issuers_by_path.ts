/**
 * An issuer for each first segment of a path, as mock-oauth2-server has them. A server has those that its
 * configuration names from the start, and adds others at the first request to one of their endpoints.
 */

import { plainText } from "../../platform/http/response.ts";
import { isCrossSite } from "../../core/http/cross_site.ts";
import { parseTarget, type RequestHandler } from "../../core/http/router.ts";
import { memoryStore } from "../../core/store/memory.ts";
import type { App } from "../../server/app.ts";
import type { AppChanges, LatchkeyOptions, Plugin } from "../../server/hosting/options.ts";
import type { HostedApp } from "../../server/hosting/hosted_app.ts";

/** Maximum number of issuers of one server. */
const maxIssuers = 50;

/** Maximum number of records of each kind of an issuer, and their bytes. */
const storeLimits = { maxRecords: 10_000, maxBytes: 4 * 1024 * 1024 };

/** A path of an issuer, or with the well-known prefix that RFC 8414 §3.1 inserts. */
const pathPattern =
  /^(\/\.well-known\/(?:openid-configuration|oauth-authorization-server))?\/([\w~-][\w.~-]{0,63})(\/.+)?$/;

/** What an issuer has of its own. */
export interface IssuerParts {
  readonly settings: LatchkeyOptions;
  readonly plugins: readonly Plugin[];
  /** Called once the issuer is complete. */
  start(app: HostedApp): Promise<void>;
}

/** The plugin of the server without a path; it must be the outermost. */
export interface IssuersByPath extends Plugin {
  /** Adds an issuer. A second call for the same one waits for the first. */
  add(id: string): Promise<void>;
}

/**
 * Creates the plugin.
 *
 * @param createParts Creates the parts of an issuer.
 */
export function issuersByPath(createParts: (id: string) => Promise<IssuerParts>): IssuersByPath {
  /** The outermost handler of each added app, by the path of its issuer. */
  const handlers = new Map<string, RequestHandler>();
  const pending = new Map<string, Promise<void>>();
  let app: App | undefined;
  let addApp: AppChanges["addApp"] | undefined;

  /** The issuer of a request: its rest is the path of an endpoint, and the server has no page there itself. */
  function findId(url: string): string | undefined {
    const [, wellKnown, id, rest = ""] = pathPattern.exec(parseTarget(url, {}).path) ?? [];
    if (id === undefined || app!.endpoints.some(({ path }) => path.split("/")[1] === id)) return undefined;
    return app!.findEndpoint(wellKnown === undefined ? rest : wellKnown + rest) === undefined ? undefined : id;
  }

  async function open(id: string): Promise<void> {
    const { settings, plugins, start } = await createParts(id);
    await start(await addApp!({ ...settings, path: `/${id}`, store: memoryStore(storeLimits), plugins }));
  }

  function add(id: string): Promise<void> {
    let opened = pending.get(id);
    if (opened === undefined) {
      pending.set(id, opened = open(id));
      opened.catch(() => pending.delete(id));
    }
    return opened;
  }

  return {
    add,
    name: "issuers at paths",
    setup(assembled, changes) {
      app = assembled;
      addApp = changes.addApp;
    },
    forAddedApp() {
      let base = "";
      let handler: RequestHandler;
      return {
        setup({ site }) {
          base = site.base;
          handlers.set(base, (request, peer) => handler(request, peer));
        },
        handle: (next) => handler = next,
        close: () => void handlers.delete(base),
      };
    },
    handle: (next) => async (request, peer) => {
      const id = findId(request.url);
      if (id === undefined) return await next(request, peer);
      // Such a page could use up the number of issuers.
      if (!pending.has(id) && isCrossSite({ server: app!.server, request })) {
        return plainText(403, "A page of another site may not add an issuer. Open its metadata in the browser first.");
      }
      if (!pending.has(id) && pending.size >= maxIssuers) {
        return plainText(
          404,
          `This server already has ${maxIssuers} issuers, the maximum. Use one of them, or restart it.`,
        );
      }
      await add(id);
      return await handlers.get(`/${id}`)!(request, peer);
    },
  };
}
