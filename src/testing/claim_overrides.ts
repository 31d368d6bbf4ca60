/** Hooks on what is issued: other claims in the next token, or in every one, that is in order apart from them. */

import type { Plugin } from "../app/plugin.ts";
import type { RequestLike, ResponseLike } from "../http/message.ts";
import { parseTarget } from "../http/router.ts";
import type { JwtKind } from "../oauth/keys/keys.ts";
import type { ClaimsContext, Server } from "../oauth/server.ts";
import { claimsContext } from "../oauth/tokens/issuer.ts";
import type { TokenResponse } from "../oauth/tokens/issuer.ts";
import { endpointName } from "../recorder/endpoint_name.ts";
import { recordRequest } from "../recorder/record_request.ts";
import type { Recorder } from "../recorder/recorder.ts";
import { isJson, readBodyText, withBody } from "./faults/response_body.ts";
import type { RequestView } from "./faults/fault.ts";
import { requestView } from "./faults/request_view.ts";

/** The claims of a token, or the members of a response. Times among them are in seconds since the epoch. */
export type Claims = Readonly<Record<string, unknown>>;

/** The context that a hook receives for an issued token or a userinfo response. */
export interface ClaimOverrideContext extends ClaimsContext {
  /** The request that is handled. */
  readonly request: RequestView;
  /** What was granted. */
  readonly grant: ClaimsContext["grant"] & {
    /** The `grant_type`; absent for userinfo. */
    readonly type?: string;
  };
}

/** Claims to add or replace, `undefined` removing one; or a function from the claims there would be to those there are. */
export type ClaimOverride<Context = ClaimOverrideContext> = Claims | ((claims: Claims, context: Context) => Claims);

/** The same for a metadata document, without client and user. */
export type MetadataOverride = ClaimOverride<Pick<ClaimOverrideContext, "request">>;

/**
 * Changes what is issued. The changes of `every…` come first, in the order they were made, then one of `next…`. What a
 * fault does to the same token or response is done after them. An unused change is not an error: `reset()` and
 * `close()` ignore it.
 *
 * @example A role for one client alone, and metadata of a server without refresh tokens
 * ```ts ignore
 * as.issue.everyAccessToken((claims, { client }) => client.id === "admin-ui" ? { ...claims, roles: ["admin"] } : claims);
 * as.issue.everyMetadata({ grant_types_supported: ["authorization_code"] });
 * ```
 */
export interface ClaimOverrides {
  /** The next id token, once; several calls queue. */
  nextIdToken(change: ClaimOverride): void;
  /** Every id token from now on. */
  everyIdToken(change: ClaimOverride): void;
  /** The next access token, opaque or not, once; several calls queue. */
  nextAccessToken(change: ClaimOverride): void;
  /** Every access token from now on. */
  everyAccessToken(change: ClaimOverride): void;
  /** The next good response of the userinfo endpoint, signed or plain, once; several calls queue. */
  nextUserinfo(change: ClaimOverride): void;
  /** Every good response of the userinfo endpoint from now on. */
  everyUserinfo(change: ClaimOverride): void;
  /** The members of the next good response of the token endpoint, once; several calls queue. */
  nextTokenResponse(change: ClaimOverride): void;
  /** The members of every good response of the token endpoint from now on. */
  everyTokenResponse(change: ClaimOverride): void;
  /** The members of the next metadata document, at whichever of its addresses, once; several calls queue. */
  nextMetadata(change: MetadataOverride): void;
  /** The members of every metadata document from now on. */
  everyMetadata(change: MetadataOverride): void;
}

/** The hooks, and the layer they work in. */
export interface ClaimOverrideHooks {
  readonly overrides: ClaimOverrides;
  readonly plugin: Plugin;
  /** Forgets them all. */
  reset(): void;
}

/** Changes of one kind of thing. */
interface OverrideQueue<Context> {
  readonly next: ClaimOverride<Context>[];
  readonly every: ClaimOverride<Context>[];
}

/**
 * Makes hooks for one server.
 *
 * @param findExchange Returns the recorded details of a request in progress.
 */
