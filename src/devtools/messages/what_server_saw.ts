/** What the server saw of a problem that a library reports: facts of the newest recorded requests that have them. */

import type { Server } from "../../core/server.ts";
import { decodeJwtPart } from "../../platform/http/jwt_part.ts";
import type { Exchange, Flow } from "../../recorder/exchange.ts";
import { findUnexchangedCode, type IssuedToken, issuedTokens, sentCode } from "../../recorder/issued_tokens.ts";
import { findParam } from "../../recorder/record_request.ts";
import type { Recorder } from "../../recorder/recorder.ts";
import { redactExchange, redactTextAbout } from "../../recorder/redact.ts";
import { findPageOrigin } from "../../server/explain/login_host.ts";
import { upperFirst } from "../../server/pages/first_letter.ts";
import { serverOrigins } from "../../server/config/server_origins.ts";
import type { FoundMessage } from "./find_messages.ts";
import type { Problem, SeenFact } from "./problem.ts";

/** A fact, as a sentence without secrets. It may quote what a client sent. */
export interface ServerFact {
  /** The ID of the flow; absent for a request outside of flows, such as for metadata. */
  readonly flow?: string;
  readonly text: string;
  /** Whether it proves the cause that `decides` of the problem names. */
  readonly proves?: boolean;
}

/** The causes of a found message, the one that the server saw first. */
export function orderCauses({ problem, causes }: FoundMessage, seen: readonly ServerFact[]): readonly string[] {
  const proved = seen.some(({ proves }) => proves) ? problem.causes[(problem.decides ?? 1) - 1] : undefined;
  return proved === undefined ? causes : [proved, ...causes.filter((cause) => cause !== proved)];
}

/** What a fact is read from. */
interface Record {
  readonly server: Server;
  readonly recorder: Recorder;
  /** The newest flow first. */
  readonly flows: readonly Flow[];
  /** The newest exchange first. */
  readonly exchanges: readonly Exchange[];
}

/** The facts that belong to a problem; none without a request that has them. */
export function whatServerSaw({ seen = [] }: Problem, recorder: Recorder, server: Server): readonly ServerFact[] {
  if (seen.length === 0) return [];
  const record: Record = {
    server,
    recorder,
    flows: recorder.flows().toReversed(),
    exchanges: recorder.exchanges().toReversed(),
  };
  return seen.flatMap((fact) => readers[fact](record) ?? []);
}

const readers: Readonly<{ [Fact in SeenFact]: (record: Record) => ServerFact | undefined }> = {
  "login host": findLoginHost,
  code: findCode,
  "issuer asked for": findIssuer,
  "metadata path": findMetadataPath,
  rejection: findRejection,
  iss: (record) => findInTokens(record, "iss", 1),
  aud: (record) => findInTokens(record, "aud", 1),
  typ: (record) => findInTokens(record, "typ", 0),
};

/** The page on which the newest login began that names one, against its callback. */
function findLoginHost({ server, flows }: Record): ServerFact | undefined {
  for (const { id, exchanges } of flows) {
    const login = exchanges.find(({ endpoint }) => endpoint === "authorize");
    if (login === undefined) continue;
    const { request } = login;
    const page = findPageOrigin({ get: (name) => request.headers[name] ?? null });
    const callback = callbackOf(exchanges) ?? findParam(request, "redirect_uri");
    if (page === undefined || callback === undefined || serverOrigins(server).includes(page)) continue;
    const proves = URL.canParse(callback) && new URL(callback).origin !== page;
    return { ...about([login], `The login began on a page of ${page}, and its callback is ${callback}.`, id), proves };
  }
  return undefined;
}

/** The code of the newest login, if its client did not exchange it. */
function findCode({ server, flows }: Record): ServerFact | undefined {
  const flow = flows.find(({ exchanges }) => exchanges.some((exchange) => sentCode(exchange) !== undefined));
  const issued = flow && findUnexchangedCode(flow);
  const callback = callbackOf(issued === undefined ? [] : [issued]);
  if (flow === undefined || issued === undefined || callback === undefined || isOwn(server, callback)) return undefined;
  const text = `${callback} received a code, and no token request with it came: the code was not exchanged.`;
  return about([issued], text, flow.id);
}

