/**
 * The minimal OAuth 2.1 and OpenID Connect server: authorize, token, userinfo, introspection, revocation, metadata,
 * keys, and the page `/authorized`. It uses web standards alone, so it runs wherever `fetch` runs.
 *
 * @example A server
 * ```ts
 * import { core } from "@latchkey/latchkey/core";
 *
 * const server = await core({
 *   issuer: "http://localhost:9000",
 *   clients: [{ client_id: "spa", redirect_uris: ["http://localhost:5173/callback"] }],
 *   users: [{ sub: "alice", name: "Alice" }],
 * });
 * const metadata = new Request("http://localhost:9000/.well-known/openid-configuration");
 * console.log(await (await server.fetch(metadata)).json());
 * ```
 *
 * @module
 */

import { approveAutomatically } from "./authorize/approver.ts";
import { type Decide, decideRequest } from "./authorize/authorize.ts";
import { type CoreOptions, findMistakes, findOptionIssues, findServerIssues } from "./options/options.ts";
import { clientFromMetadata, fixedClients, fixedEntries } from "./clients/clients.ts";
import { assertNoIssues } from "./rules/configuration_error.ts";
import { type CoreApp, RequestContext } from "./http/context.ts";
import { createHandler, endpointRoutes } from "./route.ts";
import { assembleServer } from "./create_server.ts";
import { randomBytes as systemRandomBytes } from "./keys/crypto.ts";
import { credentialParametersOf } from "./http/endpoint.ts";
import { errorHandler } from "./responses/error_response.ts";
import { toResponse } from "./http/message.ts";
import { basePath } from "./http/names.ts";
import { immediate } from "./immediate.ts";
import { ignoreRejection } from "./thenable.ts";
import { assertNotRotated, storedKeys } from "./keys/keys.ts";
import { policyFor } from "./policy/policy.ts";
import { type RequestHandler, routeFinder } from "./http/router.ts";
import { coreEndpoints } from "./routes.ts";
import type { Server } from "./server.ts";
import { memoryStore } from "./store/memory.ts";
import { formattedStore } from "./store/format.ts";
import { sweeper } from "./store/sweep.ts";
import { timers } from "./http/timers.ts";
import { commonPath } from "./sessions/cookies.ts";
import { type MinimalTrace, printInternalErrors } from "./trace.ts";

export type { Approver } from "./authorize/approver.ts";
export type { Approval } from "./authorize/approval.ts";
export type { ClientMetadata, User } from "./clients/client.ts";
export type { Client } from "./clients/clients.ts";
export { ConfigurationError } from "./rules/configuration_error.ts";
export type { Context } from "./http/context.ts";
export type { CoreOptions } from "./options/options.ts";
export { OAuthError } from "./rules/errors.ts";
export type { CoreExtension } from "./extension.ts";
export type { Authorization } from "./token/grants/authenticated_request.ts";
export type { HttpRequest, HttpResponse } from "./http/message.ts";
export { parameters } from "./http/params.ts";
export type { CorePolicy, Policy } from "./policy/policy.ts";
export type { Endpoint } from "./route.ts";
export type { GrantType, RequestCheck, Server } from "./server.ts";
export { randomId } from "./keys/secrets.ts";
export { memoryStore } from "./store/memory.ts";
export { slot } from "./slot.ts";
export type { ListedRecord, ListOptions, RecordMetadata, Store, StoredRecord } from "./store/store.ts";
export { wrapIssueStep } from "./token/table.ts";
export type { CoreTrace, MinimalEvent as TraceEvent, MinimalTrace as Trace } from "./trace.ts";

/** A server. */
export interface Core {
  /** Handles a request. It never throws. */
  fetch(request: Request): Promise<Response>;
  /** The same for a listener, which knows the address of the client. */
  readonly handle: RequestHandler;
  /** The functions and values that all of the server uses. */
  readonly server: Server;
}

/**
 * Creates a server.
 *
 * @throws {ConfigurationError} If an option is invalid, an extension makes an invalid server, the whole server has rotated
 *   the signing keys of the store, or one of them cannot sign.
 * @throws {TypeError} If a function of the options that must return immediately returned a promise.
 */
export async function core(options: CoreOptions): Promise<Core> {
  assertNoIssues(findMistakes(options));
  const { issuer, extensions = [], grantTypes, approver = approveAutomatically } = options;
  const store = formattedStore(options.store ?? memoryStore());
  const { now = timers.now, randomBytes = systemRandomBytes } = options;
  const trace = withoutErrors(options.trace ?? printInternalErrors);
  const policy = policyFor(issuer, options.policy);
  assertNoIssues(findOptionIssues(options, policy));
  const maxTokenLifetime = Math.max(policy.lifetimes.access_token, policy.lifetimes.id_token);
  const testKeys = policy.allows.testKeys ? "accepted" : "rejected";
  const keyStorage = { store, now, trace, maxTokenLifetime, testKeys } as const;
  await assertNotRotated(keyStorage);
  const keys = storedKeys(keyStorage);
  // Loads the stored keys: a damaged one stops the start.
  await keys.publishedKeys([]);
  const server = await assembleServer({
    keys,
    extensions,
    grantTypes,
    given: {
      issuer,
      policy,
      store,
      now,
      randomBytes,
      trace,
      passed: (rule, value) => trace({ type: "passed", at: now(), rule, value }),
      observe: (_server, client, name) => trace({ type: "observed", at: now(), client, name }),
      clients: fixedClients(options.clients.map((metadata) => clientFromMetadata(metadata, policy))),
      users: fixedEntries(options.users.map((user) => ({ ...user })), ({ sub }) => sub),
    },
  });
  assertNoIssues(findServerIssues(server, options.clients));
  const base = basePath(issuer);
  const decide: Decide = (context, pending) => decideRequest(context, pending, approver);
  const endpointOptions = { base, approver, requestChecks: server.requestChecks };
  const endpoints = [
    ...coreEndpoints({ server, base, extensions, decide }),
    ...extensions.flatMap((extension) =>
      immediate(`endpoints of the extension ${extension.name}`, extension.endpoints?.(policy, endpointOptions)) ?? []
    ),
  ];
  const app: CoreApp = {
    server,
    endpoints,
    site: { issuer, base },
    cookiePath: commonPath(base, endpoints),
    credentialParameters: credentialParametersOf(endpoints),
    handleError: errorHandler(),
  };
  const handler = createHandler(routeFinder(endpointRoutes(endpoints)), {
    server,
    createContext: (request, target, route) => new RequestContext(app, request, target, route),
  });
  const sweep = sweeper(server);
  const handle: RequestHandler = (request, peer) => {
    sweep();
    return handler(request, peer);
  };
  return { server, handle, fetch: async (request) => toResponse(await handle(request)) };
}

/** Ignores the errors of a listener. */
function withoutErrors(trace: MinimalTrace): MinimalTrace {
  return (event) => {
    try {
      ignoreRejection(trace(event));
    } catch {
      // A listener must not break the server.
    }
  };
}
