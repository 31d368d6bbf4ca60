/** Extensions of an embedding program, in the option `extensions`. */

import { assertEquals, assertRejects } from "@std/assert";
import { test } from "node:test";
import type { Extension } from "../../../src/server/extension.ts";
import { ConfigurationError, extensions, type LatchkeyOptions, OAuthError } from "../../../src/mod.ts";
import { encode, getRedirectParams, getRejections, goodRequest, testServer } from "../../kit.ts";
import { latchkey } from "../../secret_leak_check.ts";

/** An extension with a setting, a member of metadata, an endpoint, a parameter, and a member of token responses. */
const audience: Extension<{ readonly checkAudience: boolean }> = {
  name: "audience",
  settings: {
    fields: { checkAudience: { type: "boolean", expected: "true or false", examples: [true], default: false } },
  },
  metadata: ({ policy }) => ({ check_audience: policy.checkAudience }),
  endpoints: (_settings, { base }) => [{
    name: "audience",
    metadataName: "audience_endpoint",
    path: `${base}/oauth2/audience`,
    methods: ["GET"],
    caller: "any",
    title: "Audience",
    errors: "json",
    load: () => ({ GET: ({ server }) => ({ status: 200, headers: {}, body: server.audience }) }),
  }],
  requestChecks: [{
    parameters: [{ name: "audience" }],
    read({ server, params }) {
      const received = params.get("audience");
      if (received === undefined || received === server.audience) return;
      const explanation = { fix: "Send the audience as resource.", expected: server.audience, received };
      throw new OAuthError("invalid_target", "audience is not the audience of the access token", explanation);
    },
  }],
};

test("an extension of the program has settings, metadata, an endpoint and a parameter, and names the fix of its rejection", async () => {
  const settings = { checkAudience: true };
  const server = await testServer({ extensions: [...extensions, audience], ...settings });
  const metadata = await (await server.get("/.well-known/openid-configuration")).json();
  assertEquals([metadata.check_audience, metadata.audience_endpoint], [true, "https://as.test/oauth2/audience"]);
  assertEquals(await (await server.get("/oauth2/audience")).text(), server.as.issuer);
  const request = async (audience: string | readonly string[]) =>
    getRedirectParams(await server.get(`/oauth2/authorize?${encode({ ...goodRequest, audience })}`));
  assertEquals((await request(server.as.issuer)).has("code"), true);
  assertEquals((await request("https://other.example")).get("error"), "invalid_target");
  assertEquals(getRejections(server.events).map(({ explanation }) => explanation?.fix), [
    "Send the audience as resource.",
  ]);
  assertEquals((await request([server.as.issuer, server.as.issuer])).get("error"), "invalid_request");
});

test("a list of extensions that is none, or in which two have one name or one setting, is rejected", async () => {
  const { fields } = audience.settings!;
  for (
    const [list, path, received] of [
      [[audience, audience], "extensions[1].name", `"audience"`],
      [[...extensions, { ...audience, name: "dpop" }], `extensions[${extensions.length}].name`, `"dpop"`],
      ...["resource_indicators", "google"].map((name) =>
        [[{ ...audience, name }], "extensions[0].name", `"${name}"`] as const
      ),
      [[audience, { ...audience, name: "other" }], "extensions[1]", "the setting checkAudience"],
      [
        [{ ...audience, settings: { fields: { issuer: fields!.checkAudience! } } }],
        "extensions[0]",
        "the setting issuer",
      ],
      [["dpop"], "extensions[0]", `"dpop"`],
      [[undefined], "extensions[0]", "nothing"],
      [audience, "extensions", "an object"],
    ] as const
  ) {
    const options = { issuer: "https://as.test", extensions: list } as LatchkeyOptions;
    const { issues } = await assertRejects(() => latchkey(options), ConfigurationError);
    assertEquals(issues.map((issue) => [issue.path, issue.received]), [[path, received]]);
  }
});

test("an extension whose check has no place, or which returns no server, stops the start", async () => {
  const mistakes: readonly (readonly [mistake: object, path: string, received: string])[] = [
    [{ requestChecks: [{ place: { after: "AZ-99" }, read() {} }] }, "requestChecks[0].place", '{"after":"AZ-99"}'],
    [{ extend() {} }, "extend", "nothing (extension tickets)"],
  ];
  for (const [mistake, path, received] of mistakes) {
    const list = [...extensions, { name: "tickets", ...mistake }];
    const { issues } = await assertRejects(
      async () => await latchkey({ issuer: "https://as.test", extensions: list }),
      ConfigurationError,
    );
    assertEquals(issues.map((issue) => [issue.path, issue.received]), [
      [`extensions[${extensions.length}].${path}`, received],
    ]);
  }
});

