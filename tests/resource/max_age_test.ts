/** Access tokens of assertions at a resource that demands a recent login (group ST). */

import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { jwksVerifier, type RequiredToken, requireToken } from "../../src/resource/mod.ts";
import {
  basicHeader,
  confidentialClient,
  fetchIntrospection,
  findLastRule,
  isActive,
  testClients,
} from "../server/client_endpoints.ts";
import { exchangeAssertion, startSeconds } from "../server/foreign_issuer.ts";
import { assertTokenResponse, decodeClaims, forEachCase, getOutcome } from "../kit.ts";
import { grant_types, rejected, trustingServer } from "../server/extensions/assertion_grants/trusting_server.ts";

const tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange";

test("[JB-15, ST-04] an assertion without auth_time yields an access token without one, which passes no maximum age", async () => {
  for (const grantProfile of [undefined, "id-jag"] as const) {
    const gateway = confidentialClient("gateway", { grant_types: [...grant_types, tokenExchange] });
    const users = [{ sub: "alice" }, { sub: "gateway" }];
    const clients = [...testClients.clients, gateway, confidentialClient("broker", { grant_types: [tokenExchange] })];
    const { idp, server } = await trustingServer({ grantProfile }, { clients, users, tokenExchange: {} });
    const header = { typ: grantProfile === undefined ? undefined : "oauth-id-jag+jwt" };
    const send = async (sub: string, claims: Record<string, unknown>) =>
      await exchangeAssertion(
        server,
        await idp.assertion(sub, { header, claims: { client_id: "gateway", ...claims } }),
      );
    const tokenOf = async (response: Response) => (await assertTokenResponse(response)).access_token;
    const exchangeToken = (subject_token: string, client: string) =>
      server.post("/oauth2/token", {
        grant_type: tokenExchange,
        subject_token_type: "urn:ietf:params:oauth:token-type:access_token",
        subject_token,
      }, basicHeader(client));
    const { issuer } = server.as;
    const verifier = jwksVerifier({
      issuer,
      fetch: (url, init) => server.as.fetch(new Request(url, init)),
      now: () => startSeconds * 1000,
    });
    const rules: (string | undefined)[] = [];
    const onRejection: RequiredToken["onRejection"] = ({ rule }) => rules.push(rule);
    const isRecent = async (token: string) => {
      const request = new Request(issuer, { headers: { authorization: `Bearer ${token}` } });
      const result = await requireToken(request, { resource: issuer, verifier, maxAgeSeconds: 60, onRejection });
      return !(result instanceof Response);
    };

    const known = await tokenOf(await send("alice", { auth_time: startSeconds }));
    assertEquals(await isRecent(known), true);
    const unknown = await tokenOf(await send("alice", {}));
    const exchanged = await tokenOf(await exchangeToken(unknown, "broker"));
    await forEachCase([unknown, exchanged], async (token) => {
      assertEquals([decodeClaims(token).sub, "auth_time" in decodeClaims(token)], ["alice", false]);
      assertEquals([await isRecent(token), rules.splice(0)], [false, ["ST-04"]]);
      const introspection = await fetchIntrospection(server, token);
      assertEquals([introspection.sub, "auth_time" in introspection], ["alice", false]);
    });
    // Only auth_time distinguishes a user with the id of the client from the client.
    assertEquals(await getOutcome(await send("gateway", { auth_time: startSeconds })), "200");
    assertEquals([await getOutcome(await send("gateway", {})), findLastRule(server)], [rejected, "JB-09"]);
    await server.as.users.set({ sub: "broker" });
    const ofBroker = await tokenOf(await send("broker", {}));
    assertEquals(await getOutcome(await exchangeToken(ofBroker, "broker")), "400 invalid_request");
    assertEquals(await getOutcome(await exchangeToken(ofBroker, "gateway")), "200");

    await server.as.users.delete("alice");
    assertEquals([await isActive(server, unknown), await isActive(server, known)], [false, false]);
  }
});
