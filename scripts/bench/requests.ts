/** The measured kinds of requests: preparation, request, expected response. */

import { assertJson, jwt, secret, unexpectedResponse } from "./assert_response.ts";
import type { ExpectedToken } from "./assert_response.ts";
import { confidential, rotatingId, user } from "./clients.ts";
import type { Connection } from "./connection.ts";
import { expectedTokens, runFlow, scope, userTokens } from "./flow.ts";
import type { Site } from "./site.ts";

/** Sends one request (a whole flow counts as one) and checks the response. Returns the issued tokens. */
export type SendRequest = () => Promise<readonly ExpectedToken[]>;

/** Prepares a connection for one kind of request. */
type PrepareConnection = (connection: Connection, site: Site) => Promise<SendRequest>;

const credentials = `Basic ${btoa(`${confidential.id}:${confidential.secret}`)}`;
const clientToken = { access_token: jwt, token_type: "Bearer", expires_in: 3600, scope: "read" };
const time = /^\d{10}$/;

/** Every kind of request. All except flows need a server with Latchkey's responses. */
export const requests = {
  /** By the client of the site, which gets no refresh token. */
  flow: (connection, site) =>
    Promise.resolve(async () => expectedTokens(site, site.clientId, await runFlow(connection, site))),

  flow_with_refresh_token: (connection, site) =>
    Promise.resolve(async () => expectedTokens(site, rotatingId, await runFlow(connection, site, rotatingId))),

  /** One chain per connection: each refresh token is exchanged for the next. */
  async refresh(connection, site) {
    let { refresh_token: current } = await runFlow(connection, site, rotatingId);
    return async () => {
      const form = `grant_type=refresh_token&refresh_token=${current}&client_id=${rotatingId}`;
      const response = await connection.post(site.paths.token, form);
      const tokens = assertJson(response, { ...userTokens, refresh_token: secret });
      if (tokens.refresh_token === current) throw unexpectedResponse("another refresh token", response);
      current = tokens.refresh_token;
      return expectedTokens(site, rotatingId, tokens);
    };
  },

  async introspection(connection, site) {
    const { access_token } = await runFlow(connection, site);
    const { issuer, clientId } = site;
    const expected = {
      ...{ active: true, token_type: "Bearer", iss: issuer, sub: user.sub, aud: issuer, client_id: clientId, scope },
      ...{ iat: time, exp: time, jti: /./, auth_time: time, sid: /./ },
    };
    return async () => {
      assertJson(await connection.post("/oauth2/introspect", `token=${access_token}`, credentials), expected);
      return [];
    };
  },

  async userinfo(connection, site) {
    const { access_token } = await runFlow(connection, site);
    return async () => {
      assertJson(await connection.get("/oauth2/userinfo", `Bearer ${access_token}`), user);
      return [];
    };
  },

  client_credentials: (connection, { issuer, paths }) =>
    Promise.resolve(async () => {
      const form = "grant_type=client_credentials&scope=read";
      const { access_token } = assertJson(await connection.post(paths.token, form, credentials), clientToken);
      return [{ token: access_token, claims: { iss: issuer, sub: confidential.id, client_id: confidential.id } }];
    }),
} satisfies Record<string, PrepareConnection>;

/** The name of a kind of request. */
export type RequestName = keyof typeof requests;
