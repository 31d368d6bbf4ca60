/** Authorization codes: of another login, and of unusual form (RFC 9700 §4.5, RFC 6749 §4.1.2). */

import type { Fields } from "../../core/http/form.ts";
import type { CodeRecord } from "../../core/store/store.ts";
import type { Fault } from "../../testing/faults/fault.ts";
import { editAuthorizationResponse } from "../../testing/faults/edit_authorization_response.ts";
import { wrapStore } from "../../testing/wrap_store.ts";
import { describeOutcome } from "../assess.ts";
import { type Attack, defineAttack } from "../define_attack.ts";
import type { Capability } from "../capabilities.ts";
import { passIf } from "./conclusions.ts";
import { eachWithEach, oneOf } from "./parameters.ts";

/** The next code is one of a login in another browser: with another nonce, if any, and this code challenge. */
function codeOfAnotherLogin(): Fault {
  return {
    name: "code of another login",
    endpoints: ["authorize"],
    followsLogin: true,
    waitsFor: "issued a code",
    extend: (server, context) => ({
      ...server,
      store: wrapStore(server.store, {
        put(kind, id, value, metadata) {
          // The other login has a nonce exactly if this one has.
          const hasNonce = kind === "code" && context.consume() && (value as CodeRecord).nonce !== undefined;
          return server.store.put(kind, id, hasNonce ? { ...value, nonce: "nonce-of-another-login" } : value, metadata);
        },
      }),
    }),
  };
}

/** What only a client that authenticates does. */
const authentications: readonly Capability[] = ["basic", "secretInBody", "assertion"];

/** The attacks of the category `response` on codes. */
export const codeAttacks: readonly Attack[] = [
  defineAttack({
    id: "response/code-injected",
    fix: "Send a new code challenge (S256) with each login, or compare the nonce of the ID token.",
    needs: ["readsIdToken", "injectableCode"],
    title: "The code belongs to a login in another browser, and the token endpoint does not verify the code verifier.",
    correctClient: "The client sends a code challenge, or rejects an ID token without the nonce of this login.",
    stop: "token",
    sources: ["RFC 9700 §2.1.1", "RFC 9700 §4.5.3", "OpenID Connect Core §3.1.3.7"],
    once: () => codeOfAnotherLogin(),
    assess: (observation) =>
      observation.outcome === "accepted"
        ? {
          passed: false,
          because: describeOutcome(observation),
          seen: "unbound",
          harm: "accepted the code of a login in another browser",
          // RFC 9700 §2.1.1 recommends a code challenge to a client that authenticates, and demands it of others.
          isWarning: observation.capabilities.has("state") &&
            authentications.some((capability) => observation.capabilities.has(capability)),
        }
        : undefined,
  }),
  defineAttack({
    id: "response/token-of-another-client",
    fix: "Read only code, state, iss and error of the response, and log in only users of ID tokens with your aud.",
    needs: ["plainResponse"],
    title: "The authorization response has a token of another user that the server issued to another client.",
    correctClient: "The client ignores the token, and logs in no user by it.",
    stop: undefined,
    sources: ["RFC 6749 §10.16", "RFC 9700 §2.1.2"],
    ...eachWithEach(
      oneOf("token", ["access_token", "id_token"], "The token."),
      oneOf("place", ["instead of the code", "beside the code"], "Where it is."),
    ),
    async start({ as }, { token, place }) {
      const users = await as.users.list();
      const { sub } = users[1] ?? users[0]!;
      const options = { client: as.client(), sub, scope: "openid profile email" };
      const value = await (token === "id_token" ? as.mint.idToken(options) : as.mint.accessToken(options));
      const added: Fields = [[token, value], ["token_type", "Bearer"], ["expires_in", "3600"]];
      // Once: the attacker sends this response. If the client then begins a new login, the server responds as usual.
      as.on("authorize").once(editAuthorizationResponse("token of another client", (fields) => [
        ...fields.filter(([name]) => name !== "code" || place === "beside the code"),
        ...added,
      ]));
    },
    assess: ({ outcome, session, expectedSub }) =>
      passIf(outcome === "accepted" && session!.sub === expectedSub, "the client logged in the user of the code"),
  }),
];
