/** Claim overrides: other claims in the next token or response, or in every one, which stay valid apart from that. */

import type { App } from "../server/app.ts";
import type { Plugin } from "../server/hosting/options.ts";
import type { HttpRequest, HttpResponse } from "../core/http/message.ts";
import { isObject } from "../core/http/json_value.ts";
import { parseTarget } from "../core/http/router.ts";
import { boundedCache } from "../platform/bounded_cache.ts";
import {
  type ClaimChange,
  type ClaimsContext,
  claimsContext,
  type OriginalClaims,
} from "../server/token/claim_change.ts";
import type { TokenKind } from "./faults/resign.ts";
import { withChange } from "./faults/with_change.ts";
import type { TokenResponse } from "../core/token/grants/authenticated_request.ts";
import { recordRequest } from "../recorder/record_request.ts";
import type { Recorder } from "../recorder/recorder.ts";
import { isJsonResponse, responseText, withBodyText } from "./faults/response_body.ts";
import type { RequestView } from "./faults/fault.ts";
import { requestView } from "./faults/request_view.ts";
import { getClientId } from "./faults/rule_builder.ts";
import { assertArgument } from "./options.ts";

/** The claims of a token, or the members of a response. Times are in seconds since the epoch. */
export type Claims = Readonly<Record<string, unknown>>;

/** @internal The request and the grant of an issued token or a userinfo response. */
export interface ClaimOverrideContext extends ClaimsContext {
  /** The request that is handled. */
  readonly request: RequestView;
  /** What was granted. */
  readonly grant: ClaimsContext["grant"] & {
    /** The `grant_type`; absent for userinfo. */
    readonly type?: string;
  };
}

/** Claims to add or replace, where `undefined` removes one, or a function that returns all claims. */
export type ClaimOverride<Context = ClaimOverrideContext> = Claims | ((claims: Claims, context: Context) => Claims);

/** @internal A client, by its id or by its credentials. */
export type ClientName = string | { readonly client_id: string };

/** @internal The same for a metadata document, without client and user. */
export type MetadataOverride = ClaimOverride<Pick<ClaimOverrideContext, "request">>;

/**
 * @internal Changes issued tokens and responses: of every client, or of the one that the second argument names. The
 * changes of `every…` apply first, in the order of the calls, then one of `next…`, then faults. `reset()` and
 * `close()` do not report an unused change.
 *
 * @example A role for one client only, and the metadata of a server without refresh tokens
 * ```ts ignore
 * as.issue.everyAccessToken((claims, { client }) =>
 *   client.id === "admin-ui" ? { ...claims, roles: ["admin"] } : claims
 * );
 * as.issue.everyMetadata({ grant_types_supported: ["authorization_code"] });
 * ```
 */
export interface ClaimOverrides {
  /** Changes the next ID token, once; several calls queue. */
  nextIdToken(change: ClaimOverride, client?: ClientName): void;
  /** Changes every ID token from now on. */
  everyIdToken(change: ClaimOverride, client?: ClientName): void;
  /** Changes the next access token, JWT or opaque, once; several calls queue. */
  nextAccessToken(change: ClaimOverride, client?: ClientName): void;
  /** Changes every access token from now on. */
  everyAccessToken(change: ClaimOverride, client?: ClientName): void;
  /** Changes the next ID-JAG, once; several calls queue. */
  nextIdJag(change: ClaimOverride, client?: ClientName): void;
  /** Changes every ID-JAG from now on. */
  everyIdJag(change: ClaimOverride, client?: ClientName): void;
  /** Changes the next logout token that the server posts to a client, once; several calls queue. */
  nextLogoutToken(change: ClaimOverride, client?: ClientName): void;
  /** Changes every logout token from now on, except in repeated calls. */
  everyLogoutToken(change: ClaimOverride, client?: ClientName): void;
  /** Changes the next successful userinfo response, signed or plain, once; several calls queue. */
  nextUserinfo(change: ClaimOverride, client?: ClientName): void;
  /** Changes every successful userinfo response from now on. */
  everyUserinfo(change: ClaimOverride, client?: ClientName): void;
  /** Changes the next successful token response, once; several calls queue. */
  nextTokenResponse(change: ClaimOverride, client?: ClientName): void;
  /** Changes every successful token response from now on. */
  everyTokenResponse(change: ClaimOverride, client?: ClientName): void;
  /** Changes the next metadata document, at any of its URLs, once; several calls queue. */
  nextMetadata(change: MetadataOverride): void;
  /** Changes every metadata document from now on. */
  everyMetadata(change: MetadataOverride): void;
}

