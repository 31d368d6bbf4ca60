/** The bare server to measure by: the same bytes in and out, one digest, two signatures, a Map, and no check but PKCE. */

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Target } from "./flow.ts";

declare const Bun: {
  serve(options: { hostname: string; port: number; fetch: Handler }): { readonly port: number };
};

type Handler = (request: Request) => Response | Promise<Response>;

/** An answer before it takes the runtime's form; the headers are those of Latchkey's answers. */
interface Reply {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string | null;
}

/** What a code stands for. */
interface Grant {
  readonly clientId: string;
  readonly scope: string;
  readonly challenge: string;
  readonly nonce: string;
  readonly sid: string;
}

const algorithms = {
  RS256: {
    name: "RSASSA-PKCS1-v1_5",
    hash: "SHA-256",
    modulusLength: 2048,
    publicExponent: new Uint8Array([1, 0, 1]),
  },
  ES256: { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" },
  EdDSA: { name: "Ed25519" },
};

const encoder = new TextEncoder();
const native = "toBase64" in Uint8Array.prototype;

/** Listens on a free port of 127.0.0.1, with a key made now. */
export async function listen(alg: keyof typeof algorithms): Promise<Target> {
  const algorithm = algorithms[alg];
  const pair = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]) as CryptoKeyPair;
  const kid = randomText(32);
  const head = (typ: string): string => base64url(encoder.encode(JSON.stringify({ alg, typ, kid })));
  const heads = { access: head("at+jwt"), id: head("JWT") };
  const codes = new Map<string, Grant>();
  let issuer = "";

  function authorize(query: string): Reply {
    const params = new URLSearchParams(query);
    const code = randomText(32);
    codes.set(code, {
      clientId: params.get("client_id")!,
      scope: params.get("scope")!,
      challenge: params.get("code_challenge")!,
      nonce: params.get("nonce")!,
      sid: randomText(16),
    });
    const response = `code=${code}&state=${params.get("state")}&iss=${encodeURIComponent(issuer)}`;
    return {
      status: 302,
      headers: {
        location: `${params.get("redirect_uri")}?${response}`,
        "cache-control": "no-store",
        "referrer-policy": "no-referrer",
        "set-cookie": cookie,
      },
      body: null,
    };
  }

  async function token(form: string): Promise<Reply> {
    const params = new URLSearchParams(form);
    const code = params.get("code")!;
    const grant = codes.get(code);
    const digest = await crypto.subtle.digest("SHA-256", encoder.encode(params.get("code_verifier")!));
    if (grant === undefined || base64url(new Uint8Array(digest)) !== grant.challenge) return nothing;
    codes.delete(code);
    const { clientId, scope, nonce, sid } = grant;
    const iat = Math.floor(Date.now() / 1000);
    const common = { iss: issuer, sub: "alice", exp: iat + 3600, iat, auth_time: iat, sid };
    const [access_token, id_token] = await Promise.all([
      sign(heads.access, { ...common, aud: issuer, client_id: clientId, scope, jti: randomText(33) }),
      sign(heads.id, { ...common, aud: clientId, nonce, at_hash: "A".repeat(22) }),
    ]);
    return {
      status: 200,
      headers: {
        "content-type": "application/json",
        "cache-control": "no-store",
        "x-content-type-options": "nosniff",
        "access-control-allow-origin": "*",
        "access-control-expose-headers": "WWW-Authenticate, Retry-After",
      },
      body: JSON.stringify({ access_token, token_type: "Bearer", expires_in: 3600, scope, id_token }),
    };
  }

  async function sign(head: string, claims: unknown): Promise<string> {
    const input = `${head}.${base64url(encoder.encode(JSON.stringify(claims)))}`;
    const signature = await crypto.subtle.sign(algorithm, pair.privateKey, encoder.encode(input));
    return `${input}.${base64url(new Uint8Array(signature))}`;
  }

  async function keys(): Promise<Reply> {
    const jwk = await crypto.subtle.exportKey("jwk", pair.publicKey);
    const headers = { "content-type": "application/json" };
    return { status: 200, headers, body: JSON.stringify({ keys: [{ ...jwk, kid, alg }] }) };
  }

  async function fetch(request: Request): Promise<Response> {
    const { pathname, search } = new URL(request.url);
    const reply = pathname === "/oauth2/authorize"
      ? authorize(search)
      : pathname === "/oauth2/token"
      ? await token(await request.text())
      : await keys();
    return new Response(reply.body, reply);
  }

  async function answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const [path, query = ""] = incoming.url!.split("?");
    const { status, headers, body } = path === "/oauth2/authorize"
      ? authorize(query)
      : path === "/oauth2/token"
      ? await token(await textOf(incoming))
      : await keys();
    outgoing.writeHead(status, { ...headers, "content-length": body?.length ?? 0 });
    outgoing.end(body);
  }

  const port = await serve(fetch, answer);
  issuer = `http://localhost:${port}`;
  return { port, issuer };
}

/** As long as Latchkey's. */
const cookie = `latchkey_session=${"A".repeat(106)}; Path=/; HttpOnly; SameSite=Lax`;

const nothing: Reply = { status: 400, headers: {}, body: "" };

async function serve(
  fetch: Handler,
  answer: (incoming: IncomingMessage, outgoing: ServerResponse) => void,
): Promise<number> {
  const hostname = "127.0.0.1";
  const globals = globalThis as { Deno?: unknown; Bun?: unknown };
  if (globals.Deno !== undefined) return Deno.serve({ hostname, port: 0, onListen() {} }, fetch).addr.port;
  if (globals.Bun !== undefined) return Bun.serve({ hostname, port: 0, fetch }).port;
  const { createServer } = await import("node:http");
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, hostname, resolve));
  return (server.address() as { port: number }).port;
}

function textOf(incoming: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    incoming.setEncoding("utf8");
    incoming.on("data", (part) => text += part);
    incoming.on("end", () => resolve(text));
    incoming.on("error", reject);
  });
}

function randomText(bytes: number): string {
  return base64url(crypto.getRandomValues(new Uint8Array(bytes)));
}

/** By the quickest means of each runtime. */
function base64url(bytes: Uint8Array): string {
  if (!native) return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64url");
  return bytes.toBase64({ alphabet: "base64url", omitPadding: true });
}
