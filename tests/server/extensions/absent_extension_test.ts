/**
 * A server without an extension does not know it: this test walks the list, so that it covers the next extension too.
 */

import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { exportJWK, generateKeyPair } from "jose";
import { test } from "node:test";
import { autoApprover } from "../../../src/server/login/auto_approver.ts";
import type { App } from "../../../src/server/app.ts";
import type { Latchkey, LatchkeyOptions } from "../../../src/mod.ts";
import { ConfigurationError } from "../../../src/core/rules/configuration_error.ts";
import type { Extension } from "../../../src/server/config/extension.ts";
import { extensions } from "../../../src/server/hosting/extensions.ts";
import { latchkey } from "../../secret_leak_check.ts";

const client = {
  client_id: "job",
  client_secret: "a-secret-of-32-characters-or-more",
  redirect_uris: ["https://client.test/callback"],
};

/** The app of a server with the examples of an extension's settings. */
async function appWith(extension: Extension): Promise<App> {
  const { fields = {} } = extension.settings ?? {};
  const settings = Object.entries(fields).map(([name, field]) => [name, field.examples[0]]);
  let app: App;
  const plugins = [{ setup: (created: App) => void (app = created) }];
  await using _as = await latchkey({ ...Object.fromEntries(settings), issuer: "https://as.test", extensions, plugins });
  return app!;
}

async function send(as: Latchkey, method: string, path: string): Promise<{ status: number; body: string }> {
  const response = await as.fetch(new Request(as.issuer + path, { method, headers: { accept: "application/json" } }));
  return { status: response.status, body: await response.text() };
}

