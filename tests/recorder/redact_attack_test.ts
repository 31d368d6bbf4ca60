/**
 * Attacks on the redaction: values of declared names in every place of a request, and issued and registered secrets in
 * public parameters. No output shows a value.
 */

import { assert, assertEquals } from "@std/assert";
import { test } from "node:test";
import { latchkey, type LatchkeyOptions } from "../../src/mod.ts";
import { inspector } from "../../src/devtools/inspector.ts";
import { logging } from "../../src/cli/operating/logging.ts";
import { formatFlowMarkdown } from "../../src/recorder/export/markdown.ts";
import { recorder } from "../../src/recorder/recorder.ts";
import { testLog } from "../../src/testing/log/log.ts";
import { sample } from "../sample.ts";
import { confidentialClient, testClients } from "../server/client_endpoints.ts";
import { basic, challenge, encode, verifier } from "../kit.ts";

const secret = "hunter2";

const spellings: readonly ((name: string) => string)[] = [
  (name) => name,
  (name) => name.toUpperCase(),
  (name) => name.replace(/_(.)/g, (_, letter) => letter.toUpperCase()),
  (name) => name.replaceAll("_", "-"),
];

/** A declared name with its value in what is read by name. */
const json: readonly ((name: string) => string)[] = [
  (name) => JSON.stringify({ [name]: secret }),
  (name) => JSON.stringify([{ a: 1, [name]: [secret] }]),
  // The claims parameter has an object in id_token.
  (name) => JSON.stringify({ [name]: name === "id_token" ? secret : { value: secret } }),
  (name) => JSON.stringify({ [name]: secret }).slice(0, -2),
];
const uris: readonly ((name: string) => string)[] = [
  (name) => `https://web.example/cb?a=b&${name}=${secret}&z=1`,
  (name) => `https://web.example/cb?a=b#${name}=${secret}`,
];

/** Text that is not read by name: of it, nothing but the length is shown. */
const others: readonly ((name: string) => string)[] = [
  (name) => `text; ${name}: ${secret}`,
  (name) => `[${name}] => ${secret}`,
  (name) => encodeURIComponent(`${name}=${secret}`),
];

type Send = (path: string, init: RequestInit) => Promise<Response>;

const ascii = (text: string) => text.replace(/[^\x20-\x7e]/g, " ");
const post = (body: string, type: string) => ({ method: "POST", body, headers: { "content-type": type } });
const formType = "application/x-www-form-urlencoded";

/** Where a client sends a text, and the texts that it can have there. */
const places: Readonly<
  Record<string, readonly [texts: typeof json, (send: Send, text: string) => Promise<Response>]>
> = {
  query: [[(name) => `${name}=${secret}`], (send, text) => send(`/oauth2/authorize?client_id=spa&${text}`, {})],
  form: [[(name) => `${name}=${secret}`], (send, text) => send("/oauth2/token", post(text, formType))],
  multipart: [others, (send, text) => send("/oauth2/token", post(text, "multipart/form-data; boundary=x"))],
  body: [[...json, ...others], (send, text) => send("/oauth2/token", post(text, "text/plain"))],
  JSON: [json, (send, text) => send("/oauth2/register", post(text, "application/json"))],
  "redirect URI": [uris, (send, text) => {
    return send(`/oauth2/authorize?client_id=spa&redirect_uri=${encodeURIComponent(text)}`, {});
  }],
  "unknown parameter": [[...json, ...uris, ...others], (send, text) => {
    return send(`/oauth2/authorize?client_id=spa&x=${encodeURIComponent(text)}`, {});
  }],
  "name of a parameter": [
    [(name) => `${name}=${secret}`],
    (send, text) => send("/oauth2/token", post(`${encodeURIComponent(text)}=1`, formType)),
  ],
  referer: [uris, (send, text) => send("/oauth2/token", { method: "POST", headers: { referer: ascii(text) } })],
  cookie: [others, (send, text) => send("/oauth2/login", { headers: { cookie: `a=${ascii(text)}` } })],
  authorization: [[...uris, ...others], (send, text) => {
    return send("/oauth2/userinfo", { headers: { authorization: `Bearer ${ascii(text)}` } });
  }],
  basic: [others, (send, text) => {
    return send("/oauth2/token", { method: "POST", headers: basic("web", encodeURIComponent(text)) });
  }],
};

