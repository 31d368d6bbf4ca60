/**
 * Requests with long texts in one place each, over all endpoints of a running server: an endpoint or a
 * parameter that is added later is covered without a change here.
 */

import type { EndpointDescription } from "../../src/server/endpoint.ts";
import { programControl } from "../../src/testing/control/program_control.ts";
import { inspector } from "../../src/devtools/mod.ts";
import { type Recorder, recorder as createRecorder } from "../../src/recorder/recorder.ts";
import { faultPages } from "../../src/testing/fault_pages/mod.ts";
import { openBrowser } from "../server/browser.ts";
import { fetchCsrfToken } from "../server/csrf.ts";
import { encode, type Fields, goodRequest } from "../kit.ts";
import { type AttackedServer, serverKinds, startServer } from "./servers.ts";

/** The parts that a long text repeats. */
const units = [
  ...["a", "é", "e\u0301", "\u{1F600}", "\u3164", " ", "\t", "\n", "/", ",", ";", "&", "=", ".", ":", "+", "@", "?"],
  ...[`"`, "'", "`", "\\", "[", "{", "<", "%", "%2F", "%25", "%3d", "%3a"],
  ...["a ", "a=", "a:", "/a", '\\"', '","', "://", "/*", "${", "eyJ", "% "],
];

/** A text of words, without anything to find. */
const plainUnit = "plain words of a text ";

/** A way to repeat a part: the ends prevent an early match at both ends of a text. */
export interface Shape {
  readonly name: string;
  /** The text, whose encoded form is at most so long. */
  text(maxLength: number, encode: (text: string) => string): string;
}

function shape(name: string, unit: string, [start, end]: readonly [string, string]): Shape {
  return {
    name,
    text(maxLength, encode) {
      const count = Math.floor((maxLength - encode(start + end).length) / encode(unit).length);
      return start + unit.repeat(Math.max(1, count)) + end;
    },
  };
}

/** Every text to send. */
export const shapes: readonly Shape[] = [
  ...units.map((unit) => shape(JSON.stringify(unit), unit, ["a:", '"b'])),
  ...[" ", '\\"', "a:", "/"].map((unit) => shape(`{"${unit}`, unit, ['{"', "!"])),
];

/** The text whose time all others may take several times. */
export const plain = shape("plain words", plainUnit, ["a", "b"]);

/** Parts and ends of names and addresses; most of the ends prevent that a name is one of the known ones. */
const hostUnits = ["a", "a-", "a.", "a1-", "1", "1.", "127-", "-", "_"];
const hostEnds = ["1.com", "127-0-0-1.nip.iox", "_"];

/** Whether a place gets hosts alone, not URLs. */
export const takesHost = /^header (?:host|x-forwarded-host|forwarded) /;

/**
 * Host names that repeat a part, or URLs with them.
 *
 * @param count How many parts. A regular expression that needs exponential time ends for few.
 */
export function hostShapes(isUrl: boolean, count: number): Shape[] {
  return hostUnits.flatMap((unit) =>
    hostEnds.map((end) => {
      const host = `${unit.repeat(count)}${end}`;
      return { name: `the host ${unit}…${end}`, text: () => isUrl ? `https://${host}/cb` : host };
    })
  );
}

/** One place of a request for a text. */
export interface Place {
  readonly name: string;
  request(shape: Shape): Request | undefined;
}

/** A server with every endpoint, and what its tests need. */
export interface TextServer {
  readonly server: AttackedServer;
  readonly recorder: Recorder;
  readonly endpoints: readonly EndpointDescription[];
  /** Sends a request and reads the response. */
  send(request: Request): Promise<Response>;
  /** Headers and fields of forms of this server's pages. */
  readonly form: { readonly cookie: string; readonly form_token: string };
}

