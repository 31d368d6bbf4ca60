/** Servers whose logs are watched: a request fails as soon as a secret of its server stands in what the operator is told. */

import { latchkey as unwatched } from "../src/mod.ts";
import type { Latchkey, LatchkeyOptions, TraceEvent } from "../src/mod.ts";
import type { Layer } from "../src/app/plugin.ts";
import type { Incoming } from "../src/http/message.ts";
import { readTarget } from "../src/http/router.ts";
import { veiled } from "../src/oauth/trace.ts";
import { ear, overheardRequest } from "../src/recorder/body_tap.ts";
import type { Ear } from "../src/recorder/body_tap.ts";
import { testLatchkey as unwatchedTest } from "../src/testing/mod.ts";
import type { TestLatchkey, TestLatchkeyOptions } from "../src/testing/mod.ts";
import { openFields, secretsInAnswer, secretsInFields, secretsInHeaders } from "./secrets.ts";

/** As many secrets, and as many lines, are compared with what is new: a test of many thousand requests stays quick. */
const remembered = 200;

/** {@link unwatched}, watched. */
export function latchkey(options: LatchkeyOptions = {}): Promise<Latchkey> {
  return unwatched(watched(options));
}

/** {@link unwatchedTest}, watched. */
export function testLatchkey(options: TestLatchkeyOptions = {}): Promise<TestLatchkey> {
  return unwatchedTest(watched(options));
}

/** The same options for a server that is watched. */
export function watched<T extends LatchkeyOptions>(options: T): T {
  let secrets: string[] = [];
  let lines: string[] = [];
  let newSecrets: string[] = [];
  let newLines: string[] = [];
  const open = new Set<string>();
  const issued = new Set<string>();

  const hear = (event: TraceEvent) => {
    const told = veiled(event);
    const { cause } = told.type === "bug" ? told : { cause: undefined };
    newLines.push(`${JSON.stringify(told)} ${(cause as Error | undefined)?.stack ?? ""}`);
  };

  const readFields = (text: string) => {
    newSecrets.push(...secretsInFields(text));
    for (const value of openFields(text)) open.add(value);
  };

  const compare = () => {
    if (newSecrets.length === 0 && newLines.length === 0) return;
    const all = [...lines, ...newLines];
    const found = (among: readonly string[], values: readonly string[]) => {
      const text = among.join("\n");
      // What tests send in the place of a secret, and elsewhere in the open, is none.
      return values.find((value) => text.includes(value) && (issued.has(value) || !open.has(value)));
    };
    const leaked = found(newLines, secrets) ?? found(all, newSecrets);
    secrets = [...secrets, ...newSecrets].slice(-remembered);
    lines = all.slice(-remembered);
    newSecrets = [];
    newLines = [];
    if (leaked === undefined) return;
    throw new Error(`[HT-15] the log holds the secret ${leaked}: ${all.find((line) => line.includes(leaked))}`);
  };

  const layer: Layer = {
    around: (next) => async (request, peer) => {
      newSecrets.push(...secretsInHeaders(request.headers));
      readFields(readTarget(request.url, {}).query);
      const body = ear(() => readFields(body.heard()?.text ?? ""));
      listenTo(request, body);
      const answer = await next(request, peer);
      const text = typeof answer.body === "string" ? answer.body : "";
      for (const secret of secretsInAnswer(new Headers(answer.headers), text)) {
        issued.add(secret);
        newSecrets.push(secret);
      }
      compare();
      return answer;
    },
    during: (server) => ({
      ...server,
      trace(event) {
        hear(event);
        server.trace(event);
      },
    }),
  };

  return {
    ...options,
    layers: [layer, ...options.layers ?? []],
    trace(event) {
      hear(event);
      options.trace?.(event);
    },
  };
}

/** Hears the body of a request, which stays the very value that it is: others know it by its identity. */
function listenTo(request: Incoming, body: Ear): void {
  const kind = Object.getPrototypeOf(request);
  // A plain object, whose own members could not be reached any more.
  if (Object.hasOwn(request, "body") || kind === Object.prototype) return;
  const heard = overheardRequest({
    ...{ method: request.method, url: request.url, headers: request.headers },
    get body() {
      return Reflect.get(kind, "body", request);
    },
    get bodyUsed() {
      return request.bodyUsed;
    },
    bytes: () => kind.bytes.call(request),
  }, body);
  Object.defineProperties(request, { body: { get: () => heard.body }, bytes: { value: () => heard.bytes() } });
}