/** A server whose outputs are collected. Without the leak check of other tests, which takes whole texts for secrets. */
async function watchedServer(limit: number, options: LatchkeyOptions = {}) {
  const record = recorder({ limit, maxBytes: Infinity });
  const outputs: (readonly [name: string, text: string])[] = [];
  const written = (name: string) => (text: string) => void outputs.push([name, text]);
  const verbose = logging({ write: written("terminal"), format: "text", verbose: true });
  const as = await latchkey({
    ...testClients,
    clients: [
      ...testClients.clients,
      confidentialClient("tv", { grant_types: ["urn:ietf:params:oauth:grant-type:device_code"] }),
      confidentialClient("opaque", { grant_types: ["client_credentials"], access_token_format: "opaque" }),
    ],
    issuer: "http://localhost:9666",
    alg: "EdDSA",
    registration: { mode: "open" },
    insecure: ["auto-login", "open-registration"],
    deviceAuthorization: true,
    tokenExchange: { targets: { web: ["https://api.example"] } },
    ...options,
    trace: (event) => written("trace")(JSON.stringify(event)),
    plugins: [
      record,
      inspector({ recorder: record }),
      verbose,
      logging({ write: written("log"), format: "json" }),
    ],
  });
  const send: Send = (path, init) => as.fetch(new Request(as.issuer + path, init));
  return {
    ...{ as, record, send },
    /** The outputs that show one of the secrets. */
    async findLeaks(secrets: readonly string[]): Promise<string[]> {
      const flows = record.flows();
      for (const flow of flows) {
        written("Markdown")(
          formatFlowMarkdown(flow, flow.exchanges.findIndex(({ rejection }) => rejection !== undefined)),
        );
      }
      const { exchanges } = testLog(record);
      for (const { request, response, rejection, client } of exchanges) {
        written("flows")(JSON.stringify({ request, response, rejection, client }));
      }
      written("transcript")(String(testLog(record)));
      for (const path of ["/flows", "/faults", "/flows.json", ...flows.slice(-20).map(({ id }) => `/flows/${id}`)]) {
        written(path)(await (await send(path, {})).text());
      }
      const names = new Set(outputs.map(([name]) => name));
      assert(["terminal", "log", "trace", "Markdown"].every((name) => names.has(name)), [...names].join());
      const leaks = outputs.flatMap(([name, text]) =>
        secrets.map((secret) => text.indexOf(secret)).filter((at) => at >= 0)
          .map((at) => `${name}: ${text.slice(Math.max(0, at - 150), at + 50)}`)
      );
      return leaks.slice(0, 10);
    },
  };
}

test("[HT-15, FL-03] the value of no declared name is in flows, logs, exports, pages, wherever a client sends it", async () => {
  const server = await watchedServer(100_000);
  await using _as = server.as;
  const { record, send } = server;
  const names = [
    ...new Set(
      record.endpoints.flatMap(({ parameters = [], responseParameters = [] }) =>
        [...parameters, ...responseParameters].flatMap(({ name, secret }) => secret === undefined ? [] : [name])
      ),
    ),
  ];
  assert(names.length >= 18, names.join());
  let sent = 0;
  for (const [i, name] of names.entries()) {
    for (const [texts, request] of Object.values(places)) {
      for (const [j, text] of texts.entries()) {
        await (await request(send, text(spellings[(i + j) % spellings.length]!(name)))).text();
        sent++;
      }
    }
  }
  assert(JSON.stringify(record.exchanges()).split(secret).length > sent / 2, "the values were recorded");
  assertEquals(await server.findLeaks([secret]), []);
});

const codeRequest = {
  ...{ client_id: "web", response_type: "code", redirect_uri: "https://web.example/cb", scope: "openid read" },
  ...{ code_challenge: challenge, code_challenge_method: "S256" },
};

