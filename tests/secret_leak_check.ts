/**
 * Servers with a leak check: a request fails if the log or the trace contains a secret of its server, or if an
 * authorization response contains an access token.
 */

import { latchkey as unwatched } from "../src/mod.ts";
import type { ClientMetadata, Latchkey, LatchkeyOptions, User } from "../src/mod.ts";
import type { HostedClient } from "../src/server/config/client_metadata.ts";
import type { TraceEvent } from "../src/server/trace.ts";
import type { UserRepository } from "../src/server/clients/users.ts";
import type { MemoryRepository } from "../src/server/clients/repository.ts";
import type { Plugin } from "../src/server/hosting/options.ts";
import type { HttpRequest } from "../src/core/http/message.ts";
import { parseTarget } from "../src/core/http/router.ts";
import { redactEvent } from "../src/server/redaction/redact.ts";
import { BodyTap, TappedRequest } from "../src/platform/http/body_tap.ts";
import { withDefaults } from "./default_options.ts";
import { sharedRsaKeys } from "./rsa_keys.ts";
import {
  findHeaderSecrets,
  findJsonSecrets,
  findResponseSecrets,
  findTokenMembers,
  readFieldValues,
} from "./secrets.ts";

/** As many secrets are compared with each new line: a test of many thousand requests stays quick. */
const maxSecrets = 200;

/** As many lines are compared with each new secret: those of the request that brings it, and of a few before. */
const maxLines = 40;

/**
 * A server in memory, whose repositories return values. With a persistent store they return promises of these values,
 * so tests of such stores await them.
 */
export interface MemoryLatchkey extends Latchkey {
  readonly clients: MemoryRepository<ClientMetadata, HostedClient>;
  readonly users: MemoryRepository<User, User> & UserRepository;
}

/**
 * A clock that stands still for five seconds and then runs, five seconds late: no second passes on a slow machine
 * while a test compares lifetimes, and clients with the time of the system stay within the tolerance of a server.
 */
export function lateClock(): () => number {
  const startedAt = Date.now();
  return () => Math.max(startedAt, Date.now() - 5_000);
}

/**
 * {@link unwatched} with the defaults of tests and a {@link lateClock}, watched. It signs with EdDSA by default; tests
 * share RSA keys.
 */
export function latchkey(options: LatchkeyOptions = {}): Promise<MemoryLatchkey> {
  const withKeys = { keySource: sharedRsaKeys(), now: lateClock(), ...withQuickAlgorithm(withDefaults(options)) };
  return unwatched(withSecretLeakCheck(withKeys)) as Promise<MemoryLatchkey>;
}

/**
 * The same options with EdDSA instead of RS256, the default: on Deno an RSA signature takes 100 times as long. Options
 * that set the algorithm are returned unchanged.
 */
export function withQuickAlgorithm<T extends LatchkeyOptions>(options: T): T {
  const isDecided = ["alg", "profile", "signatureAlgorithms"].some((name) => Object.hasOwn(options, name));
  return isDecided ? options : { ...options, alg: "EdDSA" };
}

/** The same options for a server that is watched. */
export function withSecretLeakCheck<T extends LatchkeyOptions>(options: T): T {
  let secrets: readonly string[] = [];
  let lines: readonly string[] = [];
  let newSecrets = new Set<string>();
  let newLines: string[] = [];
  const publicValues = new Set<string>();
  const issued = new Set<string>();

  const recordEvent = (event: TraceEvent) => {
    const redacted = redactEvent(event);
    // Tests name OAuth errors in a member `code`; the name of such a fault is that error.
    if (event.type === "fault_applied") publicValues.add(event.fault);
    const { cause } = redacted.type === "internal_error" ? redacted : { cause: undefined };
    newLines.push(`${JSON.stringify(redacted)} ${(cause as Error | undefined)?.stack ?? ""}`);
  };

  const addSecrets = (values: Iterable<string>) => {
    for (const value of values) newSecrets.add(value);
  };

  const readFields = (text: string) => {
    if (text.startsWith("{")) return addSecrets(findJsonSecrets(text));
    const fields = readFieldValues(text);
    addSecrets(fields.secrets);
    for (const value of fields.publicValues) publicValues.add(value);
  };

  // What tests send in the place of a secret, and elsewhere in the open, is none.
  const isSecret = (value: string) => issued.has(value) || !publicValues.has(value);
  const findLeak = (text: string, values: readonly string[]) =>
    values.find((value) => text.includes(value) && isSecret(value));

  const assertNoLeak = () => {
    const unknown = [...newSecrets].filter((value) => !secrets.includes(value));
    const all = [...lines, ...newLines];
    const leaked = (newLines.length > 0 ? findLeak(newLines.join("\n"), secrets) : undefined) ??
      (unknown.length > 0 ? findLeak(all.join("\n"), unknown) : undefined);
    secrets = [...secrets, ...unknown].slice(-maxSecrets);
    lines = all.slice(-maxLines);
    newSecrets = new Set();
    newLines = [];
    if (leaked === undefined) return;
    throw new Error(`[HT-15] the log holds the secret ${leaked}: ${all.find((line) => line.includes(leaked))}`);
  };

  const plugin: Plugin = {
    handle: (next) => async (request, peer) => {
      addSecrets(findHeaderSecrets(request.headers));
      readFields(parseTarget(request.url, {}).query);
      const body = new BodyTap(() => readFields(body.captured()?.text ?? ""));
      attachTap(request, body);
      const response = await next(request, peer);
      const text = typeof response.body === "string" ? response.body : "";
      const headers = new Headers(response.headers);
      for (const secret of findResponseSecrets(headers, text)) {
        issued.add(secret);
        newSecrets.add(secret);
      }
      assertNoLeak();
      const [name] = findTokenMembers(headers, text);
      if (name !== undefined) throw new Error(`[NV-01] an authorization response holds ${name}`);
      return response;
    },
    extend: (server) => ({
      ...server,
      trace(event) {
        recordEvent(event);
        server.trace(event);
      },
    }),
  };

  return {
    ...options,
    plugins: [plugin, ...options.plugins ?? []],
    trace(event) {
      recordEvent(event);
      options.trace?.(event);
    },
  };
}

/** Taps the body of a request without replacing the request, whose identity matters. */
function attachTap(request: HttpRequest, body: BodyTap): void {
  const prototype = Object.getPrototypeOf(request);
  // A plain object, whose own members could not be reached any more.
  if (Object.hasOwn(request, "body") || prototype === Object.prototype) return;
  const tapped = new TappedRequest({
    ...{ method: request.method, url: request.url, headers: request.headers },
    get body() {
      return Reflect.get(prototype, "body", request);
    },
    get bodyUsed() {
      return request.bodyUsed;
    },
    bytes: () => prototype.bytes.call(request),
  }, body);
  Object.defineProperties(request, { body: { get: () => tapped.body }, bytes: { value: () => tapped.bytes() } });
}
