/** Access tokens that a resource server must reject, or that are not what a client expects. */

import { defineFault, type FaultFactory } from "./definition.ts";
import type { Fault } from "./fault.ts";
import { textParameter } from "./parameters.ts";
import { type ClaimsEdit, claimsParameter, editClaims, editHeader, headerParameter } from "./resign.ts";

/**
 * Other claims of the access token: a JWT is correctly signed with the key of the server, an opaque token is stored
 * with these claims. `at_hash` of the ID token is of this token. The first argument holds the claims to replace, where
 * `null` removes one, or is a function of the claims that returns all of them.
 *
 * @example
 * ```ts ignore
 * as.on("token").once(faults.accessToken.edited({ aud: "https://another-api.example", roles: ["admin"] }));
 * ```
 */
export const edited: FaultFactory<(edit?: ClaimsEdit) => Fault> = defineFault({
  id: "accessToken.edited",
  title: "Access token has other claims",
  endpoints: ["token"],
  correctClient: "The client does not read the access token. A resource server rejects a token for another resource.",
  parameters: [claimsParameter({ aud: "https://another.example" })],
  create: ({ edit }) => editClaims("edited access token", "access_token", "issued an access token", edit),
});

/**
 * Another JOSE header of the access token, correctly signed with the key of the server: members to replace or add,
 * where `null` removes one. An opaque token has no header.
 *
 * @example
 * ```ts ignore
 * as.on("token").once(faults.accessToken.editedHeader({ typ: "JWT" }));
 * ```
 */
export const editedHeader: FaultFactory<(edit?: Readonly<Record<string, unknown>>) => Fault> = defineFault({
  id: "accessToken.editedHeader",
  title: "Access token has another JOSE header",
  endpoints: ["token"],
  correctClient:
    "The client reads nothing in the access token; a resource server accepts only the typ and alg that it expects.",
  parameters: [headerParameter],
  create: ({ edit }) => editHeader("access token with another header", "access_token", "at+jwt", edit),
});

/** Another text in place of the access token, which no resource accepts. `at_hash` of the ID token is of this text. */
export const replaced: FaultFactory<(token?: string) => Fault> = defineFault({
  id: "accessToken.replaced",
  title: "Access token is another text",
  endpoints: ["token"],
  correctClient: "The client accepts any text, and starts a new login or refreshes when a resource rejects the token.",
  parameters: [textParameter("token", "another-access-token", "The access token.", "Access token")],
  create: ({ token }) => ({
    name: "replaced access token",
    waitsFor: "issued an access token",
    extend: (server, context) => ({
      ...server,
      tokenIssuers: server.tokenIssuers.map((issue) => async (...issued) => {
        const members = await issue(...issued);
        return members.access_token !== undefined && context.consume() ? { ...members, access_token: token } : members;
      }),
    }),
  }),
});
