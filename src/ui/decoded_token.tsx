/** @jsxRuntime automatic */
/** @jsxImportSource preact */
/** A token taken apart: header, claims with their times in words, signature (RFC 7519 §3, RFC 7515 §7.1). */

import type { VNode } from "preact";
import { inWords } from "./duration.ts";
import { Meaning } from "./parameters.tsx";
import { Masked } from "./secret_value.tsx";
import { Fact } from "./value.tsx";

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
  const small = name.charAt(0).toLowerCase() + name.slice(1);
  return (
    <article class="token">
      <h3>{name}</h3>
      {header === undefined || claims === undefined
        ? (
          <p>
            Opaque: <Masked name={small} value={token} />{" "}
            is a name for what the server keeps, and says nothing by itself.
          </p>
        )
        : (
          <dl class="facts claims">
            <Fact label="Header">
              {Object.entries(header).map(([key, value]) => `${key}: ${show(value)}`).join("\n")}
            </Fact>
            {Object.entries(claims).map(([key, value]) => (
              <Fact key={key} label={key}>
                {show(value)}
                <Meaning text={meaningOf(key, value, now)} />
              </Fact>
            ))}
            <Fact label="Signature">
              <Masked name={`signature of the ${small}`} value={signature} />
            </Fact>
          </dl>
        )}
    </article>
  );
}

const times = new Set(["exp", "iat", "nbf", "auth_time"]);

const meanings: Readonly<Record<string, string>> = {
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

function meaningOf(name: string, value: unknown, now: number): string | undefined {
  if (times.has(name) && typeof value === "number" && isTime(value)) {
    return `${asUtc(value)}, ${fromNow(value - Math.floor(now / 1000))}`;
  }
  return Object.hasOwn(meanings, name) ? meanings[name] : undefined;
}

/** As far as a date can reach. */
function isTime(seconds: number): boolean {
  return Math.abs(seconds) <= 8.64e12;
}

function asUtc(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace("T", " ").replace(/\.\d+Z$/, " UTC");
}

/** Exact where seconds matter, else as a person would say it. */
function fromNow(seconds: number): string {
  if (seconds === 0) return "now";
  const length = Math.abs(seconds);
  const [unit] = [86_400, 3600, 60].filter((unit) => length >= 2 * unit);
  const words = unit === undefined
    ? inWords(length)
    : `${Math.round(length / unit)} ${{ 86400: "days", 3600: "hours", 60: "minutes" }[unit]}`;
  return seconds > 0 ? `in ${words}` : `${words} ago`;
}

/** Text as it is, everything else as JSON. */
function show(value: unknown): string {
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