export function claimOverrideHooks(findExchange: Recorder["findExchange"]): ClaimOverrideHooks {
  const emptyQueue = () => ({ next: [], every: [] });
  const queues: Record<JwtKind | "token_response", OverrideQueue<ClaimOverrideContext>> = {
    id_token: emptyQueue(),
    access_token: emptyQueue(),
    userinfo: emptyQueue(),
    token_response: emptyQueue(),
  };
  const metadata: OverrideQueue<Pick<ClaimOverrideContext, "request">> = emptyQueue();
  let base = "";

  function viewRequest(request: RequestLike): RequestView {
    const recorded = findExchange(request)?.request ?? recordRequest(request, parseTarget(request.url, {}));
    // For a form, only parameters of the body are used.
    const recordedForm = recorded.form.length === 0 ? recorded : { ...recorded, query: [] };
    return requestView(endpointName(base, recordedForm.path), recordedForm, request);
  }

  function override(kind: keyof typeof queues, claims: Claims, context: ClaimsContext, incoming: RequestLike): Claims {
    if (isEmpty(queues[kind])) return claims;
    const request = viewRequest(incoming);
    const { grant_type: type } = request.params;
    return applyOverrides(queues[kind], claims, {
      ...context,
      grant: { ...context.grant, ...request.endpoint === "token" && type !== undefined && { type } },
      request,
    });
  }

  const plugin: Plugin = {
    setup: ({ site }) => void (base = site.base),
    handle: (next) => async (request, peer) => {
      const response = await next(request, peer);
      if (isEmpty(metadata) || endpointName(base, parseTarget(request.url, {}).path) !== "discovery") return response;
      return await rewriteJson(
        response,
        (document) => applyOverrides(metadata, document, { request: viewRequest(request) }),
      );
    },
    extend(server, request) {
      if (Object.values(queues).every(isEmpty)) return server;
      return {
        ...server,
        overrideClaims: (kind, claims, context) =>
          override(kind, server.overrideClaims?.(kind, claims, context) ?? claims, context, request),
        tokenIssuers: [...server.tokenIssuers, (inner, authorization, _, members) => {
          const context = claimsContext(inner, authorization);
          return replaceMembers(members, override("token_response", members, context, request));
        }],
      } satisfies Server;
    },
  };

  return {
    plugin,
    overrides: {
      nextIdToken: (change) => void queues.id_token.next.push(change),
      everyIdToken: (change) => void queues.id_token.every.push(change),
      nextAccessToken: (change) => void queues.access_token.next.push(change),
      everyAccessToken: (change) => void queues.access_token.every.push(change),
      nextUserinfo: (change) => void queues.userinfo.next.push(change),
      everyUserinfo: (change) => void queues.userinfo.every.push(change),
      nextTokenResponse: (change) => void queues.token_response.next.push(change),
      everyTokenResponse: (change) => void queues.token_response.every.push(change),
      nextMetadata: (change) => void metadata.next.push(change),
      everyMetadata: (change) => void metadata.every.push(change),
    },
    reset() {
      for (const { next, every } of [...Object.values(queues), metadata]) next.length = every.length = 0;
    },
  };
}

function isEmpty({ next, every }: OverrideQueue<never>): boolean {
  return next.length === 0 && every.length === 0;
}

function applyOverrides<Context>({ next, every }: OverrideQueue<Context>, claims: Claims, context: Context): Claims {
  const nextOverride = next.shift();
  return [...every, ...nextOverride === undefined ? [] : [nextOverride]].reduce<Claims>(
    (current, change) => typeof change === "function" ? change(current, context) : { ...current, ...change },
    claims,
  );
}

/** A replacement for all members: removed members are `undefined`, which JSON omits. */
function replaceMembers(members: Partial<TokenResponse>, overridden: Claims): Partial<TokenResponse> {
  return { ...Object.fromEntries(Object.keys(members).map((name) => [name, undefined])), ...overridden };
}

/** Replaces the members of a successful JSON response; returns any other response unchanged. */
async function rewriteJson(response: ResponseLike, change: (members: Claims) => Claims): Promise<ResponseLike> {
  if (response.status !== 200 || response.body === null || !isJson(response)) return response;
  return withBody(response, JSON.stringify(change(JSON.parse(await readBodyText(response)))));
}
