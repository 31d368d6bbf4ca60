/**
 * Sends token requests over connections with a certificate. Reads `{ url, body, attempts: [{ cert, key, version }] }`
 * from standard input, with keys as JWK, and prints the outcome of each as JSON: status and error, or `refused`.
 *
 * It runs on Node, whose TLS compares only the public part of a key with the certificate: a key with the public part of
 * one key and the private part of another signs the handshake wrongly. The TLS of Deno and Bun refuses such a key.
 */

import { createPrivateKey } from "node:crypto";
import { request } from "node:https";
import { text } from "node:stream/consumers";

const { url, body, attempts } = JSON.parse(await text(process.stdin));

const outcomes = [];
for (const { cert, key, version } of attempts) {
  const pem = createPrivateKey({ key, format: "jwk" }).export({ type: "pkcs8", format: "pem" });
  outcomes.push(
    await new Promise((resolve) => {
      const options = {
        ...{ cert, key: pem, minVersion: version, maxVersion: version, rejectUnauthorized: false, agent: false },
        ...{ method: "POST", headers: { "content-type": "application/x-www-form-urlencoded" }, timeout: 10_000 },
      };
      const outgoing = request(url, options, async (incoming) => {
        const { error = "ok" } = JSON.parse(await text(incoming));
        resolve(`${incoming.statusCode} ${error}`);
      });
      outgoing.on("timeout", () => resolve("no answer"));
      outgoing.on("error", () => resolve("refused")).end(body);
    }),
  );
}
console.log(JSON.stringify(outcomes));
process.exit();
