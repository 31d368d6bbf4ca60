/** Protected resources to test clients against, hosted by the mock: each is a small MCP server. */

import type { App } from "../server/app.ts";
import type { AppChanges, Plugin } from "../server/hosting/options.ts";
import type { HttpRequest } from "../core/http/message.ts";
import { replaceParts } from "../platform/http/changed_request.ts";
import { serverOrigins } from "../server/config/server_origins.ts";
import { choice, object, record, text, texts, whole } from "../core/policy/field.ts";
import { type HostedResourceOptions, hostResource, pathForUrl } from "../resource/hosted_resource.ts";
import type { RequiredLogin } from "../resource/protected_resource.ts";
import { assertOptions } from "./options.ts";

/** A protected resource of the mock. `as.fetch` and `as.installFetch()` reach its origin too. */
export interface TestResource {
  /** The identifier: its URL. */
  readonly url: string;
  /** The URL of its metadata document. */
  readonly metadataUrl: string;
  /** Handles a request to the resource, with any host. For a server of its own: `Deno.serve(mcp.fetch)`. */
  fetch(request: Request): Promise<Response>;
}

/** The resources of one mock server. */
export interface TestResources {
  readonly plugin: Plugin;
  resource(location: string, options?: HostedResourceOptions): TestResource;
  origins(): readonly string[];
  /** Replaces the URL of a request to a resource on another origin by the path at which the server routes it. */
  route(request: Request): HttpRequest;
}

/** Creates the resources of a server; none at first. */
export function testResources(handle: (request: Request) => Promise<Response>): TestResources {
  const urls = new Set<() => string>();
  let app: App | undefined;
  let addResource: AppChanges["addResource"] | undefined;

  return {
    plugin: {
      setup(assembled, { addResource: add }) {
        app = assembled;
        addResource = add;
      },
    },
    resource(location, options = {}) {
      assertOptions("resource", resourceField, options);
      if (app === undefined || addResource === undefined) {
        throw new TypeError("resource: expected a server, received none. Pass control.plugin to latchkey() first.");
      }
      const resource = hostResource(app, addResource, location, options);
      urls.add(() => resource.url);
      return {
        get url() {
          return resource.url;
        },
        get metadataUrl() {
          return resource.metadataUrl;
        },
        fetch(request) {
          const { pathname, search } = new URL(request.url);
          return handle(new Request(new URL(resource.url).origin + pathname + search, request));
        },
      };
    },
    origins: () => [...urls].map((url) => new URL(url()).origin),
    route(request) {
      const url = new URL(request.url);
      const { server } = app!;
      if (serverOrigins(server).includes(url.origin)) return request;
      return replaceParts(request, { url: pathForUrl(server, url.origin + url.pathname) + url.search });
    },
  };
}

const resourceField = object<HostedResourceOptions>("HostedResourceOptions", {
  scopes: texts(["files:read"]),
  tools: record(texts(["files:write"]), { add_note: ["files:write"] }, "an object of arrays of scope values"),
  toolLogins: record(
    object<RequiredLogin>("RequiredLogin", {
      acrValues: texts(["urn:example:mfa"]),
      maxAgeSeconds: whole(300, { min: 0, expected: "a whole number of seconds, at least 0" }),
    }, {}),
    { add_note: { acrValues: ["urn:example:mfa"] } },
    "an object of required logins",
  ),
  toolConnections: record(text(["Example Calendar"]), { read_calendar: "Example Calendar" }, "an object of names"),
  impliedScopes: record(
    texts(["files:read"]),
    { "files:write": ["files:read"] },
    "an object of arrays of scope values",
  ),
  authorizationDetailsTypes: texts(["payment"]),
  verifyBy: choice(["jwks", "introspection"]),
}, {});
