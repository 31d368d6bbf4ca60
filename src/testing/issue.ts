/** Hooks on what is issued: other claims in the next token, or in every one, that is in order apart from them. */

import { endpointName } from "../recorder/endpoint_name.ts";
import type { Layer } from "../endpoints/layer.ts";
import type { Answer } from "../http/reply.ts";
import type { Sign, SignedKind } from "../oauth/keys.ts";
import type { AccessTokenRecord, Store } from "../store/store.ts";
import { wrapStore } from "./wrapped_store.ts";

/** The claims of a token. Times among them are in seconds since the epoch. */
export type Claims = Readonly<Record<string, unknown>>;

/** Claims to add or replace, `undefined` removing one; or a function from the claims there would be to those there are. */
export type ClaimsChange = Claims | ((claims: Claims) => Claims);

/**
 * Changes the claims of what is issued. The changes of `every…` come first, in the order they were made, then one of
 * `next…`. What a fault does to the same token is done after them.
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
  /** The next good answer of the userinfo endpoint, signed or plain, once; several calls queue. */
  nextUserinfo(change: ClaimsChange): void;
  /** Every good answer of the userinfo endpoint from now on. */
  everyUserinfo(change: ClaimsChange): void;
}

/** The hooks, and the layer they work in. */
export interface IssueHooks {
  readonly issue: Issue;
  readonly layer: Layer;
  /** Forgets them all. */
  reset(): void;
}

/** Makes hooks for one server. */
export function issueHooks(): IssueHooks {
  const next: Record<SignedKind, ClaimsChange[]> = { id_token: [], access_token: [], userinfo: [] };
  const every: Record<SignedKind, ClaimsChange[]> = { id_token: [], access_token: [], userinfo: [] };
  const shaped = new WeakMap<Store, Store>();
  let base = "";

  const isIdle = (kind: SignedKind) => next[kind].length === 0 && every[kind].length === 0;

  function change(kind: SignedKind, claims: Claims): Claims {
    const once = next[kind].shift();
    return [...every[kind], ...once === undefined ? [] : [once]].reduce(apply, claims);
  }

  const signing = (sign: Sign): Sign => (kind, alg, claims) => sign(kind, alg, change(kind, claims));

  /** The store, for opaque access tokens, whose claims are shelved; always the same for the same one. */
  function shelving(store: Store): Store {
    let shelf = shaped.get(store);
    if (shelf === undefined) {
      shelf = wrapStore(store, {
        put(kind, id, value, shelf) {
          if (kind !== "access_token" || isIdle(kind)) return store.put(kind, id, value, shelf);
          const claims = change(kind, (value as AccessTokenRecord).claims);
          const expiresAt = typeof claims.exp === "number" ? claims.exp * 1000 : shelf.expiresAt;
          return store.put(kind, id, { ...value, claims }, { ...shelf, expiresAt });
        },
      });
      shaped.set(store, shelf);
    }
    return shelf;
  }

  const layer: Layer = {
    open: ({ site }) => void (base = site.base),
    around: (answer) => async (request, peer) => {
      const given = await answer(request, peer);
      if (isIdle("userinfo") || endpointName(base, pathOf(request.url)) !== "userinfo") return given;
      return await rewritten(given, (claims) => change("userinfo", claims));
    },
    during(server) {
      if (isIdle("id_token") && isIdle("access_token") && isIdle("userinfo")) return server;
      return { ...server, sign: signing(server.sign), store: shelving(server.store) };
    },
  };

  return {
    layer,
    issue: {
      nextIdToken: (one) => void next.id_token.push(one),
      everyIdToken: (one) => void every.id_token.push(one),
      nextAccessToken: (one) => void next.access_token.push(one),
      everyAccessToken: (one) => void every.access_token.push(one),
      nextUserinfo: (one) => void next.userinfo.push(one),
      everyUserinfo: (one) => void every.userinfo.push(one),
    },
    reset() {
      for (const changes of [...Object.values(next), ...Object.values(every)]) changes.length = 0;
    },
  };
}

function apply(claims: Claims, change: ClaimsChange): Claims {
  return typeof change === "function" ? change(claims) : { ...claims, ...change };
}

function pathOf(url: string): string {
  return new URL(url, "http://localhost").pathname;
}

/** A good answer of plain JSON with other claims; any other answer as it is. */
async function rewritten(answer: Answer, change: (claims: Claims) => Claims): Promise<Answer> {
  const headers = new Headers(answer.headers as HeadersInit);
  if (answer.status !== 200 || !headers.get("content-type")?.startsWith("application/json")) return answer;
  const text = answer instanceof Response ? await answer.clone().text() : answer.body;
  let claims: Claims;
  try {
    claims = JSON.parse(text ?? "");
  } catch {
    // Somebody has seen to it that it is none.
    return answer;
  }
  const body = JSON.stringify(change(claims));
  return answer instanceof Response ? new Response(body, answer) : { ...answer, body };
}
