/** Reads members of a realm of Keycloak: a value of the wrong type counts as absent. */

import { isObject } from "../../core/http/json_value.ts";

/** An object of the realm. */
export type Json = Readonly<Record<string, unknown>>;

export function nonEmptyText(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The strings of an array. */
export function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === "string") : [];
}

export function objectOrEmpty(value: unknown): Json {
  return isObject(value) ? value : {};
}

export function objectsIn(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter((item) => isObject(item)) : [];
}

export function definedMembers(members: Json): Json {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

/** The value in the type of `jsonType.label`; `undefined` if it cannot be converted. */
export function typedValue(value: string | undefined, config: Json): unknown {
  const type = config["jsonType.label"];
  if (value === undefined) return undefined;
  if (type === "boolean") return value === "true";
  if (type === "int" || type === "long") return Number.isFinite(Number(value)) ? Number(value) : undefined;
  if (type !== "JSON") return value;
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}
