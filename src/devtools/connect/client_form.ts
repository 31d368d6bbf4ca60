/** The form of client metadata. Its fields follow from the description of the metadata, new members included. */

import { clientField } from "../../server/hosting/extensions.ts";
import type {
  ClientAuthMethod,
  ClientEntry,
  ClientMetadata,
  HostedClient,
} from "../../server/config/client_metadata.ts";
import { hasNewIdentity } from "../../server/entries/client_identity.ts";
import type { Field } from "../../server/config/field.ts";
import type { Params } from "../../core/params.ts";
import { randomId, randomToken } from "../../core/secrets.ts";
import type { Server } from "../../core/server.ts";
import type { MetadataField, MetadataGroup } from "./pages/client_edit.tsx";
import type { FieldError } from "../../server/pages/field.tsx";
import type { ClientLibrary } from "./client_snippets/library.ts";
import { memberTopics } from "./member_topics.ts";
import { describeJsonSyntaxError } from "../../server/config/json_syntax_error.ts";

type Name = keyof ClientMetadata;

/** The fields of the form that adds a client; `retry` is hidden. */
export const connectFields = [
  ...["library", "client_id", "client_name", "redirect_uris", "client_secret"] as const,
  ...["token_endpoint_auth_method", "retry"] as const,
];

/** The authentication methods that the form offers, if the server has them: those that need no key. */
export function formAuthMethods({ settings }: Server): readonly ClientAuthMethod[] {
  return (["none", "client_secret_basic", "client_secret_post", "client_secret_jwt"] as const).filter((method) =>
    settings.clientAuthMethods.includes(method)
  );
}

/** The members that the form of all metadata does not contain. */
const fixedMembers: readonly Name[] = ["client_id", "client_secret"];

const fields: Readonly<Record<string, Field>> = clientField.members;

/** The members that the form contains. */
const names = (Object.keys(fields) as Name[]).filter((name) => !fixedMembers.includes(name));

/** The lists whose values may contain spaces. */
const spacedLists: ReadonlySet<Name> = new Set(["response_types", "contacts"]);

/** The groups of the form, with the values that the metadata has, or those that were typed. */
export function metadataGroups(metadata: ClientMetadata, typed?: Params): MetadataGroup[] {
  const listed = Object.values(memberTopics).flat();
  const groups = [
    ...Object.entries(memberTopics),
    ["Other members", names.filter((name) => !listed.includes(name))] as const,
  ];
  return groups.map(([title, members]) => ({
    title,
    fields: members.map((name) => metadataField(name, typed ? typed.get(name) : toText(metadata[name]))),
  }));
}

function metadataField(name: Name, value: string | undefined): MetadataField {
  const { type, choices, examples, expected, items } = fields[name]!;
  const example = examples[0];
  const hint = type === "array"
    ? describeList(name, [items?.choices ?? example].flat())
    : type === "object"
    ? "A JSON object."
    : type === "integer"
    ? `${expected.charAt(0).toUpperCase()}${expected.slice(1)}. Example: ${example}.`
    : choices === undefined && type !== "boolean"
    ? `Such as ${example}.`
    : undefined;
  return { name, hint, value, choices, kind: type === "boolean" ? "flag" : type === "string" ? "text" : type };
}

function describeList(name: Name, examples: readonly unknown[]): string {
  const separators = spacedLists.has(name)
    ? "One per line"
    : isUri(String(examples[0]))
    ? "Separated by spaces or lines"
    : "Separated by spaces, commas or lines";
  return `${separators}, such as ${examples.join(" ")}.`;
}

function toText(value: unknown): string | undefined {
  if (value === undefined || value === false) return undefined;
  if (value === true) return "on";
  if (Array.isArray(value)) return value.join("\n");
  return typeof value === "object" ? JSON.stringify(value, null, 1) : String(value);
}

/** The metadata that a form describes, not yet validated, and the fields that cannot be read. */
export async function metadataFromForm(
  former: ClientMetadata,
  params: Params,
): Promise<{ readonly metadata: ClientMetadata; readonly errors: readonly FieldError[] }> {
  const errors: FieldError[] = [];
  const members: Record<string, unknown> = { ...former };
  for (const name of names) {
    const text = params.get(name);
    const value = text === undefined ? undefined : fromText(name, text, former[name]);
    if (value instanceof SyntaxError) {
      errors.push({ field: name, ...await describeJsonSyntaxError(text!) });
    }
    // An empty list may differ from no list.
    if (value !== undefined) members[name] = value;
    else if (!Array.isArray(former[name]) || former[name].length > 0) delete members[name];
  }
  return { metadata: members as unknown as ClientMetadata, errors };
}

