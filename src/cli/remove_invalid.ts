/**
 * Removes the invalid parts of a configuration file, so that the same run also finds conflicts between the other parts.
 */

import type { Mismatch, Path } from "../core/policy/field.ts";
import { insecureNames } from "../server/config/server_settings.ts";
import type { ConfigFile } from "./settings.ts";

/** Values for invalid settings that cause no further issue. */
export const permissiveDefaults: ConfigFile = {
  clients: [],
  insecure: insecureNames.filter((name) => name !== "show-secrets"),
};

/** Client settings that are validated against another setting; skipped if that setting is invalid. */
const validatedAgainst: Readonly<Record<string, readonly string[]>> = {
  grant_types: ["redirect_uris"],
  redirect_uris: ["subject_type"],
  sector_identifier_uri: ["subject_type"],
  jwks: ["jwks_uri", "token_endpoint_auth_signing_alg"],
  jwks_uri: ["jwks", "token_endpoint_auth_signing_alg"],
  token_endpoint_auth_method: ["client_secret", "jwks", "token_endpoint_auth_signing_alg"],
};

/** Removes the mismatches, and returns the paths that the content does not represent. */
export function removeInvalid(
  input: ConfigFile,
  mismatches: readonly Mismatch[],
): { readonly content: ConfigFile; readonly invalidPaths: ReadonlySet<string> } {
  if (mismatches.length === 0) return { content: input, invalidPaths: new Set() };
  // The value of a misspelt name probably belongs to the suggested name, which would otherwise be reported as missing.
  const suggested = mismatches.flatMap(({ path, suggestion }) => {
    const intended = suggestion === undefined ? undefined : [...path.slice(0, -1), suggestion];
    return intended === undefined || hasPath(input, intended) ? [] : [intended];
  });
  const invalid = [...mismatches.map(({ path }) => path), ...suggested];
  const content: Record<string, unknown> = { ...input };
  const invalidPaths = new Set<string>();
  const copies = new Set<unknown>();
  /** Replaces a value with a mutable copy of it. */
  const makeMutable = (holder: Record<string | number, unknown>, key: string | number) => {
    const current = holder[key];
    if (copies.has(current) || typeof current !== "object" || current === null) {
      return current as Record<string | number, unknown>;
    }
    const copy = Array.isArray(current) ? [...current] : { ...current };
    copies.add(copy);
    return holder[key] = copy as Record<string | number, unknown>;
  };
  for (const [first = "", inner, member] of invalid) {
    const name = String(first);
    const id = name === "clients" ? "client_id" : name === "users" ? "sub" : undefined;
    const current = inner === undefined ? undefined : makeMutable(content, name);
    if (id !== undefined && typeof inner === "number" && Array.isArray(current)) {
      const item = makeMutable(current as unknown as Record<number, unknown>, inner);
      if (typeof member === "string" && member !== id && typeof item === "object" && item !== null) {
        delete item[member];
        const dependents = Object.hasOwn(validatedAgainst, member) ? validatedAgainst[member]! : [];
        for (const dependent of [member, ...dependents]) invalidPaths.add(`${name}[${inner}].${dependent}`);
      } else {
        invalidPaths.add(`${name}[${inner}]`);
        current[inner] = placeholderItem(item, id, inner);
      }
    } else if (typeof inner === "string" && typeof current === "object" && !Array.isArray(current)) {
      delete current[inner];
      invalidPaths.add(`${name}.${inner}`);
    } else {
      invalidPaths.add(name);
      delete content[name];
    }
  }
  for (const name of invalidPaths) {
    if (Object.hasOwn(permissiveDefaults, name)) content[name] = permissiveDefaults[name as keyof ConfigFile];
  }
  return { content, invalidPaths };
}

/** Keeps the identifier, which must be unique. */
function placeholderItem(item: unknown, key: string, index: number): Record<string, string> {
  const id = typeof item === "object" && item !== null ? (item as Record<string, unknown>)[key] : undefined;
  return { [key]: typeof id === "string" ? id : `invalid ${index}` };
}

function hasPath(input: unknown, path: Path): boolean {
  return path.length === 0 || typeof input === "object" && input !== null && Object.hasOwn(input, path[0]!) &&
      hasPath((input as Record<string | number, unknown>)[path[0]!], path.slice(1));
}
