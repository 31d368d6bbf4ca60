/** The order of the checks of an authorization request: of several mistakes, the first row of the table is reported. */

import { assertEquals, assertRejects } from "@std/assert";
import { test } from "node:test";
import { approvalChecks, destinationChecks, tokenRequestSteps } from "./check_order.ts";
import { toResponse } from "../../src/core/http/message.ts";
import { type Authorization, ConfigurationError, type CoreExtension } from "../../src/core/mod.ts";
import { authorizeParameters, basic, encode, type Parameters, startCore } from "./kit.ts";

/** A request that breaks every rule, but never the same parameter in two ways. */
const wrong: Parameters = {
  client_id: "unknown",
  redirect_uri: "https://evil.example/cb&redirect_uri=https://evil.example/cb",
  response_mode: "form_post",
  request: "x.y.z",
  display: "page&display=page",
  state: "a\u0007b",
  response_type: "token",
  nonce: "n".repeat(1025),
  scope: "openid unknown",
  code_challenge: "short",
  resource: "https://api.example",
  prompt: "none login",
};

/** The headers of a page of another site, under a host name of an attacker. */
const wrongHeaders = { host: "evil.example", "sec-fetch-site": "cross-site", "sec-fetch-dest": "iframe" };

/** How each mistake is corrected, in the order of the table. */
const corrections:
  readonly (readonly [rule: string, parameters: Parameters, headers?: Partial<typeof wrongHeaders>])[] = [
    ["AZ-02", { client_id: "spa" }],
    // With a valid redirect URI, the same mistake is reported to the client.
    ["JR-01", { request: undefined }],
    ["AZ-06", { redirect_uri: undefined }],
    ["RU-07", { scope: "unknown" }],
    ["RU-06", { redirect_uri: "https://evil.example/cb" }],
    ["RU-01", { redirect_uri: authorizeParameters.redirect_uri, request: wrong.request }],
    ["FP-04", {}, { host: "localhost:9000" }],
    ["JR-01", { request: undefined }],
    ["AZ-07", { display: "page" }],
    // A form is needed to break the rule, and the host is right until then.
    ["FP-03", { state: "s1", response_mode: "unknown" }, { host: "evil.example" }],
    ["AZ-09", { response_type: "code" }],
    ["AZ-19", { response_mode: undefined }],
    ["AZ-13", { nonce: undefined }],
    ["AZ-17", { scope: "openid" }],
    ["PK-07", { code_challenge: authorizeParameters.code_challenge }],
    ["RI-01", { resource: undefined }],
    ["OI-03", { prompt: "none" }],
    ["OI-03", { prompt: undefined }],
    ["UI-20", {}, { host: "localhost:9000" }],
    ["UI-30", {}, { "sec-fetch-site": "none", "sec-fetch-dest": "document" }],
    ["AZ-21", {}],
  ];

test("[AZ-02, AZ-06, RU-07, RU-06, RU-01, FP-04, JR-01, AZ-07, FP-03, AZ-09, AZ-19, AZ-13, AZ-17, PK-07, RI-01, OI-03, UI-20, UI-30, AZ-21] of several mistakes, the check that stands first rejects the request", async () => {
  const { server, lastRule } = await startCore({ users: [], policy: { alg: "EdDSA", requireRedirectUri: true } });
  let parameters: Parameters = { ...authorizeParameters, ...wrong };
  let headers = wrongHeaders;
  for (const [rule, corrected, correctedHeaders] of corrections) {
    const query = encode(parameters).replace(/%26(display|redirect_uri)%3D/, "&$1=");
    const url = `http://localhost:9000/oauth2/authorize?${query}`;
    await toResponse(await server.handle({ ...new Request(url), url, method: "GET", headers: new Headers(headers) }));
    assertEquals(lastRule(), rule);
    parameters = { ...parameters, ...corrected };
    headers = { ...headers, ...correctedHeaders };
  }
  const table = [...destinationChecks, ...server.server.requestChecks, ...approvalChecks].flatMap(({ rule }) =>
    rule ?? []
  );
  assertEquals(corrections.map(([rule]) => rule), table.slice(0, corrections.length));
});

test("[OI-05, OI-08, AZ-18] after the login, the check that stands first rejects the approval", async () => {
  const wrongApproval = { scope: [], user: { sub: "bob" }, authTime: 0 };
  let approval: typeof wrongApproval = wrongApproval;
  const { authorize, code, exchange, lastRule, server } = await startCore({ approver: () => approval });
  const now = server.server.now();
  const user = async (sub: string) => (await server.server.users.find(sub))! as { sub: string };
  approval = { scope: ["openid"], user: await user("alice"), authTime: now } as never;
  const { id_token } = await (await exchange(await code())).json();
  const rules: (string | undefined)[] = [];
  const request = { id_token_hint: id_token, max_age: "60" };
  approval = { ...wrongApproval, user: await user("bob") };
  for (const corrected of [{ authTime: now }, { user: await user("alice") }, {}]) {
    await authorize(request);
    rules.push(lastRule());
    approval = { ...approval, ...corrected };
  }
  assertEquals(rules, ["OI-05", "OI-08", "AZ-18"]);
  const table = approvalChecks.map(({ rule }) => rule);
  assertEquals(rules, table.slice(table.indexOf("OI-05"), -1));
});

