/** @jsxRuntime automatic */
/** @jsxImportSource preact */
/** A token taken apart: header, claims with their times in words, signature (RFC 7519 §3, RFC 7515 §7.1). */

import type { VNode } from "preact";
import { formatDuration } from "./duration.ts";
import { Hint } from "./parameters.tsx";
import { SecretValue } from "./secret_value.tsx";
import { DefinitionItem } from "./value.tsx";

/** What is taken apart. */
export interface DecodedTokenProps {
  /** What it is: `ID token`. */
  readonly name: string;
  /** The token itself. */
  readonly token: string;
  /** The clock, in milliseconds since the epoch: times are told from here. */
  readonly now: number;
}

/** A figure; a token that is no JWT says so, and gives nothing away. */
export function DecodedToken({ name, token, now }: DecodedTokenProps): VNode {
  const [head = "", payload = "", signature = ""] = token.split(".");
  const header = decode(head);
  const claims = decode(payload);
  const lowerCaseName = name.charAt(0).toLowerCase() + name.slice(1);
  return (
    <article class="token">
      <h3>{name}</h3>
      {header === undefined || claims === undefined
        ? (
          <p>
            Opaque: <SecretValue name={lowerCaseName} value={token} />{" "}
            is a name for what the server keeps, and says nothing by itself.
          </p>
        )
        : (
          <dl class="facts claims">
            <DefinitionItem label="Header">
              {Object.entries(header).map(([key, value]) => `${key}: ${formatValue(value)}`).join("\n")}
            </DefinitionItem>
            {Object.entries(claims).map(([key, value]) => (
              <DefinitionItem key={key} label={key}>
                {formatValue(value)}
                <Hint text={claimMeaning(key, value, now)} />
              </DefinitionItem>
            ))}
            <DefinitionItem label="Signature">
              <SecretValue name={`signature of the ${lowerCaseName}`} value={signature} />
            </DefinitionItem>
          </dl>
        )}
    </article>
  );
}

const timeClaims = new Set(["exp", "iat", "nbf", "auth_time"]);

const claimMeanings: Readonly<Record<string, string>> = {
  iss: "who issued it",
  sub: "who it is about",
  aud: "who it is for",
  nonce: "ties it to the authorization request",
  at_hash: "half the digest of the access token it came with",
  sid: "the session it was issued in",
  client_id: "who it was issued to",
  scope: "what it allows",
  jti: "its own name",
};

function claimMeaning(name: string, value: unknown, now: number): string | undefined {
  if (timeClaims.has(name) && typeof value === "number" && isTime(value)) {
    return `${formatUtc(value)}, ${relativeTime(value - Math.floor(now / 1000))}`;
  }
  return Object.hasOwn(claimMeanings, name) ? claimMeanings[name] : undefined;
}

/** As far as a date can reach. */
function isTime(seconds: number): boolean {
  return Math.abs(seconds) <= 8.64e12;
}

function formatUtc(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace("T", " ").replace(/\.\d+Z$/, " UTC");
}

/** Exact where seconds matter, else as a person would say it. */
function relativeTime(seconds: number): string {
  if (seconds === 0) return "now";
  const length = Math.abs(seconds);
  const [unit] = [86_400, 3600, 60].filter((unit) => length >= 2 * unit);
  const text = unit === undefined
    ? formatDuration(length)
    : `${Math.round(length / unit)} ${{ 86400: "days", 3600: "hours", 60: "minutes" }[unit]}`;
  return seconds > 0 ? `in ${text}` : `${text} ago`;
}

/** Text as it is, everything else as JSON. */
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