/** Logs in and exchanges the code, with further parameters in both requests, and headers in the second. */
async function logIn(
  as: Latchkey,
  added: Readonly<Record<string, string>> = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<Record<string, unknown>> {
  const authorize = new URL(`${as.issuer}/oauth2/authorize`);
  authorize.search = new URLSearchParams({
    response_type: "code",
    client_id: "job",
    redirect_uri: client.redirect_uris[0]!,
    scope: "openid",
    code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
    code_challenge_method: "S256",
    ...added,
  }).toString();
  const callback = new URL((await as.fetch(new Request(authorize))).headers.get("location")!);
  const body = new URLSearchParams({
    grant_type: "authorization_code",
    client_id: "job",
    client_secret: client.client_secret,
    code: callback.searchParams.get("code")!,
    redirect_uri: client.redirect_uris[0]!,
    code_verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
    ...added,
  });
  return await (await as.fetch(new Request(`${as.issuer}/oauth2/token`, { method: "POST", headers, body }))).json();
}

/** The parameters by which requests name the sources that extensions add, and a value of each. */
const sources: Readonly<Record<string, readonly [parameter: string, value: string]>> = {
  par: ["request_uri", "urn:ietf:params:oauth:request_uri:x"],
  signed_requests: ["request", "x"],
};

for (const extension of extensions) {
  const others = extensions.filter((other) => other !== extension);
  const { name, settings: { fields = {} } = {}, grantTypes = [], requestChecks = [] } = extension;

  test(`without ${name}: its settings are unknown`, async () => {
    for (const [setting, field] of Object.entries(fields)) {
      const error = await assertRejects(
        () => latchkey({ issuer: "https://as.test", extensions: others, [setting]: field.examples[0] }),
        ConfigurationError,
      );
      assertEquals(error.issues.map(({ path }) => path), [setting]);
    }
  });

  test(`without ${name}: [TK-05] its grant types are not supported, and metadata does not list them`, async () => {
    await using as = await latchkey({ issuer: "https://as.test", extensions: others, clients: [client] });
    const metadata = await (await as.fetch(new Request(`${as.issuer}/.well-known/oauth-authorization-server`))).json();
    for (const { type } of grantTypes) {
      const body = new URLSearchParams({ grant_type: type, client_id: "job", client_secret: client.client_secret });
      const response = await as.fetch(new Request(`${as.issuer}/oauth2/token`, { method: "POST", body }));
      assertEquals((await response.json()).error, "unsupported_grant_type", type);
      assertEquals(metadata.grant_types_supported.includes(type), false, type);
    }
  });

  test(`without ${name}: its parameters are ignored`, async () => {
    await using as = await latchkey({ issuer: "https://as.test", extensions: others, clients: [client] });
    const added = requestChecks.flatMap(({ parameters = [] }) => parameters).map((parameter) => [parameter.name, "?"]);
    const tokens = await logIn(as, Object.fromEntries(added));
    assertEquals(Object.keys(tokens), Object.keys(await logIn(as)));
    assertEquals("access_token" in tokens, true);
  });

  test(`without ${name}: its paths are not found, and metadata has none of its members`, async () => {
    const { server } = await appWith(extension);
    const { requestChecks } = server;
    const options = {
      ...{ base: "", requestChecks, formParameters: [], redirectParameters: [] },
      ...{ approver: autoApprover, hasPages: true, openLogin: true, pages: {} },
    };
    const endpoints = extension.endpoints?.(server.policy, options) ?? [];
    const document = { claims_supported: [] };
    const added = Object.keys(extension.metadata?.(server, [], document) ?? {});
    const members = [
      ...added.filter((member) => !Object.hasOwn(document, member)),
      ...endpoints.flatMap(({ metadataName }) => metadataName ?? []),
    ];
    await using as = await latchkey({ issuer: "https://as.test", extensions: others });
    for (const { path, aliases = [], methods } of endpoints) {
      for (const ofExtension of [path, ...aliases].map((each) => each.replace("*", "x"))) {
        for (const method of methods) {
          const [found, unknown] = await Promise.all([ofExtension, "/unknown"].map(async (requested) => {
            const { status, body } = await send(as, method, requested);
            return [status, body.replace(/\. Did you mean [^?]*\?/, "").replaceAll(requested, "")];
          }));
          assertEquals(found, unknown, `${method} ${ofExtension}`);
        }
      }
    }
    const metadata = await (await as.fetch(new Request(`${as.issuer}/.well-known/oauth-authorization-server`))).json();
    assertEquals(members.filter((member) => member in metadata), []);
  });

  test(`without ${name}: [JR-01] the source of its requests is not supported, also in a pushed request`, async () => {
    const { server } = await appWith(extension);
    const { resolveRequest } = await extension.extend?.(server) ?? server;
    assertEquals(resolveRequest !== server.resolveRequest, name in sources);
    if (!(name in sources)) return;
    const [parameter, value] = sources[name]!;
    await using as = await latchkey({ issuer: "https://as.test", extensions: others, clients: [client] });
    const [redirect_uri] = client.redirect_uris;
    const fields = { client_id: "job", redirect_uri: redirect_uri!, response_type: "code", [parameter]: value };
    const authorize = `${as.issuer}/oauth2/authorize?${new URLSearchParams(fields)}`;
    const location = new URL((await as.fetch(new Request(authorize))).headers.get("location")!);
    assertEquals(location.searchParams.get("error"), `${parameter}_not_supported`);
    if (!others.some(({ name }) => name === "par")) return;
    const body = new URLSearchParams({ ...fields, client_secret: client.client_secret });
    const pushed = await as.fetch(new Request(`${as.issuer}/oauth2/par`, { method: "POST", body }));
    assertEquals([pushed.status, (await pushed.json()).error], [400, `${parameter}_not_supported`]);
  });

  test(`without ${name}: the home page, the demo login and the directory work`, async () => {
    await using as = await latchkey({ issuer: "https://localhost", login: "auto", extensions: others });
    for (
      const path of [
        "/",
        "/authorized",
        "/start",
        "/clients",
        "/clients/demo-public",
        "/users/alice",
      ]
    ) {
      const response = await as.fetch(new Request(as.issuer + path));
      assert(response.status < 500, `${path}: ${response.status} ${await response.text()}`);
    }
  });
}

test("without an extension for it, a response mode cannot be set, requested or registered", async () => {
  for (const extension of extensions.filter(({ settings }) => settings?.values?.responseModes !== undefined)) {
    const others = extensions.filter((other) => other !== extension);
    await using as = await latchkey({ issuer: "https://as.test", extensions: others, clients: [client] });
    const metadata = await (await as.fetch(new Request(`${as.issuer}/.well-known/oauth-authorization-server`))).json();
    for (const name of extension.settings!.values!.responseModes!) {
      const issues = async (options: LatchkeyOptions): Promise<readonly string[]> => {
        const error = await assertRejects(
          () => latchkey({ issuer: "https://as.test", extensions: others, ...options }),
          ConfigurationError,
        );
        return error.issues.map(({ path }) => path);
      };
      assertEquals(await issues({ responseModes: ["query", name] }), ["responseModes[1]"]);
      assertEquals(await issues({ responseModes: [name] }), ["responseModes[0]"]);
      assertEquals(await issues({ clients: [{ ...client, response_modes: [name] }] }), [
        "clients[0].response_modes[0]",
      ]);
      assertEquals(metadata.response_modes_supported.includes(name), false, name);
      const query = new URLSearchParams({ response_type: "code", client_id: "job", response_mode: name });
      const response = await as.fetch(new Request(`${as.issuer}/oauth2/authorize?${query}`));
      assertEquals(new URL(response.headers.get("location")!).searchParams.get("error"), "invalid_request", name);
    }
  }
});

test("without signed responses, introspection responses are JSON", async () => {
  const others = extensions.filter(({ name }) => name !== "signed_responses");
  await using as = await latchkey({ issuer: "https://as.test", extensions: others, clients: [client] });
  const body = new URLSearchParams({ token: "x", client_id: "job", client_secret: client.client_secret });
  const headers = { accept: "application/token-introspection+jwt" };
  const response = await as.fetch(new Request(`${as.issuer}/oauth2/introspect`, { method: "POST", headers, body }));
  assertEquals(response.headers.get("content-type"), "application/json");
});

test("a profile that demands a setting of an extension is rejected without the extension", async () => {
  const path = "requirePushedAuthorizationRequests";
  const others = extensions.filter(({ settings }) => !Object.hasOwn(settings?.fields ?? {}, path));
  const options = { issuer: "https://as.test", extensions: others };
  const member = { client_id: "job", redirect_uris: client.redirect_uris, profile: "fapi2-security" as const };
  for (const weaker of [{ profile: "fapi2-security" as const }, { clients: [member] }]) {
    const error = await assertRejects(() => latchkey({ ...options, ...weaker }), ConfigurationError);
    assert(error.issues.some(({ path: at, expected }) => at.endsWith("profile") && expected.includes(path)));
  }
});

test("without the extension that meets a demand of a client, the client is rejected", async () => {
  const keys = await Promise.all(
    ["ES256", "RS256"].map(async (alg) => exportJWK((await generateKeyPair(alg)).publicKey)),
  );
  const jwks = { keys };
  const demands = extensions.flatMap(({ name, clientMetadata }) =>
    Object.entries(clientMetadata?.fields ?? {}).flatMap(([member, { isDemand, examples: [value] }]) =>
      isDemand ? [{ name, member, value }] : []
    )
  );
  assertEquals(demands.map(({ member }) => member), [
    "dpop_bound_access_tokens",
    "id_token_encrypted_response_alg",
    "userinfo_encrypted_response_alg",
    "tls_client_certificate_bound_access_tokens",
    "require_pushed_authorization_requests",
    "require_signed_request_object",
  ]);
  for (const { name, member, value } of demands) {
    const demanding = { ...client, jwks, [member]: value === false ? true : value };
    const open = (extensions: readonly Extension[]) =>
      latchkey({
        issuer: "https://as.test",
        extensions,
        clients: [demanding],
        // The only demand that a setting switches on.
        ...extensions.some(({ name }) => name === "mutual_tls") && { mutualTls: {} },
      });
    await using _as = await open(extensions);
    const error = await assertRejects(
      () => open(extensions.filter((other) => other.name !== name)),
      ConfigurationError,
    );
    assertEquals(error.issues.map(({ path }) => path), [`clients[0].${member}`]);
  }
});

test("without an extension for it, a subject type cannot be set, and metadata does not name it", async () => {
  for (const extension of extensions.filter(({ settings }) => settings?.values?.subjectTypes !== undefined)) {
    const others = extensions.filter((other) => other !== extension);
    await using as = await latchkey({ issuer: "https://as.test", extensions: others, clients: [client] });
    const metadata = await (await as.fetch(new Request(`${as.issuer}/.well-known/openid-configuration`))).json();
    for (const name of extension.settings!.values!.subjectTypes!) {
      assertEquals(metadata.subject_types_supported.includes(name), false, name);
      const clients = [{ ...client, subject_type: name }];
      const error = await assertRejects(
        () => latchkey({ issuer: "https://as.test", extensions: others, clients }),
        ConfigurationError,
      );
      assertEquals(error.issues.map(({ path }) => path), ["clients[0].subject_type"]);
      assertThrows(() => as.clients.set(clients[0]!), ConfigurationError, "subject_type");
    }
  }
});

test("a server without any extension: code, tokens and userinfo", async () => {
  await using as = await latchkey({ issuer: "https://as.test", extensions: [], clients: [client] });
  const tokens = await logIn(as);
  const headers = { authorization: `Bearer ${tokens.access_token}` };
  const userinfo = await as.fetch(new Request(`${as.issuer}/oauth2/userinfo`, { headers }));
  assertEquals(await userinfo.json(), { sub: "alice" });
});

test("without an extension for it, a method of client authentication cannot be set, used or registered", async () => {
  for (const extension of extensions.filter(({ clientAuthentication }) => clientAuthentication !== undefined)) {
    const others = extensions.filter((other) => other !== extension);
    for (const { method } of extension.clientAuthentication!) {
      const error = await assertRejects(
        () =>
          latchkey({ issuer: "https://as.test", extensions: others, clientAuthMethods: ["none", method], clients: [] }),
        ConfigurationError,
      );
      assertEquals(error.issues.map(({ path }) => path), ["clientAuthMethods[1]"]);
      await assertRejects(
        () =>
          latchkey({
            issuer: "https://as.test",
            extensions: others,
            clients: [{ ...client, token_endpoint_auth_method: method }],
          }),
        ConfigurationError,
        "token_endpoint_auth_method",
      );
    }
    await using as = await latchkey({ issuer: "https://as.test", extensions: others });
    const metadata = await (await as.fetch(new Request(`${as.issuer}/.well-known/oauth-authorization-server`))).json();
    const methods = extension.clientAuthentication!.map(({ method }) => method as string);
    assertEquals(metadata.token_endpoint_auth_methods_supported.filter((name: string) => methods.includes(name)), []);
  }
});

test("[DO-06, DO-09] without proofs of keys, a proof is ignored, and its scheme is unknown to resources", async () => {
  await using as = await latchkey({ issuer: "https://as.test", extensions: [], clients: [client] });
  const { access_token: token, token_type: type } = await logIn(as, {}, { dpop: "no proof" });
  assertEquals(type, "Bearer");
  const userinfo = (authorization: string) =>
    as.fetch(new Request(`${as.issuer}/oauth2/userinfo`, { headers: { authorization, dpop: "no proof" } }));
  assertEquals((await userinfo(`Bearer ${token}`)).status, 200);
  for (const authorization of [`DPoP ${token}`, `DPoP ${token}, Bearer ${token}`]) {
    const rejection = await userinfo(authorization);
    assertEquals(rejection.status, 401);
    // As for any other scheme: the request has no token, and so the challenge no error.
    assertEquals(rejection.headers.get("www-authenticate"), `Bearer realm="https://as.test"`);
  }
});

test("a profile that demands proofs of keys is rejected without the extension, on the server and on a client", async () => {
  const others = extensions.filter(({ name }) => name !== "dpop");
  const member = { client_id: "job", redirect_uris: client.redirect_uris, profile: "fapi2-security" as const };
  for (const stricter of [{ profile: "fapi2-security" as const }, { clients: [member] }]) {
    const options = { issuer: "https://as.test", extensions: others, ...stricter };
    const { issues } = await assertRejects(() => latchkey(options), ConfigurationError);
    const demanded = ["requireSenderConstrainedTokens", "dpop.algorithms"];
    const named = demanded.filter((path) => issues.some(({ expected }) => expected.includes(` ${path},`)));
    assertEquals(named, demanded);
  }
});
