/**
 * Scope values that only a user can grant, in requests without a user: rejected by a strict server, ignored with a
 * warning where the way in is loosened. `deno test` of this file prints the table.
 */

import { assert, assertEquals } from "@std/assert";
import { test } from "node:test";
import { convertMockOAuth2Config } from "../../../src/cli/mock_oauth2_config.ts";
import { configurationOfRealm } from "../../../src/cli/realm/configuration_of_realm.ts";
import { OAuth2Server } from "../../../src/testing/oauth2_mock_server/mod.ts";
import { foreignJwks, type TestLatchkeyOptions } from "../../../src/testing/mod.ts";
import { basic } from "../../kit.ts";
import { testLatchkey } from "../../testing/test_latchkey.ts";

const credentials = { client_id: "job", client_secret: "a-secret-of-32-characters-or-more" };
const jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const userScopes = ["openid", "profile", "email", "address", "phone", "offline_access"];
const requests: readonly string[] = [...userScopes, userScopes.join(" "), "read openid", "openid read email"];

/** What is left of a scope. */
const leftOf = (scope: string) => scope.split(" ").filter((value) => !userScopes.includes(value)).join(" ");

const realm = configurationOfRealm({
  realm: "shop",
  clients: [{ clientId: "service", secret: credentials.client_secret, serviceAccountsEnabled: true }],
}, () => "another-secret").value as TestLatchkeyOptions;

/** What a JSON_CONFIG sets; the port is one of the program. */
const { port: _, ...jsonConfig } = convertMockOAuth2Config({}).content;

/** The ways in that are loosened, and some that are not. */
const ways: Readonly<Record<string, { readonly isLoosened: boolean; readonly options: TestLatchkeyOptions }>> = {
  "plain server": { isLoosened: false, options: {} },
  "profile okta": { isLoosened: false, options: { profile: "okta" } },
  "profile mcp": { isLoosened: false, options: { profile: "mcp" } },
  'scopes "any"': { isLoosened: true, options: { scopes: "any" } },
  "JSON_CONFIG": { isLoosened: true, options: jsonConfig as TestLatchkeyOptions },
  "profile keycloak": { isLoosened: true, options: { profile: "keycloak" } },
  "a realm of Keycloak": { isLoosened: true, options: realm },
};

type Outcome = { readonly text: string; readonly warnings: readonly string[] };

/** The outcomes of every grant without a user, by grant and scope. */
async function outcomes({ options }: (typeof ways)[string]): Promise<ReadonlyMap<string, Outcome>> {
  const { clients } = options;
  await using as = await testLatchkey({
    ...options,
    claims: { ...options.claims, read: [] },
    ...Array.isArray(clients) && { clients: clients.filter(({ client_id }) => client_id !== credentials.client_id) },
    trustedIssuers: [{
      ...{ issuer: "https://idp.test", jwks: foreignJwks(), users: "sub" },
      subjects: { job: { client: credentials.client_id } },
    }],
  });
  const isKeyed = as.client().token_endpoint_auth_method === "private_key_jwt";
  const client = as.client({
    ...{ client_id: credentials.client_id, confidential: true, redirect_uris: [] },
    grant_types: ["client_credentials", jwtBearer],
    ...!isKeyed && credentials,
  });
  const found = new Map<string, Outcome>();
  for (const scope of requests) {
    const assertion = { ...isKeyed && { alg: "ES256" as const } };
    const grants = {
      "client_credentials": { grant_type: "client_credentials" },
      "jwt-bearer of the client": {
        grant_type: jwtBearer,
        assertion: await as.mint.assertion({ sub: "job", ...assertion }),
      },
    };
    for (const [grant, fields] of Object.entries(grants)) {
      const before = as.log.exchanges.length;
      const text = await as.token(client, { ...fields, scope }).then(
        (tokens) => tokens.scope === undefined ? "a token without scope" : `a token with "${tokens.scope}"`,
        ({ message }: Error) => message.split("\n", 1)[0]!,
      );
      const warnings = as.log.exchanges.slice(before).flatMap(({ warnings }) =>
        warnings.flatMap(({ rule }) => rule ?? [])
      );
      found.set(`${grant}, scope=${scope}`, { text, warnings });
    }
  }
  return found;
}

test("[CC-02, JB-11] what only a user can grant is ignored with a warning in every loosened way in, and rejected elsewhere", async () => {
  const wrong: string[] = [];
  for (const [name, way] of Object.entries(ways)) {
    for (const [request, { text, warnings }] of await outcomes(way)) {
      const scope = request.replace(/.*scope=/, "");
      const row = `${name.padEnd(38)} ${request.padEnd(82)} ${text} ${warnings.join(" ")}`;
      console.log(row);
      const isRight = way.isLoosened
        ? text === `a token with "${leftOf(scope)}"` && warnings.includes("CC-02")
        : text.includes("invalid_scope");
      if (!isRight) wrong.push(row);
    }
  }
  assertEquals(wrong, []);
});

test("[CC-02] and by the API of oauth2-mock-server", async () => {
  const server = new OAuth2Server();
  await server.issuer.keys.generate("ES256");
  await server.start(0, "localhost");
  try {
    for (const scope of requests) {
      const response = await fetch(`${server.issuer.url}/token`, {
        method: "POST",
        headers: basic("job", "any secret"),
        body: new URLSearchParams({ grant_type: "client_credentials", scope }),
      });
      const body = await response.json();
      console.log(`${"API of oauth2-mock-server".padEnd(38)} ${scope.padEnd(82)} ${response.status} "${body.scope}"`);
      assertEquals([response.status, body.scope], [200, leftOf(scope)]);
      assert(typeof body.access_token === "string");
    }
  } finally {
    await server.stop();
  }
});
