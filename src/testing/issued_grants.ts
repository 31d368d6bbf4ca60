/** The grants that a test server has issued codes and tokens for, so that a test can revoke them. */

import { userForHint } from "../server/clients/login_hint.ts";
import { boundedCache } from "../platform/bounded_cache.ts";
import { revokeGrant } from "../core/store/grant.ts";
import type { HostedServer } from "../server/hosted_server.ts";
import type { TraceEvent } from "../server/trace.ts";
import { revokeIssuedToken } from "../core/token/revoke.ts";

/** @internal The grants of a user, of a client, or of a user at a client; or one token. */
export interface GrantsOf {
  /** The `sub` of the user. Default: every user. */
  readonly sub?: string;
  /** The client, or its id. Default: every client. */
  readonly client?: string | { readonly client_id: string };
  /** One token, without `sub` and `client`: an access token alone, a refresh token with its grant. Default: all. */
  readonly token?: string;
}

export interface IssuedGrant {
  readonly grantId: string;
  readonly client: string;
  /** The user; the client itself if it acts on its own behalf. */
  readonly sub: string;
}

/** Grants that are remembered; at least the newer half of them. */
const maxRememberedGrants = 20_000;

const reason = "a test revoked it";

/** Creates the memory of one server. */
export function issuedGrants() {
  let grants = boundedCache<IssuedGrant>(maxRememberedGrants);

  const add = ({ grantId, client, sub }: IssuedGrant) => grants.set(grantId, { grantId, client, sub });

  return {
    add,
    onEvent(event: TraceEvent): void {
      if (event.type === "code_issued" || event.type === "tokens_issued") add(event);
    },
    async revoke(server: HostedServer, { sub, client, token }: GrantsOf): Promise<number> {
      if (sub === undefined && client === undefined && token === undefined) {
        throw new TypeError("revoke: expected a user, a client or both, or a token, received none of them");
      }
      if (token !== undefined) {
        if (sub !== undefined || client !== undefined) {
          throw new TypeError("revoke: expected a token alone, received a user or a client as well");
        }
        if (await revokeIssuedToken(server, token, reason)) return 1;
        throw new TypeError(
          "revoke: expected a token that this server issued and that has not expired, received another",
        );
      }
      const id = typeof client === "object" ? client.client_id : client;
      const named = sub === undefined ? undefined : await userForHint(server, sub);
      const revoked = [...grants.values()].filter((grant) =>
        (sub === undefined || grant.sub === (named?.sub ?? sub)) && (id === undefined || grant.client === id)
      );
      const until = server.now() + server.policy.lifetimes.refresh_token * 1000;
      for (const { grantId } of revoked) {
        await revokeGrant(server, grantId, reason, until);
        grants.delete(grantId);
      }
      const user = id !== undefined ? undefined : named;
      if (user !== undefined) {
        const cause = "tokens revoked";
        await Promise.all(server.sessionWatchers.map((watcher) => watcher.accessEnded?.(server, user, cause)));
        await server.background.finished();
      }
      return revoked.length;
    },
    reset: () => void (grants = boundedCache(maxRememberedGrants)),
  };
}
