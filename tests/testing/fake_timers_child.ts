/** Uses the package after every timer and clock became a fake that stands still, for fake_timers_test.ts. */

import { X509Certificate } from "node:crypto";
import nodeTimers from "node:timers";
import { checkClient } from "../../src/check/mod.ts";
import { health } from "../../src/cli/operating/mod.ts";
import { inspector } from "../../src/devtools/mod.ts";
import { latchkey, memoryStore } from "../../src/mod.ts";
import { jwksVerifier, requireToken } from "../../src/resource/mod.ts";
import { connectLatchkey } from "../../src/testing/control/connect.ts";
import { faults, testLatchkey } from "../../src/testing/mod.ts";
import { smallClient } from "../check/small_client.ts";
import { handleCommands } from "../platform/store/run_child.ts";

/** What the child tries. */
export type Command =
  | "a login over the network"
  | "an embedded server"
  | "an API"
  | "a connection that drops midway"
  | "a certificate"
  | "a wait for a request"
  | "a check"
  | "a check of a client that hangs";

const as = await testLatchkey({ control: true });
const verifier = jwksVerifier({ issuer: as.issuer, fetch: (url, init) => as.fetch(url, init) });

let fakeNow = Date.UTC(2049, 0, 1);

const timer = () => ({ ref() {}, unref() {}, hasRef: () => false, close() {} });
const fakes = { setTimeout: timer, setInterval: timer, setImmediate: timer };
Object.assign(globalThis, fakes);
Object.assign(nodeTimers, fakes);
performance.now = () => 0;
const RealDate = Date;
globalThis.Date = class extends RealDate {
  constructor(...values: number[]) {
    super(...(values.length === 0 ? [fakeNow] : values) as [number]);
  }
  static override now = () => fakeNow;
} as DateConstructor;

/** Each returns `true`, or what it found instead. */
const acts: Readonly<Record<Command, () => Promise<unknown>>> = {
  async "a login over the network"() {
    await as.listen();
    const { claims } = await as.logIn(as.client());
    const { status } = await fetch(`${as.issuer}/_control/log/exchanges?count=999&wait=20`);
    await (await connectLatchkey(as.issuer)).clock.advance(60);
    await as.close();
    return claims?.iat === fakeNow / 1000 && status === 200 || { claims, status };
  },
  async "an embedded server"() {
    const issuer = "http://localhost:9000";
    const store = { ...memoryStore(), put: () => new Promise<never>(() => {}) };
    const plugins = [inspector(), health({ storeTimeoutMs: 20 })];
    const embedded = await latchkey({ issuer, store, plugins });
    const { status } = await embedded.fetch(new Request(`${issuer}/readyz`));
    await embedded.close();
    return status === 503 || status;
  },
  async "an API"() {
    const { tokens } = await as.logIn(as.client(), { scope: "read" });
    const api = { resource: as.issuer, authorizationServers: [as.issuer], verifier };
    const headers = { authorization: `Bearer ${tokens.access_token}` };
    const ask = async () => {
      const response = await requireToken(new Request(as.issuer, { headers }), api as never);
      return response instanceof Response ? response.status : 200;
    };
    const fresh = await ask();
    fakeNow += 86_400_000;
    const expired = await ask();
    return fresh === 200 && expired === 401 || { fresh, expired };
  },
  async "a connection that drops midway"() {
    as.on("jwks").once(faults.drop("midway"));
    const response = await as.fetch(`${as.issuer}/oauth2/jwks`);
    return await response.text().then((text) => text, () => true);
  },
  async "a certificate"() {
    const { cert } = await as.listen({ tls: "self-signed" });
    await as.close();
    const { validFrom, validTo } = new X509Certificate(cert!);
    const now = new RealDate().getTime();
    return RealDate.parse(validFrom) < now && now < RealDate.parse(validTo) || { validFrom, validTo };
  },
  async "a wait for a request"() {
    const error = await as.log.next("token", {}, { timeoutMs: 20 }).then(() => undefined, String);
    return error?.includes("within 20 milliseconds") || error;
  },
  async "a check"() {
    const report = await checkClient(smallClient(), { only: ["id-token/nonce-wrong"], timeoutMs: 60_000 });
    return report.passed || String(report);
  },
  async "a check of a client that hangs"() {
    const hung = { name: "hung", logIn: () => new Promise<never>(() => {}) };
    const { control } = await checkClient(hung, { only: ["id-token/nonce-wrong"], timeoutMs: 20 });
    return control.outcome === "hung" || control;
  },
};

await handleCommands((command: Command) => acts[command]());