/** The changes of one kind of token or response. */
interface OverrideQueue<Context> {
  readonly next: MatchedOverride<Context>[];
  readonly every: MatchedOverride<Context>[];
}

/** A change, and the client that it applies to. */
interface MatchedOverride<Context> {
  readonly change: ClaimOverride<Context>;
  /** Absent: every client. */
  readonly client?: ClientName;
}

/** Maximum number of access tokens whose original `sub` and `aud` are remembered. */
const maxChangedTokens = 10_000;

/**
 * Creates the claim overrides of one server, and the plugin that applies them. An access token whose `sub` or `aud` was
 * changed stays valid at this server: at userinfo and for introspection.
 *
 * @param findExchange Returns the recorded details of a request in progress.
 */
export function claimOverrideHooks(findExchange: Recorder["findExchange"]) {
  const emptyQueue = () => ({ next: [], every: [] });
  const queues: Record<TokenKind | "token_response", OverrideQueue<ClaimOverrideContext>> = {
    id_token: emptyQueue(),
    access_token: emptyQueue(),
    userinfo: emptyQueue(),
    id_jag: emptyQueue(),
    logout_token: emptyQueue(),
    token_response: emptyQueue(),
  };
  const metadata: OverrideQueue<Pick<ClaimOverrideContext, "request">> = emptyQueue();
  let issued = boundedCache<OriginalClaims>(maxChangedTokens);
  let findEndpoint: App["findEndpoint"] = () => undefined;

  function viewRequest(request: HttpRequest): RequestView {
    const recorded = findExchange(request)?.request ?? recordRequest(request, parseTarget(request.url, {}));
    // For a form, only parameters of the body are used.
    const recordedForm = recorded.form.length === 0 ? recorded : { ...recorded, query: [] };
    return requestView(findEndpoint(recordedForm.path), recordedForm, request);
  }

  function override(
    kind: keyof typeof queues,
    claims: Claims,
    context: ClaimsContext,
    incoming: HttpRequest,
    original?: ClaimChange<never>["original"],
  ): Claims {
    if (isEmpty(queues[kind])) return claims;
    const request = viewRequest(incoming);
    const { grant_type: type } = request.params;
    const changed = applyOverrides(queues[kind], claims, {
      ...context,
      grant: { ...context.grant, ...type !== undefined && { type } },
      request,
    });
    if (kind === "access_token" && (changed.sub !== claims.sub || changed.aud !== claims.aud)) {
      const { sub, aud } = claims as unknown as OriginalClaims;
      // The profile of a provider may have changed them before.
      if (typeof changed.jti === "string") issued.set(changed.jti, original?.(claims) ?? { sub, aud });
    }
    return changed;
  }

  const plugin: Plugin = {
    setup: (app) => void (findEndpoint = app.findEndpoint),
    handle: (next) => async (request, peer) => {
      const response = await next(request, peer);
      // Metadata documents are at well-known paths (RFC 8615).
      if (isEmpty(metadata) || !parseTarget(request.url, {}).path.includes("/.well-known/")) return response;
      return await rewriteJson(
        response,
        (document) => applyOverrides(metadata, document, { request: viewRequest(request) }),
      );
    },
    extend: (server) => ({
      ...server,
      claimChange: {
        ...server.claimChange,
        original(claims) {
          const { jti } = claims;
          return typeof jti === "string" && issued.get(jti) || server.claimChange?.original?.(claims);
        },
      },
    }),
    forRequest(server, { request }) {
      if (Object.values(queues).every(isEmpty)) return undefined;
      const { claimChange, steps } = server;
      return {
        claimChange: withChange(
          server,
          (kind, claims, context) =>
            Object.hasOwn(queues, kind)
              ? override(kind as TokenKind, claims, context, request, claimChange?.original)
              : claims,
        ),
        steps: {
          ...steps,
          issue: [...steps.issue, {
            name: "members of a test",
            async run(inner, members, authorization) {
              const context = await claimsContext(inner, authorization);
              return replaceMembers(members, override("token_response", members, context, request));
            },
          }],
        },
      };
    },
  };

  /** The function that adds to a queue. @param call Its name, for messages. */
  function adder<Context>(call: string, list: MatchedOverride<Context>[]) {
    return (change: ClaimOverride<Context>, client?: ClientName): void => {
      const isValid = typeof change === "function" || isObject(change);
      const hint = 'Write the members to replace, like { sub: "bob" }.';
      assertArgument(isValid, `issue.${call}`, "an object or a function", change, hint);
      list.push({ change, client });
    };
  }

  const overrides: ClaimOverrides = {
    nextIdToken: adder("nextIdToken", queues.id_token.next),
    everyIdToken: adder("everyIdToken", queues.id_token.every),
    nextAccessToken: adder("nextAccessToken", queues.access_token.next),
    everyAccessToken: adder("everyAccessToken", queues.access_token.every),
    nextIdJag: adder("nextIdJag", queues.id_jag.next),
    everyIdJag: adder("everyIdJag", queues.id_jag.every),
    nextLogoutToken: adder("nextLogoutToken", queues.logout_token.next),
    everyLogoutToken: adder("everyLogoutToken", queues.logout_token.every),
    nextUserinfo: adder("nextUserinfo", queues.userinfo.next),
    everyUserinfo: adder("everyUserinfo", queues.userinfo.every),
    nextTokenResponse: adder("nextTokenResponse", queues.token_response.next),
    everyTokenResponse: adder("everyTokenResponse", queues.token_response.every),
    nextMetadata: adder("nextMetadata", metadata.next),
    everyMetadata: adder("everyMetadata", metadata.every),
  };

  return {
    plugin,
    overrides,
    /** Removes all changes. */
    reset(): void {
      for (const { next, every } of [...Object.values(queues), metadata]) next.length = every.length = 0;
      issued = boundedCache(maxChangedTokens);
    },
  };
}

