/**
 * The extensions part: flows with a pushed request, and with a DPoP proof, beside plain ones, at one server in this
 * process.
 */

import { generateKeyPairSync, randomUUID, sign } from "node:crypto";
import { latchkey, memoryStore } from "../../src/mod.ts";
import { clients } from "./clients.ts";
import { fetchConnection } from "./connection.ts";
import { runFlow } from "./flow.ts";
import type { Options } from "./options.ts";
import { latchkeySite } from "./site.ts";
import { median, print } from "./table.ts";

/** Measures and prints. The time in which the client signs its proofs is not counted. */
export async function extensions({ algs = ["EdDSA", "ES256"], rounds, seconds, warmUp }: Options): Promise<void> {
  const rows: string[][] = [];
  for (const alg of algs) {
    await using as = await latchkey({ clients, alg, store: memoryStore() });
    const site = latchkeySite(as.issuer);
    const client = signingClient(as.issuer + site.paths.token);
    const send = (request: Request) => as.fetch(request);
    const plain = fetchConnection((url, init) => send(new Request(url, init)), as.issuer);
    const proving = fetchConnection((url, init) => send(client.withProof(new Request(url, init))), as.issuer);
    const kinds = [
      () => runFlow(plain, site),
      () => runFlow(plain, site, site.clientId, { pushes: true }),
      () => runFlow(proving, site, site.clientId, { token_type: "DPoP" }),
    ];

    const flowsPerSecond = async (flow: () => Promise<unknown>, maxSeconds: number): Promise<number> => {
      let flows = 0;
      client.signingMs = 0;
      const start = performance.now();
      const elapsedMs = () => performance.now() - start - client.signingMs;
      for (; elapsedMs() < maxSeconds * 1000; flows++) await flow();
      return flows / elapsedMs() * 1000;
    };

    const rates: number[][] = [];
    for (const flow of kinds) await flowsPerSecond(flow, warmUp);
    for (let round = 0; round < rounds; round++) {
      const rate: number[] = [];
      for (const flow of kinds) rate.push(await flowsPerSecond(flow, seconds));
      rates.push(rate);
    }
    const ratio = (i: number) => `${median(rates.map((rate) => rate[i]! / rate[0]!)).toFixed(2)}×`;
    const rate = (i: number) => median(rates.map((values) => values[i]!)).toFixed(0);
    rows.push([`Deno, ${alg}`, rate(0), rate(1), ratio(1), rate(2), ratio(2)]);
  }
  print(["flows a second, one at a time, in one process", "plain", "pushed", "ratio", "with DPoP", "ratio"], rows);
}

/** A client that signs proofs with ES256, and measures how long it takes. */
function signingClient(url: string) {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const encode = (value: unknown) =>
    btoa(JSON.stringify(value)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  const header = encode({ typ: "dpop+jwt", alg: "ES256", jwk: publicKey.export({ format: "jwk" }) });
  const self = {
    /** Duration of all signatures, in milliseconds. */
    signingMs: 0,
    /** The request; one to the token endpoint with a proof. */
    withProof(request: Request): Request {
      if (request.url !== url) return request;
      const start = performance.now();
      const claims = { jti: randomUUID(), htm: "POST", htu: url, iat: Math.floor(Date.now() / 1000) };
      const input = `${header}.${encode(claims)}`;
      const key = { key: privateKey, dsaEncoding: "ieee-p1363" as const };
      const signature = sign("sha256", new TextEncoder().encode(input), key).toString("base64url");
      request.headers.set("dpop", `${input}.${signature}`);
      self.signingMs += performance.now() - start;
      return request;
    },
  };
  return self;
}