/** Starts the server. */
export async function startTextServer(): Promise<TextServer> {
  const recorder = createRecorder({ limit: 50 });
  let endpoints: readonly EndpointDescription[] = [];
  const [kind] = serverKinds;
  const { plugins, control } = programControl({ recorder });
  const server = await startServer({
    ...kind!,
    options: {
      ...kind!.options,
      registration: { mode: "open" },
      plugins: [
        ...plugins,
        faultPages({ control }),
        recorder,
        { setup: (app) => void (endpoints = app.endpoints) },
      ],
    },
  }, inspector({ recorder, readRules: () => Promise.resolve("") }));
  const { as } = server;
  const browser = openBrowser({
    get: (path, init) => as.fetch(new Request(as.issuer + path, init)),
    token: () => Promise.reject(new TypeError("no token is needed")),
  });
  const form_token = await fetchCsrfToken(browser, "/tokens");
  return {
    server,
    recorder,
    endpoints,
    async send(request) {
      const response = await as.fetch(request, { address: "192.0.2.1" });
      // A stream of events does not end.
      if (response.headers.get("content-type")?.startsWith("text/event-stream")) await response.body?.cancel();
      return response;
    },
    form: { cookie: [...browser.cookies].map((pair) => pair.join("=")).join("; "), form_token },
  };
}

/** The longest accepted texts, encoded: less than the limits, because a request has other parts. */
const maxQuery = 15_000, maxHeader = 15_000;

/** The longest accepted text of a body. */
export const maxBody = 60_000;

const encodeForm = (text: string) => new URLSearchParams([["", text]]).toString().slice(1);
const asIs = (text: string) => text;

