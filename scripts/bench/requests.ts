/** The kinds of requests that are measured, one entry each: what is prepared, what is sent, what must come back. */

import { jwt, members, secret, unlike } from "./answers.ts";
import type { Signed } from "./answers.ts";
import { confidential, publicId, rotatingId, user } from "./clients.ts";
import type { Connection } from "./connection.ts";
import { flow, scope, userTokens } from "./flow.ts";

/** Sends one request (a whole flow counts as one) and checks the answer; gives the tokens that were issued. */
export type Step = () => Promise<readonly Signed[]>;

/** Prepares a connection for one kind of request. */
type Preparation = (connection: Connection, issuer: string) => Promise<Step>;

const credentials = `Basic ${btoa(`${confidential.id}:${confidential.secret}`)}`;
const clientToken = { access_token: jwt, token_type: "Bearer", expires_in: 3600, scope: "read" };
const time = /^\d{10}$/;

/** Every kind of request there is. */
export const requests = {
  flow: (connection, issuer) =>
    Promise.resolve(async () => {
      const { access_token, id_token, nonce } = await flow(connection, issuer, publicId);
      return signed(issuer, publicId, access_token, id_token, { nonce });
    }),

  /** One chain per connection: each refresh token is exchanged for the next. */
  async refresh(connection, issuer) {
    let { refresh_token: current } = await flow(connection, issuer, rotatingId);
    return async () => {
      const form = `grant_type=refresh_token&refresh_token=${current}&client_id=${rotatingId}`;
      const answer = await connection.post("/oauth2/token", form);
      const { access_token, id_token, refresh_token } = members(answer, { ...userTokens, refresh_token: secret });
      if (refresh_token === current) throw unlike("another refresh token", answer);
      current = refresh_token;
      return signed(issuer, rotatingId, access_token, id_token);
    };
  },

  async introspection(connection, issuer) {
    const { access_token } = await flow(connection, issuer, publicId);
    const expected = {
      ...{ active: true, token_type: "Bearer", iss: issuer, sub: user.sub, aud: issuer, client_id: publicId, scope },
      ...{ iat: time, exp: time, jti: /./, auth_time: time, sid: /./ },
    };
    return async () => {
      members(await connection.post("/oauth2/introspect", `token=${access_token}`, credentials), expected);
      return [];
    };
  },

  async userinfo(connection, issuer) {
    const { access_token } = await flow(connection, issuer, publicId);
    return async () => {
      members(await connection.get("/oauth2/userinfo", `Bearer ${access_token}`), user);
      return [];
    };
  },

  client_credentials: (connection, issuer) =>
    Promise.resolve(async () => {
      const form = "grant_type=client_credentials&scope=read";
      const { access_token } = members(await connection.post("/oauth2/token", form, credentials), clientToken);
      return [{ token: access_token, claims: { iss: issuer, sub: confidential.id, client_id: confidential.id } }];
    }),
} satisfies Record<string, Preparation>;

/** The name of a kind of request. */
export type RequestName = keyof typeof requests;

function signed(issuer: string, clientId: string, access: string, id: string, more?: { nonce: string }): Signed[] {
  const { sub } = user;
  return [
    { token: access, claims: { iss: issuer, sub, client_id: clientId } },
    { token: id, claims: { iss: issuer, sub, aud: clientId, ...more } },
  ];
}