type ExtendedServer = Parameters<NonNullable<Extension["extend"]>>[0];
type AnyFunction = (...values: unknown[]) => unknown;

/** The functions of an object, which receive a spread of each server that they are called with. */
function callingWithSpread<T extends object>(object: T, now: () => number): T {
  const spread = (value: unknown) =>
    typeof value === "object" && value && "newToken" in value ? { ...value, now } : value;
  return Object.fromEntries(
    Object.entries(object).map(([name, member]) => [
      name,
      typeof member === "function"
        ? (...values: unknown[]) => (member as AnyFunction).apply(object, values.map(spread))
        : member,
    ]),
  ) as T;
}

test("the functions that an extension replaces may call the former ones with a spread of their server", async () => {
  const clock: Extension = {
    name: "clock",
    extend(server: ExtendedServer) {
      const members = callingWithSpread(server, server.now);
      const { now, users, keys, grants, identifiers, responses, presentedTokens } = server;
      const groups = { users, keys, grants, identifiers, responses, presentedTokens };
      const replaced = Object.entries(groups).map(([name, group]) => [name, callingWithSpread(group, now)]);
      const tables = Object.entries(server.steps).map(([name, rows]) => [
        name,
        rows.map((row: object) => callingWithSpread(row, now)),
      ]);
      return { ...members, ...Object.fromEntries(replaced), steps: Object.fromEntries(tables) };
    },
  };
  const server = await testServer({ extensions: [...extensions, clock] });
  const response = await server.token({ code: await server.code() });
  assertEquals(response.status, 200);
  const headers = { authorization: `Bearer ${(await response.json()).access_token}` };
  assertEquals((await server.get("/oauth2/userinfo", { headers })).status, 200);
});

type ClientAuth = NonNullable<Extension["clientAuthentication"]>[number];

/** A method whose functions are not properties of the object itself, and need it. */
class PinAuthentication implements ClientAuth {
  readonly method = "client_secret_jwt";
  readonly #pin = "1234";

  isUsed({ params }: Parameters<ClientAuth["isUsed"]>[0]): boolean {
    return params.get("pin") !== undefined;
  }

  claimedId({ params }: Parameters<ClientAuth["claimedId"]>[0]): string | undefined {
    return params.get("client_id");
  }

  async authenticate(...[server, { params }]: Parameters<ClientAuth["authenticate"]>) {
    const client = params.get("pin") === this.#pin ? await server.clients.find(params.get("client_id")!) : undefined;
    if (client === undefined) {
      throw new OAuthError("invalid_client", "the pin is wrong", { fix: "Send the right one." });
    }
    return client;
  }
}

test("an extension of the program authenticates clients by an object of a class", async () => {
  const pins: Extension = {
    name: "pins",
    clientAuthentication: [new PinAuthentication()],
    requestChecks: [{ parameters: [{ name: "pin" }] }],
  };
  const server = await testServer({
    extensions: [...extensions.filter(({ name }) => name !== "assertion_authentication"), pins],
    clients: [{
      client_id: "machine",
      client_secret: "never-sent",
      token_endpoint_auth_method: "client_secret_jwt",
      grant_types: ["client_credentials"],
    }],
  });
  const request = (pin: string) =>
    server.token({ grant_type: "client_credentials", client_id: "machine", redirect_uri: undefined, pin });
  assertEquals([(await request("1234")).status, (await request("0000")).status], [200, 401]);
});

test("an extension of the program may freeze the server", async () => {
  const frozen: Extension = {
    name: "frozen",
    extend(server) {
      const { grants, users } = server;
      const isEmpty: typeof grants.isEmpty = (granted) => grants.isEmpty(granted);
      const frozen = { grants: Object.freeze({ ...grants, isEmpty }), users: Object.freeze(users) };
      return Object.freeze({ ...server, ...frozen });
    },
  };
  const server = await testServer({ extensions: [...extensions, frozen] });
  const { headers } = await server.authorize({});
  const code = new URL(headers.get("location")!).searchParams.get("code")!;
  assertEquals((await server.token({ code })).status, 200);
});

test("an extension of the program receives what is observed, and passes it on to the trace", async () => {
  const observed: string[] = [];
  const counter: Extension = {
    name: "counter",
    extend: (server) => ({
      ...server,
      observe(...observation) {
        observed.push(observation[2]);
        server.observe(...observation);
      },
    }),
  };
  const server = await testServer({ extensions: [...extensions, counter], redirectUris: "any" });
  await server.authorize({ redirect_uri: "https://other.example/cb" });
  assertEquals(observed.includes("RU-01"), true);
  assertEquals(server.events.some((event) => event.type === "warning" && event.explanation.rule === "RU-01"), true);
});
