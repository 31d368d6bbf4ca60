/** Placeholders of a realm of Keycloak: `${NAME}` and `${NAME:default}` are environment variables. */

import { isObject } from "../../core/http/json_value.ts";
import type { Environment } from "../environment.ts";
import type { Json } from "./realm_values.ts";

const placeholder = /\$\{(?:env\.)?([A-Za-z_][\w.-]{0,127})(?::([^{}]{0,1000}))?\}/g;

/** Members with texts for users, where Keycloak has names of messages: `${client_account}`. */
const messages = ["name", "description", "displayName", "displayNameHtml", "consent.screen.text", "displayHeader"];

/** Deeper texts stay: a realm has none. */
const maxDepth = 64;

/**
 * Replaces placeholders in every text. A text that is one placeholder can become a boolean.
 *
 * @returns The realm, and the names without a variable and a default, whose placeholders stay.
 */
export function replacePlaceholders(
  realm: Json,
  env: Environment,
): { readonly realm: Json; readonly missing: readonly string[] } {
  const missing = new Set<string>();

  function replace(value: unknown, member: string, depth = 0): unknown {
    if (depth > maxDepth) return value;
    if (Array.isArray(value)) return value.map((item) => replace(item, member, depth + 1));
    if (isObject(value)) {
      return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, replace(item, name, depth + 1)]));
    }
    if (typeof value !== "string" || !value.includes("${")) return value;
    const replaced = value.replace(placeholder, (written, name: string, byDefault?: string) => {
      const found = (Object.hasOwn(env, name) ? env[name] : undefined) ?? byDefault;
      if (found === undefined && !messages.includes(member)) missing.add(name);
      return found ?? written;
    });
    const isWhole = value.replace(placeholder, "") === "";
    return isWhole && /^(?:true|false)$/.test(replaced) ? replaced === "true" : replaced;
  }

  return { realm: replace(realm, "") as Json, missing: [...missing] };
}
