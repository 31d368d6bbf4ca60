/** DPoP in an attack: requests of other moves get a proof, often a valid one, by the key of the attacker. */

import { fixedDpopKey } from "../../src/testing/dpop.ts";
import type { AttackerState, Step } from "./attack.ts";
import type { Pair, RequestDraft } from "./request_draft.ts";
import type { AttackedServer } from "./servers.ts";

const endpoints = /\/(?:oauth2\/(?:token|par|userinfo)|mcp)$/;

const claimNames = ["jti", "htm", "htu", "iat", "exp", "nbf", "ath", "nonce", "__proto__", ""];

/** The request with a proof, and with the scheme DPoP for an access token; some other requests as they are. */
export async function withProof(
  server: AttackedServer,
  { nonce, tokens }: AttackerState,
  draft: RequestDraft,
  { pick, text }: Step,
): Promise<RequestDraft> {
  const { method, path, headers } = draft;
  if (!endpoints.test(path)) return draft;
  const [, bearer] = headers.find(([name]) => name === "authorization") ?? [];
  const accessToken = /^Bearer (.+)$/.exec(bearer ?? "")?.[1];
  const isBound = tokens.some(({ access_token, token_type }) => access_token === accessToken && token_type === "DPoP");
  if (pick % 17 === 0 ? isBound : !isBound && pick % 13 !== 1) return draft;
  const key = await fixedDpopKey(() => ({ ...server.as, randomBytes: server.random, now: server.now }) as never);
  const values = [text, [text], { [text]: text }, null, 1e308, -1, true, "", undefined];
  const claim = claimNames[pick % claimNames.length]!;
  const proof = await key.proof(method, new URL(server.as.issuer).origin + path, {
    ...accessToken !== undefined && { accessToken },
    ...nonce !== undefined && pick % 5 !== 0 && { nonce },
    ...pick % 6 === 0 && { claims: { [claim === "" ? text : claim]: values[Math.floor(pick / 7) % values.length] } },
    ...pick % 19 === 0 && { header: { [["typ", "alg", "jwk", "crit"][pick % 4]!]: text } },
    ...pick % 23 === 0 && { signedBy: "wrong key" as const },
  });
  const proven: Pair[] = headers.map(([name, value]) =>
    value === bearer && accessToken !== undefined ? [name, `DPoP ${accessToken}`] : [name, value]
  );
  return { ...draft, headers: [...proven, ["dpop", proof]] };
}
