/** Browser sessions of a web application (OWASP Session Management; RFC 9700 §4.7). */

import { parseJsonObject } from "../../platform/http/json_body.ts";
import type { Exchange } from "../../recorder/exchange.ts";
import { decodeJwtPart } from "../../platform/http/jwt_part.ts";
import { findParam } from "../../recorder/record_request.ts";
import { editAuthorizationResponse } from "../../testing/faults/edit_authorization_response.ts";
import type { Fault } from "../../testing/faults/fault.ts";
import { error } from "../../testing/faults/mod.ts";
import { type Attack, type Conclusion, defineAttack } from "../define_attack.ts";
import { hostileUri, markup } from "../markers.ts";
import { oneOf } from "./parameters.ts";
import { conclude, unclear } from "./conclusions.ts";
import { untilEnded } from "./targets.ts";
import { withChange } from "../../testing/faults/with_change.ts";

function usersOfUserinfo(exchanges: readonly Exchange[], since: number): readonly unknown[] {
  return exchanges.slice(since).flatMap(({ endpoint, response }) =>
    endpoint === "userinfo" && response?.status === 200 ? [parseJsonObject(response.body ?? "{}")?.sub] : []
  );
}

/** The users to whom the refresh tokens belong that were sent since an exchange. */
function usersOfRefreshes(exchanges: readonly Exchange[], since: number): readonly unknown[] {
  const issued = exchanges.filter(({ endpoint }) => endpoint === "token").map(({ response }) =>
    parseJsonObject(response?.body ?? "{}")
  );
  return exchanges.slice(since).flatMap(({ request }) => {
    const sent = findParam(request, "refresh_token");
    const source = sent === undefined ? undefined : issued.find((members) => members?.refresh_token === sent);
    return source === undefined ? [] : decodeJwtPart(String(source.id_token), 1).sub ?? [];
  });
}

/** Where a text of the server can appear in a page. */
const markedPlaces = [
  ...["error_description", "error", "error_uri", "state", "iss", "token error", "name", "claims", "sub"],
];

/** Claims of a user that a page can show. */
const shownClaims = [
  ...[
    "name",
    "given_name",
    "family_name",
    "middle_name",
    "nickname",
    "preferred_username",
    "email",
    "gender",
    "locale",
  ],
  ...["zoneinfo", "birthdate", "phone_number"],
];

export function describeUser(name: string, claims: Readonly<Record<string, unknown>>): Fault {
  return {
    name,
    waitsFor: "signed an ID token",
    extend: (server, context) => ({
      ...server,
      claimChange: withChange(server, (kind, overridden) => {
        if (kind === "id_token") context.consume();
        return kind === "id_token" || kind === "userinfo" ? { ...overridden, ...claims } : overridden;
      }),
    }),
  };
}

export const browserSessionAttacks: readonly Attack[] = [
  defineAttack({
    id: "session/two-users",
    title: "Two users are logged in at the same time, each in their own browser.",
    correctClient: "The client keeps the user and the tokens of each browser apart.",
    journey: "session",
    needs: ["journeyBrowser", "namesUser", "secondUser"],
    sources: ["RFC 6749 §10.3", "OpenID Connect Core §5.3.2"],
    async perform({ as, driver, openBrowser, session, expectedSub }) {
      const [first, second] = await as.users.list();
      if (second === undefined) return unclear("the server has one user");
      const fail = (harm: string): Conclusion => conclude(`the client ${harm}`, "", "mixed", harm);
      const other = await driver.logIn!(openBrowser({ as: second.sub }));
      if (other.sub === expectedSub) return fail("gave the second browser the user of the first");
      const user = session!.currentUser === undefined ? session!.sub : await session!.currentUser();
      if (user !== expectedSub) return fail("gave the first browser another user after the login in the second");
      for (const [act, token] of [[session!.request, usersOfUserinfo], [session!.refresh, usersOfRefreshes]] as const) {
        const earlier = as.log.unmasked.exchanges.length;
        await act?.().catch(() => {});
        const users = token(as.log.unmasked.exchanges, earlier);
        if (users.some((sub) => sub !== first!.sub)) return fail("used a token of the second browser in the first");
      }
      return { outcome: "rejected", passed: true, because: "each browser has its own user and tokens" };
    },
  }),
  defineAttack({
    id: "session/markup",
    title:
      "A parameter of the authorization response, an error of the token endpoint or the user's name has HTML markup.",
    correctClient: "The client escapes all text in its pages, and links only to https URLs.",
    endpoints: ["authorize", "token", "userinfo"],
    needs: ["visits"],
    sources: ["RFC 6749 §4.1.2.1", "CWE-79"],
    ...oneOf("where", markedPlaces),
    start({ as }, { where }) {
      if (where === "token error") {
        return void as.on("token").once(error("invalid_grant", { description: markup("token_error") }));
      }
      const claims = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, markup(name)]));
      const describe = (marked: Readonly<Record<string, unknown>>) =>
        void as.on("any").always(describeUser("markup in claims", marked));
      if (where === "name" || where === "sub") return describe(claims([where]));
      if (where === "claims") {
        const links = ["profile", "picture", "website"].map((name) => [name, hostileUri(name)]);
        const address = { formatted: markup("address"), country: markup("country") };
        return describe({ ...claims(shownClaims), ...Object.fromEntries(links), address });
      }
      const marked = where === "error_uri" ? hostileUri(where) : markup(where);
      as.on("authorize").once(editAuthorizationResponse(`markup in ${where}`, (fields) => [
        ...fields.filter(([name]) => name !== where && (name !== "code" || where === "state" || where === "iss")),
        ...where === "error" || where === "state" || where === "iss" ? [] : [["error", "access_denied"] as const],
        [where, marked],
      ]));
    },
    async perform({ driver, journey }) {
      await untilEnded(driver.logIn!(journey));
      return conclude(undefined, "no page has the text as HTML markup");
    },
  }),
];
