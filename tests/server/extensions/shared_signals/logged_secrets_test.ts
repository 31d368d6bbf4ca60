/**
 * What was issued or registered is not in the log, wherever a request has it: in a path, or in a member of another
 * name.
 *
 * @extensions registration, shared_signals
 */

import { assert, assertEquals } from "@std/assert";
import { test } from "node:test";
import { logging } from "../../../../src/cli/operating/mod.ts";
import { machine, signalServer } from "./receiver.ts";

const credentials = "push-credentials-of-the-receiver";
const initialAccessToken = "initial-access-token-of-the-operator";

for (const format of ["json", "text"] as const) {
  test(`[HT-01, DR-06, SS-03] no secret is in the log in the format ${format}, whatever its place`, async () => {
    const lines: string[] = [];
    const log = logging({ write: (text) => void lines.push(text), format, verbose: true });
    const server = await signalServer({
      plugins: [log],
      clients: [machine("receiver"), machine("foreign")],
      registration: { mode: "open", initialAccessTokens: [initialAccessToken] },
    });
    const json = { "content-type": "application/json" };
    const registered = await (await server.get("/oauth2/register", {
      method: "POST",
      headers: { ...json, authorization: `Bearer ${initialAccessToken}` },
      body: JSON.stringify({ redirect_uris: ["https://x.example/cb"] }),
    })).json();
    const receiver = await server.receiver();
    await receiver.create({
      delivery: {
        method: "urn:ietf:rfc:8935",
        endpoint_url: "https://receiver.example/events",
        authorization_header: `Bearer ${credentials}`,
      },
    });
    const secrets: Readonly<Record<string, string>> = {
      "client secret": "receiver-secret",
      "secret of a registered client": registered.client_secret,
      "registration access token": registered.registration_access_token,
      "initial access token": initialAccessToken,
      "access token": receiver.token,
      "credentials of a stream": credentials,
    };
    for (const [name, secret] of Object.entries(secrets)) {
      assert(typeof secret === "string", name);
      lines.length = 0;
      // Of a client secret the server has only the digest, so it is found as a word alone.
      const forms = [secret, `${secret}/`, ...name.includes("secret") ? [] : [`x-${secret}`, `${secret}.json`]];
      for (const form of forms) {
        for (const path of ["/nothing/", "/", "/static/", "/oauth2/register/", "/oauth2/token/", "/.well-known/"]) {
          for (const method of ["GET", "PUT", "DELETE"]) await server.get(path + form, { method });
        }
      }
      for (
        const body of [
          { events_requested: [secret] },
          { delivery: { method: secret } },
          { delivery: { method: "urn:ietf:rfc:8935", endpoint_url: secret } },
          { delivery: { method: "urn:ietf:rfc:8935", endpoint_url: `https://x.example/#${secret}` } },
          { description: `${secret} `.repeat(200) },
        ]
      ) {
        await receiver.send("POST", "/ssf/stream", body);
        await receiver.send("PATCH", "/ssf/stream", body);
      }
      await server.authorize({ client_id: secret });
      await server.authorize({ scope: secret, state: secret });
      const text = lines.join("\n");
      assert(text.includes("HT-01") && text.includes("DR-06"), name);
      const leaks = text.split("\n").filter((line) =>
        [line, line.replaceAll("\\", "")].some((one) => one.includes(secret))
      );
      assertEquals(leaks.slice(0, 3), [], name);
    }
  });
}
