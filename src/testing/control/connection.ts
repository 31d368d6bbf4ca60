/** Calls of verbs over HTTP, made from the OpenAPI document of the server. */

import type { ProblemIssue } from "../../server/errors/problem_response.ts";
import { parseJsonObject } from "../../platform/http/json_body.ts";

/** @internal Options of `connectLatchkey`. */
export interface ConnectOptions {
  /** The bearer token of the control. Default: none. */
  readonly secret?: string;
  /** Sends a request. Default: the global `fetch`. */
  readonly fetch?: (request: Request) => Promise<Response>;
}

/** The control rejected a call. The message lists every error. */
export class ControlRequestError extends Error {
  /** The status of the response. */
  readonly status: number;
  /** What was expected and received; empty if the message says everything. */
  readonly errors: readonly ProblemIssue[];

  /** Creates the error. */
  constructor(message: string, status: number, errors: readonly ProblemIssue[] = []) {
    super(message);
    // Test runners distinguish failed assertions from other errors by the name.
    this.name = status === 422 ? "AssertionError" : "ControlRequestError";
    this.status = status;
    this.errors = errors;
  }
}

/** Calls a verb by its name. @throws {ControlRequestError} */
export type Call = (name: string, input?: object) => Promise<unknown>;

export interface ConnectedControl {
  readonly issuer: string;
  /** Connects to a tenant, which has the same verbs. */
  tenant(id: string, issuer: string): ConnectedControl;
  readonly call: Call;
  /** A function for each verb, by the parts of its name. */
  readonly functions: Readonly<Record<string, unknown>>;
}

/** An operation of the OpenAPI document. */
interface Operation {
  readonly operationId: string;
  /** The members of the input in the order of the arguments. Absent: one object. */
  readonly "x-arguments"?: readonly string[];
  /** The member of the result that the function returns. Absent: the whole result. */
  readonly "x-returns"?: string;
}

/** The operations of an OpenAPI document by their ids. */
type Operations = ReadonlyMap<
  string,
  { readonly path: string; readonly reads: boolean; readonly operation: Operation }
>;

/** Reads the OpenAPI document of a server. @throws {ControlRequestError} */
export async function connectControl(givenUrl: string, options: ConnectOptions): Promise<ConnectedControl> {
  const url = givenUrl.replace(/\/$/, "");
  const document = await send(new Request(`${url}/_control/openapi.json`), options) as {
    readonly paths: Readonly<Record<string, { readonly get?: Operation; readonly post?: Operation }>>;
  };
  const operations = new Map<string, ReturnType<Operations["get"]> & object>();
  for (const [path, { get, post }] of Object.entries(document.paths)) {
    const operation = get ?? post!;
    operations.set(operation.operationId, { path, reads: get !== undefined, operation });
  }
  const { issuer } = await callOf(url, operations, options)("health") as { readonly issuer: string };
  return connect(url, issuer, operations, options);
}

function callOf(url: string, operations: Operations, options: ConnectOptions): Call {
  const base = `${url}/_control`;
  return async (name, input = {}) => {
    const { path, reads } = operations.get(name) ?? {};
    if (path === undefined) throw new TypeError(`The server has no verb ${name}: it may be of another version.`);
    const body = toJsonInput(input);
    return await send(
      reads
        ? new Request(`${base}${path}?${new URLSearchParams(body as Record<string, string>)}`)
        : new Request(base + path, {
          method: "POST",
          body: JSON.stringify(body),
          headers: { "content-type": "application/json" },
        }),
      options,
    );
  };
}

function connect(url: string, issuer: string, operations: Operations, options: ConnectOptions): ConnectedControl {
  const call = callOf(url, operations, options);
  const functions: Record<string, unknown> = {};
  for (const [name, { operation }] of operations) {
    const steps = name.split(".");
    const last = steps.pop()!;
    const target = steps.reduce(
      (inner, step) => (inner[step] ??= {}) as Record<string, unknown>,
      functions,
    );
    target[last] = async (...args: readonly unknown[]) => {
      const result = await call(name, toInput(operation["x-arguments"], args));
      const member = operation["x-returns"];
      return member === undefined ? result : (result as Readonly<Record<string, unknown>>)[member];
    };
  }
  return {
    ...{ issuer, call, functions },
    tenant: (id, tenantIssuer) => connect(`${url}/tenants/${id}`, tenantIssuer, operations, options),
  };
}

/** Converts the arguments of a call to the input of its verb. */
function toInput(names: readonly string[] | undefined, args: readonly unknown[]): object {
  if (names === undefined) return args[0] ?? {};
  return Object.fromEntries(
    names.map((name, index) => name.startsWith("...") ? [name.slice(3), args.slice(index)] : [name, args[index]]),
  );
}

async function send(request: Request, { secret, fetch = (request) => globalThis.fetch(request) }: ConnectOptions) {
  if (secret !== undefined) request.headers.set("authorization", `Bearer ${secret}`);
  const response = await fetch(request).catch((cause) => {
    const { origin } = new URL(request.url);
    throw new TypeError(`${origin} does not respond. Start the server with --control on, or correct the URL.`, {
      cause,
    });
  });
  const text = await response.text();
  const body = parseJsonObject(text);
  if (response.status === 204) return undefined;
  if (response.ok && body !== undefined) return body;
  const { detail, errors = [] } = (body ?? {}) as { detail?: string; errors?: readonly ProblemIssue[] };
  // An error without a place is in the detail.
  const lines = errors.flatMap(({ place, expected, received, fix = "" }) =>
    place === undefined ? [] : [`  ${place}: expected ${expected}, received ${received}. ${fix}`.trimEnd()]
  );
  const reason = detail ?? "The server has no control. Start it with --control on.";
  throw new ControlRequestError([`${response.status} ${reason}`, ...lines].join("\n"), response.status, errors);
}

function toJsonInput(input: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(input).filter(([, value]) => value !== undefined).map((
      [name, value],
    ) => [name, convert(name, value)]),
  );
}

function convert(name: string, value: unknown): unknown {
  if (typeof value === "function") {
    throw new TypeError(`${name}: expected a value that JSON can represent, received a function`);
  }
  if (value instanceof Date) return value.toISOString();
  if (name === "time" && typeof value === "number") return new Date(value).toISOString();
  if (name === "client" && typeof value === "object" && value !== null && "client_id" in value) return value.client_id;
  // In a change of claims null removes one; in a pattern it is a parameter that must be absent.
  if (["claims", "metadata", "params", "withParams"].includes(name)) {
    if (typeof value !== "object" || value === null) return convert("", value);
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, toMember(key, member)]));
  }
  return value;
}

function toMember(name: string, value: unknown): unknown {
  return value === undefined ? null : value instanceof RegExp ? { pattern: value.source } : convert(`.${name}`, value);
}
