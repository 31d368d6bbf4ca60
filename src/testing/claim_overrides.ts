/** Hooks on what is issued: other claims in the next token, or in every one, that is in order apart from them. */

import type { Layer } from "../app/plugin.ts";
import type { Answer, Incoming } from "../http/message.ts";
import { readTarget } from "../http/router.ts";
import type { SignedKind } from "../oauth/keys/keys.ts";
import type { ClaimsContext, Server } from "../oauth/server.ts";
import { aboutGrant } from "../oauth/tokens/issuer.ts";
import type { TokenResponse } from "../oauth/tokens/issuer.ts";
import { endpointName } from "../recorder/endpoint_name.ts";
import { readRequest } from "../recorder/read_request.ts";
import type { Recorder } from "../recorder/recorder.ts";
import { isJson, textOf, withBody } from "./faults/fault_response.ts";
import type { SeenRequest } from "./faults/fault.ts";
import { seenRequest } from "./faults/request_view.ts";

/** The claims of a token, or the members of a response. Times among them are in seconds since the epoch. */
export type Claims = Readonly<Record<string, unknown>>;

/** The context that a hook receives for an issued token or a userinfo response. */
export interface IssueContext extends ClaimsContext {
  /** The request that is handled. */
  readonly request: SeenRequest;
  /** What was granted. */
  readonly grant: ClaimsContext["grant"] & {
    /** The `grant_type`; absent for userinfo. */
    readonly type?: string;
  };
}

/** Claims to add or replace, `undefined` removing one; or a function from the claims there would be to those there are. */
export type ClaimsChange<Context = IssueContext> = Claims | ((claims: Claims, context: Context) => Claims);

/** The same for a metadata document, without client and user. */
export type MetadataChange = ClaimsChange<Pick<IssueContext, "request">>;

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
export interface Issue {
  /** The next id token, once; several calls queue. */
  nextIdToken(change: ClaimsChange): void;
  /** Every id token from now on. */
  everyIdToken(change: ClaimsChange): void;
  /** The next access token, opaque or not, once; several calls queue. */
  nextAccessToken(change: ClaimsChange): void;
  /** Every access token from now on. */
  everyAccessToken(change: ClaimsChange): void;
  /** The next good response of the userinfo endpoint, signed or plain, once; several calls queue. */
  nextUserinfo(change: ClaimsChange): void;
  /** Every good response of the userinfo endpoint from now on. */
  everyUserinfo(change: ClaimsChange): void;
  /** The members of the next good response of the token endpoint, once; several calls queue. */
  nextTokenResponse(change: ClaimsChange): void;
  /** The members of every good response of the token endpoint from now on. */
  everyTokenResponse(change: ClaimsChange): void;
  /** The members of the next metadata document, at whichever of its addresses, once; several calls queue. */
  nextMetadata(change: MetadataChange): void;
  /** The members of every metadata document from now on. */
  everyMetadata(change: MetadataChange): void;
}

/** The hooks, and the layer they work in. */
export interface IssueHooks {
  readonly issue: Issue;
  readonly layer: Layer;
  /** Forgets them all. */
  reset(): void;
}

/** Changes of one kind of thing. */
interface Changes<Context> {
  readonly next: ClaimsChange<Context>[];
  readonly every: ClaimsChange<Context>[];
}

/**
 * Makes hooks for one server.
 *
 * @param exchangeOf Returns the recorded details of a request in progress.
 */
export function issueHooks(exchangeOf: Recorder["exchangeOf"]): IssueHooks {
  const none = () => ({ next: [], every: [] });
  const issued: Record<SignedKind | "token_response", Changes<IssueContext>> = {
    id_token: none(),
    access_token: none(),
    userinfo: none(),
    token_response: none(),
  };
  const metadata: Changes<Pick<IssueContext, "request">> = none();
  let base = "";

  function seen(request: Incoming): SeenRequest {
    const recorded = exchangeOf(request)?.request ?? readRequest(request, readTarget(request.url, {}));
    // For a form, only parameters of the body are used.
    const asked = recorded.form.length === 0 ? recorded : { ...recorded, query: [] };
    return seenRequest(endpointName(base, asked.path), asked, request);
  }

  function changed(kind: keyof typeof issued, claims: Claims, about: ClaimsContext, http: Incoming): Claims {
    if (isIdle(issued[kind])) return claims;
    const request = seen(http);
    const { grant_type: type } = request.params;
    return apply(issued[kind], claims, {
      ...about,
      grant: { ...about.grant, ...request.endpoint === "token" && type !== undefined && { type } },
      request,
    });
  }

  const layer: Layer = {
    open: ({ site }) => void (base = site.base),
    around: (next) => async (request, peer) => {
      const given = await next(request, peer);
      if (isIdle(metadata) || endpointName(base, readTarget(request.url, {}).path) !== "discovery") return given;
      return await rewritten(given, (document) => apply(metadata, document, { request: seen(request) }));
    },
    during(server, request) {
      if (Object.values(issued).every(isIdle)) return server;
      return {
        ...server,
        overrideClaims: (kind, claims, context) =>
          changed(kind, server.overrideClaims?.(kind, claims, context) ?? claims, context, request),
        issuers: [...server.issuers, (inner, authorization, _, members) => {
          const about = aboutGrant(inner, authorization);
          return responseOf(members, changed("token_response", members, about, request));
        }],
      } satisfies Server;
    },
  };

  return {
    layer,
    issue: {
      nextIdToken: (one) => void issued.id_token.next.push(one),
      everyIdToken: (one) => void issued.id_token.every.push(one),
      nextAccessToken: (one) => void issued.access_token.next.push(one),
      everyAccessToken: (one) => void issued.access_token.every.push(one),
      nextUserinfo: (one) => void issued.userinfo.next.push(one),
      everyUserinfo: (one) => void issued.userinfo.every.push(one),
      nextTokenResponse: (one) => void issued.token_response.next.push(one),
      everyTokenResponse: (one) => void issued.token_response.every.push(one),
      nextMetadata: (one) => void metadata.next.push(one),
      everyMetadata: (one) => void metadata.every.push(one),
    },
    reset() {
      for (const { next, every } of [...Object.values(issued), metadata]) next.length = every.length = 0;
    },
  };
}

function isIdle({ next, every }: Changes<never>): boolean {
  return next.length === 0 && every.length === 0;
}

function apply<Context>({ next, every }: Changes<Context>, claims: Claims, context: Context): Claims {
  const once = next.shift();
  return [...every, ...once === undefined ? [] : [once]].reduce<Claims>(
    (before, change) => typeof change === "function" ? change(before, context) : { ...before, ...change },
    claims,
  );
}

/** A replacement for all members: removed members are `undefined`, which JSON omits. */
function responseOf(members: Partial<TokenResponse>, changed: Claims): Partial<TokenResponse> {
  return { ...Object.fromEntries(Object.keys(members).map((name) => [name, undefined])), ...changed };
}

/** Replaces the members of a successful JSON response; returns any other response unchanged. */
async function rewritten(answer: Answer, change: (members: Claims) => Claims): Promise<Answer> {
  if (answer.status !== 200 || answer.body === null || !isJson(answer)) return answer;
  return withBody(answer, JSON.stringify(change(JSON.parse(await textOf(answer)))));
}
