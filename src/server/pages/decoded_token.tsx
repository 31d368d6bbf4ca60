/** @jsxImportSource preact */
/** A decoded token: header, claims with times in words, signature (RFC 7519 §3, RFC 7515 §7.1). */

import type { ComponentChildren, VNode } from "preact";
import { formatDuration } from "../../core/pages/duration.ts";
import { Hint } from "./parameters.tsx";
import { SecretValue } from "./secret_value.tsx";
import { DefinitionItem } from "./value.tsx";
import { lowerFirst } from "./first_letter.ts";

interface DecodedTokenProps {
  /** Its type: `ID token`. */
  readonly name: string;
  readonly token: string;
  /** The current time, in milliseconds since the epoch; relative times refer to it. */
  readonly now: number;
}

/** The decoded JWT, as far as it can be decoded, or a note that the token is opaque. */
export function DecodedTokenView({ name, token, now }: DecodedTokenProps): VNode {
  const parts = token.split(".");
  const header = decode(parts[0]!);
  const isEncrypted = parts.length === 5;
  const claims = isEncrypted ? undefined : decode(parts[1] ?? "");
  const lowerCaseName = lowerFirst(name);
  return (
    <article class="token">
      <h3>{name}</h3>
      {header === undefined && claims === undefined
        ? (
          <p>
            Opaque: <SecretValue name={lowerCaseName} value={token} />{" "}
            has no readable content. Only the server that issued the token knows its content.
          </p>
        )
        : (
          <TokenClaims header={header ?? {}} claims={claims ?? {}} now={now}>
            {isEncrypted && (
              <DefinitionItem label="Claims">
                encrypted: only the holder of the private key can read them.
              </DefinitionItem>
            )}
            {!isEncrypted && (
              <DefinitionItem label="Signature">
                <SecretValue name={`signature of the ${lowerCaseName}`} value={parts[2] ?? ""} />
              </DefinitionItem>
            )}
          </TokenClaims>
        )}
    </article>
  );
}

/** A decoded JWT, not verified. */
export interface JwtContent {
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<Record<string, unknown>>;
}

/** Header and claims of a JWT, each with its meaning, and further items. */
export function TokenClaims(
  { header, claims, now, children }: JwtContent & { readonly now: number; readonly children?: ComponentChildren },
): VNode {
  return (
    <dl class="facts claims">
      <DefinitionItem label="Header">
        <span class="part-header">
          {Object.entries(header).map(([key, value]) => `${key}: ${formatValue(value)}`).join("\n")}
        </span>
      </DefinitionItem>
      <Lifetime {...claims} now={now} />
      {Object.entries(claims).map(([key, value]) => (
        <DefinitionItem key={key} label={key}>
          {formatValue(value)}
          <Hint text={claimMeaning(key, value, now)} />
        </DefinitionItem>
      ))}
      {children}
    </dl>
  );
}

/** How much of the time from `iat` to `exp` is left, as a bar and in words. */
function Lifetime(
  { iat, exp, now }: { readonly iat?: unknown; readonly exp?: unknown; readonly now: number },
): VNode | null {
  if (typeof iat !== "number" || typeof exp !== "number" || !(exp > iat) || exp > maxDateSeconds) return null;
  const left = exp - Math.floor(now / 1000);
  const text = left > 0 ? `valid for ${relativeLength(left)} of ${relativeLength(exp - iat)}` : "expired";
  return (
    <DefinitionItem label="Lifetime">
      <progress
        class="lifetime"
        max={exp - iat}
        value={Math.min(Math.max(left, 0), exp - iat)}
        aria-label="Remaining lifetime"
      />
      <span>{text}</span>
    </DefinitionItem>
  );
}

/** The latest time that a `Date` can represent. */
const maxDateSeconds = 8.64e12;

const timeClaims = new Set(["exp", "iat", "nbf", "auth_time"]);

const claimMeanings: Readonly<Record<string, string>> = {
  iss: "the issuer",
  sub: "the subject: the user, or the client itself",
  aud: "the audience",
  nonce: "the nonce of the authorization request",
  at_hash: "hash of the access token",
  sid: "the session",
  client_id: "the client of the token",
  scope: "the granted permissions",
  jti: "unique ID of the token",
};

function claimMeaning(name: string, value: unknown, now: number): string | undefined {
  if (timeClaims.has(name) && typeof value === "number" && Math.abs(value) <= maxDateSeconds) {
    const utc = new Date(value * 1000).toISOString().replace("T", " ").replace(/\.\d+Z$/, " UTC");
    return `${utc}, ${relativeTime(value - Math.floor(now / 1000))}`;
  }
  return Object.hasOwn(claimMeanings, name) ? claimMeanings[name] : undefined;
}

function relativeTime(seconds: number): string {
  if (seconds === 0) return "now";
  const text = relativeLength(Math.abs(seconds));
  return seconds > 0 ? `in ${text}` : `${text} ago`;
}

/** Seconds up to two minutes, then rounded to the largest unit. */
function relativeLength(length: number): string {
  const [unit] = [86_400, 3600, 60].filter((unit) => length >= 2 * unit);
  return unit === undefined
    ? formatDuration(length)
    : `${Math.round(length / unit)} ${{ 86400: "days", 3600: "hours", 60: "minutes" }[unit]}`;
}

/** Strings as they are, all other values as JSON. */
function formatValue(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** A part of a JWT that holds a JSON object. */
function decode(part: string): Record<string, unknown> | undefined {
  try {
    const binary = atob(part.replaceAll("-", "+").replaceAll("_", "/"));
    const value = JSON.parse(new TextDecoder().decode(Uint8Array.from(binary, (byte) => byte.charCodeAt(0))));
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