test("[TK-05, TK-06] of several mistakes, the step of a token request that stands first rejects it", async () => {
  const fail = () => {
    throw new Error("a mistake");
  };
  let check: () => void = fail;
  let authorize: () => Partial<Authorization> = fail;
  let stack = "";
  const proof: CoreExtension = {
    name: "proof",
    grantTypes: [{
      type: "urn:proof",
      parameters: [],
      // A method that awaits: Bun shows neither a call in tail position nor the name of an async arrow in a stack.
      async authorize() {
        return await authorize() as Authorization;
      },
    }],
    requestChecks: [{ atTokenEndpoint: true, read: () => check() }],
    extend: (server) => ({
      ...server,
      responses: {
        ...server.responses,
        token: (current, request) =>
          server.responses.token(current, request).catch((error) => {
            stack = error.stack;
            throw error;
          }),
      },
    }),
  };
  const client = { client_id: "other", client_secret: "other-secret", redirect_uris: [] };
  const { token, server } = await startCore({
    extensions: [proof],
    clients: [
      { ...client, grant_types: ["client_credentials"], scope: "read" },
      { ...client, client_id: "proof", grant_types: ["urn:proof"], scope: "read" },
    ],
  });
  const result: Authorization = {
    client: (await server.server.clients.find("proof", server.server))!,
    ...{ scope: ["write"], grantId: "g", subject: { sub: "nobody", authTime: 0 } },
    consume: () => fail(),
  };
  let [id, secret] = ["other", "wrong-secret"];
  const corrections: readonly (() => unknown)[] = [
    () => secret = client.client_secret,
    () => id = "proof",
    () => check = () => {},
    () => authorize = () => ({}),
    () => authorize = () => result,
    () => authorize = () => ({ ...result, scope: ["read"] }),
    () => authorize = () => ({ ...result, scope: ["read"], subject: { sub: "alice" } }),
  ];
  const rejectedBy: (string | undefined)[] = [];
  for (const correct of [() => {}, ...corrections]) {
    correct();
    stack = "    at authenticateClient (";
    await token({ grant_type: "urn:proof" }, basic(id, secret));
    const isIn = (by: string) => new RegExp(`^ +at (async )?(\\w+\\.)?${by.split(" ")[0]} \\(`, "m").test(stack);
    rejectedBy.push(tokenRequestSteps.findLast(({ by }) => isIn(by))?.by);
  }
  assertEquals(rejectedBy, tokenRequestSteps.map(({ by }) => by));
});

test("a check of an extension whose place is no place is rejected at the start", async () => {
  const places: readonly unknown[] = [
    ...[{ after: "HT-01" }, { aftr: "AZ-17" }, { after: "AZ-17", before: "PK-07" }, {}, null, "first", "last "],
    ...[5, [], { after: undefined }],
  ];
  for (const place of places) {
    const error = await assertRejects(
      () => startCore({ extensions: [{ name: "misplaced", requestChecks: [{ place, read() {} }] as never }] }),
      ConfigurationError,
      "before, after and instead with one of JR-01, AZ-07,",
    );
    assertEquals(
      error.issues.map(({ path, received }) => [path, received]),
      [["extensions[0].requestChecks[0].place", JSON.stringify(place)]],
    );
  }
});

test("[AZ-13] the checks of extensions run at their places, in the order of the extensions, or instead of a check", async () => {
  const order: string[] = [];
  const check = (name: string, place?: object) => ({ read: () => void order.push(name), ...place });
  const { code } = await startCore({
    extensions: [
      {
        name: "one",
        requestChecks: [
          check("last", { place: "last" }),
          check("after OI-03", { place: { after: "OI-03" } }),
          check("before AZ-17", { place: { before: "AZ-17" } }),
          check("instead of AZ-13", { place: { instead: "AZ-13" } }),
          check("no place"),
        ] as never,
      },
      { name: "two", requestChecks: [check("second before AZ-17", { place: { before: "AZ-17" } })] as never },
    ],
  });
  await code({ nonce: "n".repeat(2000) });
  assertEquals(order, ["no place", "instead of AZ-13", "before AZ-17", "second before AZ-17", "after OI-03", "last"]);
});