/** The names of the fields of a form that would change the metadata. */
export async function differingFields(current: ClientMetadata, params: Params): Promise<readonly string[]> {
  const { metadata, errors } = await metadataFromForm(current, params);
  return names.filter((name) =>
    toText(metadata[name]) !== toText(current[name]) || errors.some(({ field }) => field === name)
  );
}

function fromText(name: Name, text: string, former: unknown): unknown {
  switch (fields[name]!.type) {
    case "boolean":
      return text === "on";
    case "integer":
      return /^-?\d{1,15}$/.test(text.trim()) ? Number(text) : text;
    case "array":
      // The form shows one value per line; a line that is not changed stays one value.
      return text.split("\n").map((line) => line.trim()).flatMap((line) =>
        spacedLists.has(name) || Array.isArray(former) && former.includes(line) ? [line] : splitList(line)
      ).filter((value) => value !== "");
    case "object":
      try {
        return JSON.parse(text);
      } catch {
        return new SyntaxError();
      }
    default:
      return text.trim();
  }
}

/**
 * Splits a list at spaces and commas. A comma inside a URI is part of it: the redirect URI of a rejected request, which
 * a link adds to the form, could otherwise register a second one.
 */
function splitList(text: string): string[] {
  return text.split(/,?\s+/).flatMap((value) => isUri(value) ? [value.replace(/,$/, "")] : value.split(","));
}

function isUri(text: string): boolean {
  return text.includes(":/");
}

/**
 * The entry of the changed client. It keeps its secret unless its method uses none, or cannot use the stored one, or
 * the form asks for a new one. A new secret is the `client_secret` of the entry.
 */
export async function changedEntry(
  server: Server,
  former: HostedClient,
  metadata: ClientMetadata,
  wantsNewSecret: boolean,
): Promise<ClientEntry> {
  const { token_endpoint_auth_method: method } = metadata;
  const { secretDigest, assertionSecret, registration } = former;
  const usesSecret = method === undefined ? secretDigest !== undefined : method.startsWith("client_secret_");
  const kept = method === "client_secret_jwt" ? assertionSecret : await secretDigest;
  const secret = !usesSecret
    ? {}
    : kept === undefined || wantsNewSecret
    ? { client_secret: randomToken(server.randomBytes) }
    : method === "client_secret_jwt"
    ? { client_secret: kept }
    : { client_secret_digest: kept };
  const identity = hasNewIdentity(former.metadata, metadata) ? { identity: randomId(server.randomBytes) } : {};
  return { ...metadata, ...secret, ...registration && { registration: { ...registration, ...identity } } };
}

/**
 * The metadata of the form that adds a client, not yet validated.
 *
 * With a secret the client is confidential, although a link proposes a public one. Without a secret, a library whose
 * applications cannot keep a secret makes it public, unless the form names a method. A client whose metadata names
 * no method may send its secret by Basic or in the body.
 */
export async function addedMetadata(
  server: Server,
  params: Params,
  library: Pick<ClientLibrary, "isPublic"> | undefined,
): ReturnType<typeof metadataFromForm> {
  const { metadata, errors } = await metadataFromForm({ client_id: params.get("client_id") ?? "" }, params);
  const typed = params.get("client_secret") ?? "";
  const usesSecrets = server.settings.clientAuthMethods.some((method) => method.startsWith("client_secret_"));
  const { token_endpoint_auth_method: chosen } = metadata;
  const method = typed !== ""
    ? (chosen === "none" ? undefined : chosen)
    : chosen || (library?.isPublic || !usesSecrets ? "none" : undefined);
  const secret = typed !== "" ? typed : method === "none" ? undefined : randomToken(server.randomBytes);
  return {
    errors,
    metadata: {
      ...metadata,
      token_endpoint_auth_method: method,
      client_secret: secret,
      grant_types: metadata.grant_types ??
        ["authorization_code", "refresh_token", ...secret === undefined ? [] : ["client_credentials"]],
    },
  };
}