/** Headers that the server reads, and some that it does not. */
export const headerNames = [
  ...["user-agent", "origin", "referer", "cookie", "authorization", "accept", "accept-language", "dpop", "host"],
  ...["x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "forwarded", "sec-fetch-site", "content-type"],
  ...["access-control-request-headers", "traceparent", "x-request-id"],
];

/** A valid request of an endpoint, in which one parameter is replaced. */
function baseOf(name: string, { server, form }: TextServer): Fields {
  const secret = server.clients.find(({ metadata }) => metadata.client_id === "poster")!.metadata.client_secret;
  const poster = { client_id: "poster", client_secret: secret };
  switch (name) {
    case "authorize":
      return goodRequest;
    case "par":
      return { ...goodRequest, ...poster, redirect_uri: "https://web.example/cb" };
    case "token":
      return { ...poster, grant_type: "authorization_code", code: "x", redirect_uri: "https://web.example/cb" };
    case "device_authorization":
      return { ...poster, scope: "openid" };
    case "backchannel_authentication":
      return { ...poster, scope: "openid", login_hint: "alice" };
    case "introspect":
    case "revoke":
      return { ...poster, token: "x" };
    default:
      return { form_token: form.form_token };
  }
}

/** All places of all endpoints for a text; in a body it is at most so long. */
export function placesOf(on: TextServer, maxForm: number): Place[] {
  const { endpoints, server: { as }, form } = on;
  const urlOf = (path: string) => path.startsWith("//") ? `https:${path}` : new URL(path, as.issuer).href;
  const get = (path: string, query = "", headers: Record<string, string> = {}) =>
    new Request(urlOf(path) + query, { headers: { cookie: form.cookie, ...headers } });
  const post = (path: string, body: string, type: string) =>
    new Request(urlOf(path), {
      method: "POST",
      body,
      headers: { "content-type": type, cookie: form.cookie, origin: new URL(as.issuer).origin },
    });
  const urlencoded = "application/x-www-form-urlencoded";
  const unknown: readonly Place[] = [
    { name: "path of no endpoint", request: (one) => get(`/a${encodeURI(one.text(maxQuery, encodeURI))}/b`) },
    { name: "path that is sent raw", request: (one) => get(`/${one.text(maxQuery, asIs).replace(/[^!-~]/g, "/")}b`) },
    {
      name: "path beyond the limit",
      request: (one) => get(`/a${encodeURI(one.text(maxBody, encodeURI))}/b`),
    },
    {
      name: "path in JSON",
      request: (one) => get(`/a${encodeURI(one.text(maxQuery, encodeURI))}/b`, "", { accept: "application/json" }),
    },
  ];
  const headerPaths = ["/oauth2/authorize", "/oauth2/userinfo", "/nowhere", "/", "/.well-known/openid-configuration"];
  const inHeaders = headerPaths.flatMap((path) =>
    headerNames.map((name): Place => ({
      name: `header ${name} at ${path}`,
      request(one) {
        const prefix = name === "authorization" ? "Bearer " : "";
        try {
          return get(path, "", { [name]: prefix + one.text(maxHeader, asIs) });
        } catch {
          // Not a value of a header.
          return undefined;
        }
      },
    }))
  );
  const ofEndpoints = endpoints.flatMap((endpoint): Place[] => {
    const { name, methods, parameters = [] } = endpoint;
    const base = baseOf(name, on);
    const path = endpoint.path.replace(/\*+$/, "a");
    const names = [...new Set(parameters.map((parameter) => parameter.name)), "q"];
    const places: Place[] = [];
    if (path !== endpoint.path) {
      const start = endpoint.path.replace(/\*+$/, "");
      places.push({
        name: `${name}: path`,
        request: (one) => get(start + encodeURIComponent(one.text(maxQuery, encodeURIComponent))),
      });
    }
    if (methods.includes("GET")) {
      places.push(
        ...names.map((parameter) => ({
          name: `${name}: GET ${parameter}`,
          request: (one: Shape) => get(path, `?${encode({ ...base, [parameter]: one.text(maxQuery, encodeForm) })}`),
        })),
        { name: `${name}: query`, request: (one) => get(path, `?${encodeURI(one.text(maxQuery, encodeURI))}`) },
      );
    }
    if (methods.includes("POST")) {
      places.push(
        ...names.map((parameter) => ({
          name: `${name}: POST ${parameter}`,
          request: (one: Shape) =>
            post(path, encode({ ...base, [parameter]: one.text(maxForm, encodeForm) }), urlencoded),
        })),
        {
          name: `${name}: name of a parameter`,
          request: (one) => post(path, encode({ ...base, [one.text(maxForm, encodeForm)]: "x" }), urlencoded),
        },
        { name: `${name}: raw form`, request: (one) => post(path, one.text(maxForm / 2, asIs), urlencoded) },
        { name: `${name}: plain text`, request: (one) => post(path, one.text(maxForm / 2, asIs), "text/plain") },
        { name: `${name}: broken JSON`, request: (one) => post(path, one.text(maxForm / 2, asIs), "application/json") },
        ...jsonPlaces(name, names, maxForm, (value) => post(path, JSON.stringify(value), "application/json")),
      );
    }
    return places;
  });
  return [...unknown, ...inHeaders, ...ofEndpoints];
}

/** Names that JSON bodies of several endpoints have. */
const jsonNames = [
  ...["client_name", "redirect_uris", "post_logout_redirect_uris", "scope", "jwks_uri", "client_uri"],
  ...["initiate_login_uri", "backchannel_logout_uri", "software_statement", "client_id", "sub"],
];

function jsonPlaces(
  endpoint: string,
  names: readonly string[],
  maxForm: number,
  send: (value: unknown) => Request,
): Place[] {
  const size = (text: string) => JSON.stringify(text).slice(2) + "  ";
  const long = (one: Shape) => one.text(maxForm / 4, size);
  return [
    ...[...names, ...endpoint === "register" ? jsonNames : []].map((name) => ({
      name: `${endpoint}: JSON ${name}`,
      request: (one: Shape) =>
        send({ redirect_uris: ["https://a.example/cb"], [name]: name.endsWith("uris") ? [long(one)] : long(one) }),
    })),
    { name: `${endpoint}: name in JSON`, request: (one) => send({ [long(one)]: "x" }) },
    {
      name: `${endpoint}: many names in JSON`,
      request: (one) => send(Object.fromEntries(numbered(one, maxForm / 15).map((name) => [name, 1]))),
    },
    {
      name: `${endpoint}: many words in JSON`,
      request: (one) => send({ scope: numbered(one, maxForm / 15).join(" ") }),
    },
    {
      name: `${endpoint}: many values in JSON`,
      request: (one) => {
        const values = numbered(one, maxForm / 60);
        return send({ redirect_uris: values, response_types: values, contacts: values, grant_types: values });
      },
    },
  ];
}

/** So many short texts. */
function numbered(one: Shape, count: number): string[] {
  const start = one.text(6, asIs).slice(0, 6);
  return Array.from({ length: count }, (_, i) => start + i);
}
