/** A server with its hands on the table: virtual clock, recorded trace, three clients, and short ways through the flow. */

import { latchkey } from "../../src/mod.ts";
import type { Latchkey, LatchkeyOptions, TraceEvent } from "../../src/mod.ts";

/** RFC 7636 Appendix B. */
export const verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
/** Its S256 challenge. */
export const challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

/** `spa` is public, `web` authenticates by Basic, `poster` by client_secret_post. */
export const clients = [
  { client_id: "spa", redirect_uris: ["https://spa.example/cb"] },
  { client_id: "web", client_secret: "web-secret", redirect_uris: ["https://web.example/cb"] },
  {
    client_id: "poster",
    client_secret: "poster-secret",
    token_endpoint_auth_method: "client_secret_post",
    redirect_uris: ["https://poster.example/cb"],
  },
] as const;

/** Fields of a request; `undefined` leaves a field out, an array repeats it. */
export type Fields = Readonly<Record<string, string | readonly string[] | undefined>>;

/** A server under test. */
export interface Bench {
  readonly as: Latchkey;
  readonly events: TraceEvent[];
  /** Moves the clock. */
  advance(seconds: number): void;
  /** GET /oauth2/authorize for `spa` with everything in order, changed by the fields given. */
  authorize(fields?: Fields, init?: RequestInit): Promise<Response>;
  /** A code for `spa`, with the same changes; throws when there is none. */
  code(fields?: Fields): Promise<string>;
  /** POST /oauth2/token as `spa` with everything in order, changed by the fields given. */
  token(fields: Fields, init?: RequestInit): Promise<Response>;
  /** Any request below the issuer. */
  get(path: string, init?: RequestInit): Promise<Response>;
}

/** The authorization request of `spa` that a server answers with a code. */
export const goodRequest: Fields = {
  response_type: "code",
  client_id: "spa",
  redirect_uri: "https://spa.example/cb",
  scope: "openid read",
  state: "st4te",
  code_challenge: challenge,
  code_challenge_method: "S256",
};

/** Makes a server at `https://as.test` that signs with ES256 and starts at 2026-01-01T00:00:00Z. */
export async function bench(options: LatchkeyOptions = {}): Promise<Bench> {
  let time = Date.UTC(2026, 0, 1);
  const events: TraceEvent[] = [];
  const as = await latchkey({
    issuer: "https://as.test",
    alg: "ES256",
    clients,
    now: () => time,
    trace: (event) => events.push(event),
    ...options,
  });
  const self: Bench = {
    as,
    events,
    advance: (seconds) => void (time += seconds * 1000),
    get: (path, init) => as.fetch(new Request(as.issuer + path, { redirect: "manual", ...init })),
    authorize: (fields = {}, init) => self.get(`/oauth2/authorize?${encode({ ...goodRequest, ...fields })}`, init),
    async code(fields = {}) {
      const response = await self.authorize(fields);
      const code = new URL(response.headers.get("location") ?? "none:").searchParams.get("code");
      if (code === null) throw new Error(`no code: ${response.status} ${response.headers.get("location")}`);
      return code;
    },
    token: (fields, init) =>
      self.get("/oauth2/token", {
        method: "POST",
        body: encode({
          grant_type: "authorization_code",
          client_id: "spa",
          redirect_uri: "https://spa.example/cb",
          code_verifier: verifier,
          ...fields,
        }),
        ...init,
        headers: { "content-type": "application/x-www-form-urlencoded", ...init?.headers },
      }),
  };
  return self;
}

/** Form-encodes fields. */
export function encode(fields: Fields): string {
  const pairs = Object.entries(fields).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).filter((one) => one !== undefined).map((one) => [name, one])
  );
  return new URLSearchParams(pairs as string[][]).toString();
}

/** An HTTP Basic header with both halves as they stand. */
export function basic(id: string, secret: string): Record<string, string> {
  return { authorization: `Basic ${btoa(`${id}:${secret}`)}` };
}

/** The parameters of a redirect, read from its `Location`. */
export function redirected(response: Response): URLSearchParams {
  const location = response.headers.get("location");
  if (location === null) throw new Error(`no Location, status ${response.status}`);
  return new URLSearchParams(location.slice(location.indexOf("?") + 1));
}

/** The refusals among the events, newest last. */
export function refusals(events: readonly TraceEvent[]): Extract<TraceEvent, { type: "refused" }>[] {
  return events.filter((event) => event.type === "refused");
}

/** The claims in a JWT, unverified. */
export function claimsOf(jwt: string): Record<string, unknown> {
  const payload = jwt.split(".")[1]!.replaceAll("-", "+").replaceAll("_", "/");
  return JSON.parse(new TextDecoder().decode(Uint8Array.from(atob(payload), (byte) => byte.charCodeAt(0))));
}