/** The secrets of each kind that the server issues or registers, by kind. */
async function issueSecrets(send: Send): Promise<Record<string, string>> {
  const form = (fields: Record<string, string>, headers: Record<string, string> = {}) => ({
    ...{ method: "POST", body: encode(fields), headers: { "content-type": formType, ...headers } },
  });
  const json = async (path: string, init: RequestInit) => await (await send(path, init)).json();
  const web = basic("web", "web-secret");
  const authorize = async () => {
    const response = await send(`/oauth2/authorize?${encode(codeRequest)}`, {});
    await response.text();
    const cookie = /=([^;]+)/.exec(response.headers.get("set-cookie")!)![1]!;
    return { code: new URL(response.headers.get("location")!).searchParams.get("code")!, cookie };
  };
  const { code, cookie } = await authorize();
  const exchange = {
    grant_type: "authorization_code",
    code,
    redirect_uri: codeRequest.redirect_uri,
    code_verifier: verifier,
  };
  const tokens = await json("/oauth2/token", form(exchange, web));
  const refresh = { grant_type: "refresh_token", refresh_token: tokens.refresh_token };
  const renewed = await json("/oauth2/token", form(refresh, web));
  const metadata = JSON.stringify({
    redirect_uris: ["https://new.example/cb"],
    token_endpoint_auth_method: "client_secret_basic",
  });
  const registered = await json("/oauth2/register", post(metadata, "application/json"));
  const device = await json("/oauth2/device_authorization", form({ scope: "openid" }, basic("tv", "tv-secret")));
  const opaque = await json(
    "/oauth2/token",
    form({ grant_type: "client_credentials" }, basic("opaque", "opaque-secret")),
  );
  const pushedRequest = await json("/oauth2/par", form(codeRequest, web));
  return {
    "client secret": "web-secret",
    "registered client secret": registered.client_secret,
    "registration access token": registered.registration_access_token,
    "used code": code,
    "unused code": (await authorize()).code,
    "session cookie": cookie.split(".")[1]!,
    "access token": tokens.access_token,
    "opaque access token": opaque.access_token,
    "refresh token": tokens.refresh_token,
    "renewed refresh token": renewed.refresh_token,
    "ID token": tokens.id_token,
    "device code": device.device_code.split(".")[1],
    "request URI": pushedRequest.request_uri.split(":").at(-1),
  };
}

/** Texts around a secret in a parameter. Nothing is decoded, and so `web-secret` is not sent in the last one. */
const mistakes: readonly ((secret: string) => string)[] = [
  (secret) => secret,
  (secret) => `openid ${secret}`,
  (secret) => `https://web.example/cb?odd=${secret}&x=1`,
  (secret) => JSON.stringify({ note: [secret] }),
  (secret) => `https://web.example/cb?next=${encodeURIComponent(`https://web.example/?odd=${secret}`)}`,
];

test("[HT-15, FL-03] no secret that the server issued or registered is shown, in any public parameter of any endpoint", async () => {
  // It accepts what others reject, so that more texts reach its events.
  const server = await watchedServer(100_000, { users: "any", scopes: "any", redirectUris: "any" });
  await using _as = server.as;
  const { record, send } = server;
  const secrets = Object.entries(await issueSecrets(send));
  for (const [kind, secret] of secrets) assert(secret?.length >= 10, kind);
  let sent = 0;
  for (const { path, methods, parameters = [], role } of record.endpoints) {
    if (role === "control") continue;
    const base = path === "/oauth2/authorize" ? codeRequest : { client_id: "web", client_secret: "web-secret" };
    const names = parameters.flatMap(({ name, secret }) => secret === undefined ? [name] : []);
    for (const [i, name] of [...names, "unknown"].entries()) {
      // Each parameter with each secret (in a run of all files half of them), each secret in each text around it.
      for (const [j, [, secret]] of sample([...secrets.entries()], 4, i)) {
        const count = mistakes.length - (secret.length < 43 ? 1 : 0);
        const fields = encode({ ...base, [name]: mistakes[(i + j) % count]!(secret) });
        const isPost = methods.some((method) => method === "POST");
        await (await (isPost ? send(path, post(fields, formType)) : send(`${path}?${fields}`, {}))).body?.cancel();
        sent++;
      }
    }
  }
  for (const [, secret] of secrets) {
    for (const path of [`/oauth2/${secret}`, `/oauth2/x=${secret}`]) await (await send(path, {})).text();
    for (const name of ["user-agent", "referer"]) {
      await (await send("/oauth2/jwks", { headers: { [name]: `https://web.example/?odd=${secret}` } })).text();
    }
  }
  assert(sent > 400, String(sent));
  assertEquals(await server.findLeaks(secrets.map(([, secret]) => secret)), []);
});