/** The host that was asked for metadata, against the issuer. A server with several issuers has that of each host. */
function findIssuer({ server: { issuer, names }, exchanges }: Record): ServerFact | undefined {
  const asked = exchanges.find(({ endpoint, request }) =>
    endpoint === "discovery" && request.headers.host !== undefined
  );
  if (asked === undefined || names.isIssuer !== undefined) return undefined;
  return about([asked], `The metadata was requested from ${asked.request.headers.host}, and its issuer is ${issuer}.`);
}

/** The name of a metadata document in a path (RFC 8414 §3, RFC 9728 §3). */
const metadataName = /openid-configuration|oauth-authorization-server|oauth-protected-resource/;

/** The path of the newest request for metadata, if there is no document, against the paths that have one. */
function findMetadataPath({ recorder, exchanges }: Record): ServerFact | undefined {
  const asked = exchanges.find(({ endpoint, request: { path } }) =>
    endpoint === "discovery" || metadataName.test(path)
  );
  if (asked?.response === undefined || asked.response.status !== 404) return undefined;
  const published = recorder.endpoints.map(({ path }) => path).filter((path) =>
    metadataName.test(path) && !path.includes("*")
  );
  const { request: { method, path } } = redactExchange(asked);
  const text = `${method} ${path} found no metadata. It is at ${published.join(", ")}.`;
  return about([asked], text, asked.flow);
}

/** Why the newest request of a login was rejected, if it was. */
function findRejection({ exchanges }: Record): ServerFact | undefined {
  const rejected = exchanges.find(({ endpoint }) => endpoint === "authorize" || endpoint === "token");
  if (rejected?.rejection === undefined) return undefined;
  const { error, explanation: { rule, reason } } = redactExchange(rejected).rejection!;
  const request = rejected.endpoint === "token" ? "token request" : "authorization request";
  const text = `The ${request} was rejected with ${error}: ${reason}${rule === undefined ? "" : ` (${rule})`}.`;
  return about([rejected], text, rejected.flow);
}

const tokenNames = { access_token: "access token", id_token: "ID token" } as const;

/** A member of the newest tokens: of the header, or a claim. */
function findInTokens({ flows }: Record, member: string, part: 0 | 1): ServerFact | undefined {
  for (const flow of flows) {
    const tokens = issuedTokens(flow);
    const texts = (["access_token", "id_token"] as const).flatMap((kind) => {
      const token = tokens.findLast((token) => token.kind === kind);
      return token === undefined ? [] : [describeMember(token, tokenNames[kind], member, part)];
    });
    if (texts.length > 0) return about(flow.exchanges, `${upperFirst(texts.join(", and "))}.`, flow.id);
  }
  return undefined;
}

function describeMember({ value }: IssuedToken, name: string, member: string, part: 0 | 1): string {
  if (decodeJwtPart(value, 0).alg === undefined) return `the ${name} is opaque`;
  const found = decodeJwtPart(value, part)[member];
  if (found === undefined) return `the ${name} has no ${member}`;
  return `the ${name} has ${member} ${typeof found === "string" ? found : JSON.stringify(found)}`;
}

function about(exchanges: readonly Exchange[], text: string, flow?: string): ServerFact {
  return { ...flow !== undefined && { flow }, text: redactTextAbout(text, exchanges) };
}

/** The redirect URI that a response was sent to, without its query. */
function callbackOf(exchanges: readonly Exchange[]): string | undefined {
  return exchanges.findLast(({ response }) => response?.authorizationResponse)?.response?.authorizationResponse?.uri;
}

function isOwn(server: Server, uri: string): boolean {
  return URL.canParse(uri) && serverOrigins(server).includes(new URL(uri).origin);
}
