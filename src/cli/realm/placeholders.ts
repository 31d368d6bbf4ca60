/**
 * Placeholders of a realm of Keycloak: `${NAME}` and `${NAME:default}` are environment variables, as are `$(env:NAME)`
 * and `$(env:NAME:-default)` of keycloak-config-cli.
 */

import { isObject } from "../../core/http/json_value.ts";
import type { Environment } from "../environment.ts";
import type { Json } from "./realm_values.ts";

const placeholder =
  /\$\{(?:env\.)?([A-Za-z_][\w.-]{0,127})(?::([^{}]{0,1000}))?\}|\$\(env:([A-Za-z_][\w.]{0,127})(?::-([^()]{0,1000}))?\)/g;

/** Deeper texts stay: a realm has none. */
const maxDepth = 64;

/** Replaces placeholders in every text. A text that is one placeholder can become a boolean. */
export function replacePlaceholders(realm: Json, env: Environment): Json {
  function replace(value: unknown, depth: number): unknown {
    if (depth > maxDepth) return value;
    if (Array.isArray(value)) return value.map((item) => replace(item, depth + 1));
    if (isObject(value)) {
      return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, replace(item, depth + 1)]));
    }
    if (typeof value !== "string" || !value.includes("$")) return value;
    const replaced = value.replace(
      placeholder,
      (written, own?: string, ownDefault?: string, ofCli = "", cliDefault?: string) =>
        (Object.hasOwn(env, own ?? ofCli) ? env[own ?? ofCli] : undefined) ?? ownDefault ?? cliDefault ?? written,
    );
    const isWhole = value.replace(placeholder, "") === "";
    return isWhole && /^(?:true|false)$/.test(replaced) ? replaced === "true" : replaced;
  }

  return replace(realm, 0) as Json;
}

/** The placeholders that are left in a value. */
export function placeholdersIn(value: object): readonly string[] {
  return [...new Set(JSON.stringify(value).match(placeholder) ?? [])];
}