function isEmpty({ next, every }: OverrideQueue<never>): boolean {
  return next.length === 0 && every.length === 0;
}

function applyOverrides<Context extends Pick<ClaimOverrideContext, "request"> & Partial<ClaimOverrideContext>>(
  { next, every }: OverrideQueue<Context>,
  claims: Claims,
  context: Context,
): Claims {
  const isFor = ({ client }: MatchedOverride<Context>) =>
    client === undefined || getClientId(client) === context.client?.id;
  const index = next.findIndex(isFor);
  return [...every.filter(isFor), ...index < 0 ? [] : next.splice(index, 1)].reduce<Claims>(
    (current, { change }) => typeof change === "function" ? change(current, context) : { ...current, ...change },
    claims,
  );
}

/** A replacement for all members: removed members are `undefined`, which JSON omits. */
function replaceMembers(members: Partial<TokenResponse>, overridden: Claims): Partial<TokenResponse> {
  return { ...Object.fromEntries(Object.keys(members).map((name) => [name, undefined])), ...overridden };
}

/** Replaces the members of a successful JSON response; returns any other response unchanged. */
async function rewriteJson(
  response: HttpResponse | Response,
  change: (members: Claims) => Claims,
): Promise<HttpResponse | Response> {
  if (response.status !== 200 || response.body === null || !isJsonResponse(response)) return response;
  return withBodyText(response, JSON.stringify(change(JSON.parse(await responseText(response)))));
}
