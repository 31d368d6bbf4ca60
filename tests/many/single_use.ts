/** What works once, used twenty times concurrently at instances that are processes of their own. */

import { assertEquals } from "@std/assert";
import { clientKey, proof, tokenDigest } from "../server/client_jwts.ts";
import { client } from "./client.ts";
import { authorizationRequest, codeExchange, post, type RequestData } from "./requests.ts";
import { type Instance, settings } from "./instances.ts";

/** Sends a request to all instances in turn, and returns the responses: status and `Location`. */
function sendTwenty(instances: readonly Instance[], { path, init }: RequestData): Promise<Response[]> {
  return Promise.all(Array.from({ length: 20 }, async (_, i) => {
    const response = await fetch(instances[i % instances.length]!.url + path, { ...init, redirect: "manual" });
    await response.body?.cancel();
    return response;
  }));
}

async function send({ url }: Instance, { path, init }: RequestData): Promise<Record<string, string>> {
  return await (await fetch(url + path, init)).json();
}

/** Asserts that of twenty uses of a `request_uri`, of a device code and of a DPoP proof one succeeds each. */
export async function assertSingleUse(instances: readonly Instance[]): Promise<void> {
  const [first, second] = instances as [Instance, Instance];

  const [, parameters] = authorizationRequest().path.split("?");
  const { request_uri } = await send(first, post("/oauth2/par", Object.fromEntries(new URLSearchParams(parameters))));
  const authorize = `/oauth2/authorize?${new URLSearchParams({ client_id: "spa", request_uri: request_uri! })}`;
  const responses = await sendTwenty(instances, { path: authorize, init: { method: "GET" } });
  const codes = responses.filter(({ headers }) => /[?&]code=/.test(headers.get("location") ?? ""));
  assertEquals([codes.length, responses.filter(({ status }) => status === 400).length], [1, 19], "request_uri");

  const { device_code } = await send(second, post("/oauth2/device_authorization", { client_id: "spa", scope: "read" }));
  const grant_type = "urn:ietf:params:oauth:grant-type:device_code";
  const poll = post("/oauth2/token", { client_id: "spa", grant_type, device_code: device_code! });
  const polls = (await sendTwenty(instances, poll)).map(({ status }) => status).sort();
  assertEquals(polls, [200, ...Array(19).fill(400)], "device code");

  const key = await clientKey();
  const proofFor = async (method: string, path: string, claims = {}) =>
    await proof(key, method, settings.issuer + path, Math.floor(Date.now() / 1000), { claims });
  const { path, init } = codeExchange(await client().logIn(first));
  const headers = { ...init.headers, dpop: await proofFor("POST", path) };
  const { access_token } = await send(first, { path, init: { ...init, headers } });
  const dpop = await proofFor("GET", "/oauth2/userinfo", { ath: await tokenDigest(access_token!) });
  const userinfo = { method: "GET", headers: { authorization: `DPoP ${access_token}`, dpop } };
  const uses = await sendTwenty(instances, { path: "/oauth2/userinfo", init: userinfo });
  assertEquals(uses.map(({ status }) => status).sort(), [200, ...Array(19).fill(401)], "proof");
}
