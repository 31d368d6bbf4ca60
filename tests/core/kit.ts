/** A server of the core for tests, with a clock that tests move, and the requests of a correct client. */

import { core, type CoreOptions } from "../../src/core/mod.ts";
import type { MinimalEvent } from "../../src/core/trace.ts";

export const issuer = "http://localhost:9000";
export const verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
/** The challenge of {@link verifier} (RFC 7636, Appendix B). */
export const challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
export const callback = "https://spa.example/cb";

/** Parameters; `undefined` leaves one out. */
export type Parameters = Readonly<Record<string, string | undefined>>;

export const authorizeParameters: Parameters = {
  response_type: "code",
  client_id: "spa",
  redirect_uri: callback,
  scope: "openid read",
  state: "s1",
  code_challenge: challenge,
  code_challenge_method: "S256",
};

export const clients: CoreOptions["clients"] = [
  { client_id: "spa", redirect_uris: [callback], grant_types: ["authorization_code", "refresh_token"] },
  { client_id: "two", redirect_uris: ["https://two.example/a", "https://two.example/b"] },
  {
    client_id: "web",
    client_secret: "web-secret",
    redirect_uris: ["https://web.example/cb"],
    grant_types: ["authorization_code", "refresh_token", "client_credentials"],
    scope: "openid read write",
  },
];

/** The parameters as an array, for requests that repeat one. */
export function encode(parameters: Parameters): string {
  return String(
    new URLSearchParams(
      Object.entries(parameters).flatMap(([name, value]) => value === undefined ? [] : [[name, value]]),
    ),
  );
}

/** HTTP Basic authentication. */
export function basic(id: string, secret: string): Record<string, string> {
  return { authorization: `Basic ${btoa(`${id}:${secret}`)}` };
}

/** The server, and what a client of it does. */
export async function startCore(options: Partial<CoreOptions> = {}) {
  const events: MinimalEvent[] = [];
  let time = Date.UTC(2030, 0, 1);
  const server = await core({
    issuer,
    clients,
    users: [{ sub: "alice", name: "Alice", email: "alice@example.com" }, { sub: "bob" }],
    now: () => time,
    trace: (event) => void events.push(event),
    policy: { alg: "EdDSA" },
    ...options,
  });
  const send = (path: string, init?: RequestInit) => server.fetch(new Request(issuer + path, init));
  const post = (path: string, body: string, headers: Record<string, string> = {}) =>
    send(path, {
      method: "POST",
      body,
      headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
    });
  const authorize = (changes: Parameters = {}) =>
    send(`/oauth2/authorize?${encode({ ...authorizeParameters, ...changes })}`);
  const code = async (changes: Parameters = {}) => {
    const location = (await authorize(changes)).headers.get("location");
    return new URL(location ?? "about:blank").searchParams.get("code") ?? "";
  };
  const token = (parameters: Parameters, headers?: Record<string, string>) =>
    post("/oauth2/token", encode(parameters), headers);
  /** The token request for a code of `spa`. */
  const exchange = (code: string, changes: Parameters = {}) =>
    token({
      grant_type: "authorization_code",
      client_id: "spa",
      redirect_uri: callback,
      code_verifier: verifier,
      code,
      ...changes,
    });
  return {
    ...{ server, send, post, authorize, code, token, exchange },
    /** Lets time pass, in seconds. */
    advance: (seconds: number) => void (time += seconds * 1000),
    /** The rule of the last rejection; `undefined` if there is none since the last call. */
    lastRule(): string | undefined {
      const rejected = events.filter((event) => event.type === "rejected").at(-1);
      events.length = 0;
      return rejected?.explanation.rule;
    },
  };
}
