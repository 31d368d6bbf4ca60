/**
 * Clients without a user: every profile and every configuration of a README or guide, each grant that needs no user,
 * and the request of the quick start of each provider. `deno test` of this file prints the table.
 */

import { assert, assertEquals } from "@std/assert";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { readConfiguration } from "../../../src/cli/read_config.ts";
import { configurationOfRealm } from "../../../src/cli/realm/configuration_of_realm.ts";
import { profileNames } from "../../../src/server/config/strictness.ts";
import { providerProfiles } from "./all_profiles.ts";
import { foreignJwks, type TestLatchkey, type TestLatchkeyOptions } from "../../../src/testing/mod.ts";
import { basic, decodeClaims } from "../../kit.ts";
import { testLatchkey } from "../../testing/test_latchkey.ts";

const job = "job";
const credentials = { client_id: job, client_secret: "a-secret-of-32-characters-or-more" };
const machineGrant = "client_credentials";
const jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer";

/** A token request of a client alone. */
interface MachineRequest {
  readonly fields?: Readonly<Record<string, string>>;
  readonly authentication: "basic" | "post";
  /** Whether it is sent as JSON. */
  readonly json?: boolean;
  /** The scope value that its API adds to the server. */
  readonly scope?: string;
}

/** The request in the documentation of each provider that has the grant. */
const quickStarts: Readonly<Record<string, MachineRequest>> = {
  // https://auth0.com/docs/quickstart/backend: "Obtain an access token"
  auth0: { json: true, authentication: "post", fields: { audience: "https://quickstarts/api" } },
  // https://developer.okta.com/docs/guides/implement-grant-type/clientcreds/main/
  okta: { authentication: "basic", fields: { scope: "customScope" }, scope: "customScope" },
  // https://www.keycloak.org/docs/latest/server_admin/#_service_accounts
  keycloak: { authentication: "basic" },
  // https://learn.microsoft.com/entra/identity-platform/v2-oauth2-client-creds-grant-flow
  entra: { authentication: "post", fields: { scope: "https://graph.microsoft.com/.default" } },
  // https://docs.aws.amazon.com/cognito/latest/developerguide/token-endpoint.html
  cognito: {
    authentication: "basic",
    fields: { scope: "my_resource_server/my_scope" },
    scope: "my_resource_server/my_scope",
  },
};

/** Sends a documented request; the outcome as one line. */
async function ask(as: TestLatchkey, { authentication, fields, json = false }: MachineRequest): Promise<string> {
  const all = { ...authentication === "post" && credentials, grant_type: "client_credentials", ...fields };
  const { origin, pathname } = new URL(as.issuer);
  const metadata = `${origin}/.well-known/oauth-authorization-server${pathname.replace(/\/$/, "")}`;
  const { token_endpoint } = await (await as.fetch(metadata)).json();
  const response = await as.fetch(token_endpoint, {
    method: "POST",
    headers: {
      ...authentication === "basic" && basic(credentials.client_id, credentials.client_secret),
      ...json && { "content-type": "application/json" },
    },
    body: json ? JSON.stringify(all) : new URLSearchParams(all),
  });
  return outcomeOf(await response.json());
}

function outcomeOf({ access_token, scope, error, error_description }: Record<string, unknown>): string {
  if (access_token === undefined) return `${error}: ${error_description}`;
  return scope === undefined ? "a token without scope" : `a token with ${scope}`;
}

/** The outcomes of every grant without a user: without `scope`, and as the provider documents it. */
async function outcomes(options: TestLatchkeyOptions, documented?: MachineRequest): Promise<[string, string][]> {
  const { clients = [], scopes } = options;
  await using as = await testLatchkey({
    ...options,
    clients: clients === "any" ? clients : clients.filter(({ client_id }) => client_id !== job),
    trustedIssuers: [{ issuer: "https://idp.test", jwks: foreignJwks(), subjects: { [job]: { client: job } } }],
    ...documented?.scope !== undefined && { scopes: [...scopes as readonly string[], documented.scope] },
  });
  const own = Array.isArray(clients) ? clients.filter(({ grant_types }) => grant_types?.includes(machineGrant)) : [];
  const isKeyed = as.client().token_endpoint_auth_method === "private_key_jwt";
  const client = as.client({
    ...{ client_id: job, confidential: true, redirect_uris: [], grant_types: [machineGrant, jwtBearer] },
    ...!isKeyed && credentials,
  });
  const outcome = (sender: Parameters<TestLatchkey["token"]>[0], fields: Record<string, string>) =>
    as.token(sender, fields).then(outcomeOf, ({ message }: Error) => message.split("\n", 1)[0]!);
  const assertion = await as.mint.assertion({ sub: job, ...isKeyed && { alg: "ES256" } });
  return [
    [`${machineGrant}, no scope`, await outcome(client, { grant_type: machineGrant })],
    ["jwt-bearer, no scope", await outcome(client, { grant_type: jwtBearer, assertion })],
    ...documented === undefined ? [] : [[`${machineGrant}, documented`, await ask(as, documented)] as [string, string]],
    ...await Promise.all(
      own.filter(({ client_secret }) => client_secret !== undefined).map(async (configured) =>
        [`${configured.client_id}, no scope`, await outcome(configured, { grant_type: machineGrant })] as [
          string,
          string,
        ]
      ),
    ),
  ];
}

