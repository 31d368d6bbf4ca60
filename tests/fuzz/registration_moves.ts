/** Registration requests of an attack: valid, faulty or hostile metadata, and the management of registrations. */

import type { AttackerState, Step } from "./attack.ts";
import { type Pair, type RequestDraft, requestDraft } from "./request_draft.ts";
import { type AttackedServer, basePath } from "./servers.ts";

/** A response of the registration endpoint. */
export interface Registration {
  readonly registration_client_uri: string;
  readonly registration_access_token: string;
  readonly [member: string]: unknown;
}

const encoder = new TextEncoder();

/** Registers a client. */
export function register(server: AttackedServer, _: AttackerState, step: Step): RequestDraft {
  return jsonRequest("POST", `${basePath(server)}/oauth2/register`, metadata(step), []);
}

/** Reads, replaces or deletes a registration, with its token or that of another one. */
export function configure(server: AttackedServer, { registrations }: AttackerState, step: Step): RequestDraft {
  const { pick } = step;
  const known = registrations.at(-1 - pick % (registrations.length || 1));
  const other = pick % 5 === 0 ? registrations[0] : known;
  const path = known === undefined
    ? `${basePath(server)}/oauth2/register/${["spa", "unknown"][pick % 2]}`
    : new URL(known.registration_client_uri).pathname;
  const headers: Pair[] = [["authorization", `Bearer ${other?.registration_access_token ?? "none"}`]];
  const method = ["GET", "PUT", "PUT", "DELETE"][pick % 4]!;
  if (method !== "PUT") return requestDraft(method, path, { headers });
  const { registration_client_uri: _, registration_access_token: __, ...sent } = known ?? {};
  const { client_id_issued_at: ___, client_secret_expires_at: ____, ...replaced } = sent as Record<string, unknown>;
  return jsonRequest("PUT", path, { ...replaced, ...pick % 3 === 0 ? metadata(step) : {} }, headers);
}

/** The text of a step in one place of the metadata, as the value itself or inside a value of another type. */
function metadata({ pick, text }: Step): Readonly<Record<string, unknown>> {
  const valid: Record<string, unknown> = {
    redirect_uris: ["https://registered.example/cb", "http://127.0.0.1/registered"].slice(0, 1 + pick % 2),
    token_endpoint_auth_method: ["none", "client_secret_basic", "client_secret_jwt", undefined][pick % 4],
    grant_types: ["authorization_code", "refresh_token"],
  };
  const values = [text, [text], { [text]: text }, [[text]], { keys: [{ kty: text, n: text }] }, null, 1e308, true];
  const name = members[pick % members.length]!;
  if (pick % 3 === 0) return valid;
  return { ...valid, [name === "" ? text : name]: values[Math.floor(pick / 7) % values.length] };
}

const members = [
  ...["redirect_uris", "client_name", "client_uri", "logo_uri", "tos_uri", "policy_uri", "jwks_uri", "jwks", "scope"],
  ...["grant_types", "response_types", "contacts", "application_type", "subject_type", "sector_identifier_uri"],
  ...["token_endpoint_auth_method", "token_endpoint_auth_signing_alg", "id_token_signed_response_alg", "client_id"],
  ...["backchannel_logout_uri", "backchannel_logout_session_required", "frontchannel_logout_uri"],
  ...["frontchannel_logout_session_required"],
  ...["post_logout_redirect_uris", "software_statement", "client_secret", "serves", "registration", "__proto__", ""],
];

function jsonRequest(method: string, path: string, value: unknown, headers: readonly Pair[]): RequestDraft {
  return requestDraft(method, path, {
    headers: [["content-type", "application/json"], ...headers],
    body: encoder.encode(JSON.stringify(value)),
  });
}
