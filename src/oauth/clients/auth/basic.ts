/** client_secret_basic: id and secret in an HTTP Basic header (OAuth 2.1 §2.4.1, RFC 7617). */

import { OAuthError } from "../../errors.ts";
import { verifyClientSecret } from "./method.ts";
import type { ClientAuth } from "../../server.ts";

interface CredentialCandidate {
  readonly id: string;
  readonly secret: string;
}

/** Any `Authorization` header counts as this method: a malformed one does not fall back to the body. */
export const basic: ClientAuth = {
  method: "client_secret_basic",
  isUsed: ({ authorization }) => authorization !== null,
  claimedId: ({ authorization }) => parseBasicHeader(authorization!)[0]?.id,
  async authenticate(server, { authorization }) {
    const candidates = parseBasicHeader(authorization!);
    if (candidates.length > 0) return await verifyClientSecret(server, "client_secret_basic", candidates);
    throw new OAuthError("invalid_client", "the Authorization header is not Basic credentials", {
      rule: "CA-04",
      expected: "Basic, a space and BASE64(client_id:client_secret), both parts form-encoded first",
      received: "something else",
    });
  },
};

/**
 * The possible readings of a header: id and secret form-decoded, as the specification requires, and unchanged, as
 * `curl -u` and many clients send them. Each reading is compared with the registered secret.
 */
function parseBasicHeader(header: string): CredentialCandidate[] {
  const token = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(header)?.[1];
  if (token === undefined || token.length % 4 !== 0) return [];
  let text: string;
  try {
    const binary = atob(token);
    // Rejects other base64 encodings of the same bytes.
    if (btoa(binary) !== token) return [];
    const bytes = Uint8Array.from(binary, (byte) => byte.charCodeAt(0));
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return [];
  }
  const colon = text.indexOf(":");
  if (colon < 0) return [];
  const raw = { id: text.slice(0, colon), secret: text.slice(colon + 1) };
  if (!/[%+]/.test(text)) return isPrintable(raw) ? [raw] : [];
  const candidates = [raw];
  try {
    candidates.unshift({ id: formDecode(raw.id), secret: formDecode(raw.secret) });
  } catch {
    // Not form-encoded: only the unchanged reading is possible.
  }
  return candidates.filter(isPrintable);
}

function formDecode(text: string): string {
  return decodeURIComponent(text.replaceAll("+", " "));
}

function isPrintable({ id, secret }: CredentialCandidate): boolean {
  return /^[\x20-\x7E]+$/.test(id) && /^[\x20-\x7E]*$/.test(secret);
}