/** Prints the outcomes by the name of the profile or the configuration; all must be tokens. */
async function assertTokens(
  cases: readonly (readonly [name: string, options: TestLatchkeyOptions, documented?: MachineRequest])[],
): Promise<void> {
  const failed: string[] = [];
  for (const [name, options, documented] of cases) {
    for (const [request, outcome] of await outcomes(options, documented)) {
      const row = `${name.padEnd(45)} ${request.padEnd(31)} ${outcome}`;
      console.log(row);
      if (!outcome.startsWith("a token")) failed.push(row);
    }
  }
  assertEquals(failed, []);
}

test("[CC-02, JB-11] a default scope of users fails no request of a client alone, under any profile", async () => {
  await assertTokens([
    ["(no profile)", {}],
    ["(no default scope)", { scopes: ["openid", "orders"], defaultScope: "" }],
    ...profileNames.map((profile) => [profile, { profile }] as const),
    ...Object.entries(providerProfiles).map(([profile, { scopes }]) =>
      [profile, { profile: profile as "okta", scopes }, quickStarts[profile]] as const
    ),
  ]);
});

test("[CC-02] without scope a client gets its own scope values from providers that grant them, and none of users", async () => {
  const own = ["read:notes", "write:notes"];
  // Their documentation says so: auth0.ts and cognito.ts name the pages.
  const generous = ["auth0", "cognito"];
  for (const [profile, { scopes = [] }] of Object.entries(providerProfiles)) {
    await using as = await testLatchkey({
      profile: profile as "okta",
      scopes: [...new Set(["openid", ...scopes, ...own])],
    });
    const client = as.client({
      ...{ client_id: job, confidential: true, redirect_uris: [], grant_types: [machineGrant] },
      scope: [...own, "openid"].join(" "),
    });
    const { access_token, scope } = await as.token(client, { grant_type: machineGrant });
    // Cognito's responses have no scope, its tokens do.
    const granted = scope ?? (profile === "cognito" ? decodeClaims(access_token).scope : "");
    assertEquals([profile, granted], [profile, generous.includes(profile) ? own.join(" ") : ""]);
  }
});

test("[CC-02, JB-11] nor under any configuration that a README prints, or that is made of a realm", async () => {
  const realm = { clientId: "service", secret: "a-secret-of-32-characters-or-more", serviceAccountsEnabled: true };
  const { value } = configurationOfRealm({ realm: "shop", clients: [realm] }, () => "another-secret");
  const cases: (readonly [string, TestLatchkeyOptions])[] = [["a realm of Keycloak", value as TestLatchkeyOptions]];
  for (
    const path of [
      "README.md",
      ...globSync(["src/**/*.md", "static/docs/*.md"]).map((found) => found.replaceAll("\\", "/")).sort(),
    ]
  ) {
    const text = readFileSync(path, "utf8");
    const blocks = [...text.matchAll(/```json\n([\s\S]*?)```|LATCHKEY_CONFIG_JSON='([^']+)'/g)];
    for (const [i, [, block, variable]] of blocks.entries()) {
      const input = {
        args: [],
        env: { LATCHKEY_CONFIG_JSON: block ?? variable },
        readTextFile: () => Promise.resolve(""),
      };
      const configuration = await readConfiguration(input).catch(() => undefined);
      if (configuration?.kind !== "run") continue;
      cases.push([`${path.replace("/README.md", "")} ${i + 1}`, configuration.settings as TestLatchkeyOptions]);
    }
  }
  assert(cases.length > 15, `${cases.length} configurations`);
  await assertTokens(cases);
});
