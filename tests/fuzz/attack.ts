/** Attacks: ways through the server that begin in order, each request of which may have been tampered with. */

import { assertionForm, exchangeForm } from "./assertion_moves.ts";
import { backchannelForm, backchannelPollForm, backchannelQuery } from "./ciba_moves.ts";
import { detailsField } from "./details_moves.ts";
import { deviceForm, deviceQuery, pollForm } from "./device_moves.ts";
import fc from "fast-check";
import { type HtmlForm, parseForms, submitForm } from "../../src/client/html_form.ts";
import { clientAuthenticationOf } from "../../src/client/authentication.ts";
import { challenge, verifier } from "../kit.ts";
import { withProof } from "./dpop_moves.ts";
import { mutate, type Mutation, mutation, type Pair, type RequestDraft, requestDraft } from "./request_draft.ts";
import { hostileText } from "./hostile_text.ts";
import { configure, register, type Registration } from "./registration_moves.ts";
import { findSignedCode, responseModeField, responseTypeField, signedFields } from "./request_object_moves.ts";
import { callResource, resourcePath } from "./resource_moves.ts";
import { type AttackedServer, basePath, type KnownClient, password } from "./servers.ts";

/** One request of an attack: what it would be, and how it is changed. Numbers choose among what there is. */
export interface Step {
  readonly move: Move;
  readonly client: number;
  readonly pick: number;
  readonly text: string;
  readonly changes: readonly Mutation[];
}

/** Data of a response, as far as later steps need it. */
export interface ReceivedResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** The attacker's data: everything received so far. */
export interface AttackerState {
  readonly cookies: Map<string, string>;
  readonly codes: { readonly code: string; readonly client: KnownClient; readonly redirectUri: string }[];
  readonly tokens: Readonly<Record<string, unknown>>[];
  readonly registrations: Registration[];
  readonly pushed: { readonly requestUri: string; readonly client: KnownClient; readonly redirectUri: string }[];
  readonly devices: {
    readonly device_code: string;
    readonly user_code: string;
    readonly client: KnownClient | undefined;
  }[];
  readonly backchannelRequests: { readonly auth_req_id: string; readonly client: KnownClient | undefined }[];
  /** The client of the newest backchannel authentication request. */
  backchannelClient: KnownClient | undefined;
  forms: readonly HtmlForm[];
  location: string | undefined;
  /** The newest nonce for proofs. */
  nonce: string | undefined;
  last: RequestDraft | undefined;
  /** The authorization request under way. */
  authorization: { readonly client: KnownClient; readonly redirectUri: string } | undefined;
}

/** An empty hand. */
export function emptyState(): AttackerState {
  return {
    cookies: new Map(),
    codes: [],
    tokens: [],
    registrations: [],
    pushed: [],
    devices: [],
    backchannelRequests: [],
    backchannelClient: undefined,
    forms: [],
    location: undefined,
    nonce: undefined,
    last: undefined,
    authorization: undefined,
  };
}

const pages = [
  ...[
    "/",
    "/start",
    "/authorized",
    "/authorized/try",
    "/clients",
    "/clients/spa",
    "/clients/pair%2Fwith%20space",
  ],
  ...[
    "/users",
    "/device",
    "/backchannel",
    "/users/alice",
    "/account",
    "/flows",
    "/flows/1",
    "/flows/1?show=secrets",
    "/flows/1.md",
    "/flows/1.sh?step=1",
  ],
  ...["/flows.json", "/flows/of/1", "/flows/events", "/healthz", "/readyz", "/oauth2/jwks", "/oauth2/login"],
  ...["/oauth2/consent", "/.well-known/openid-configuration", "/static/style.css", "/static/script.js", "/nowhere"],
  ...[
    "/oauth2/userinfo",
    "/oauth2/token",
    "/oauth2/introspect",
    "/oauth2/par",
    "/oauth2/revoke",
    "/oauth2/logout",
    "/oauth2/authorize",
  ],
  // The default endpoints of the Model Context Protocol.
  ...["/authorize", "/token", "/register"],
  // Those of providers.
  ...["/tokeninfo?id_token=x", "/oauth2/v1/certs", "/user", "/user/emails", "/applications/spa/token", "/v1.0/me"],
  ...["/v2/logout?client_id=spa&returnTo=x", "/logout?client_id=spa"],
] as const;

/** Values that a user would enter, by field name. */
const typicalValues: Readonly<Record<string, string>> = {
  password,
  sub: "carol",
  subject: "new-user",
  claims: '{"name":"New user"}',
  client_id: "added",
  client_name: "Added",
  redirect_uris: "https://made.example/cb\nhttp://127.0.0.1/cb",
};

type BuildRequest = (siege: AttackedServer, hand: AttackerState, step: Step) => RequestDraft | Promise<RequestDraft>;

const writers = {
  /** An authorization request. */
  authorize(server, state, step) {
    const { pick } = step;
    const fields = authorizationFields(server, state, step);
    const path = basePath(server) + "/oauth2/authorize";
    return pick % 3 === 0 ? requestDraft("POST", path, { form: fields }) : requestDraft("GET", path, { query: fields });
  },
  /** A pushed authorization request. */
  async push(server, state, step) {
    const client = pickClient(server, step.client);
    const fields = authorizationFields(server, state, step).filter(([name]) => name !== "client_id");
    const draft = await clientRequest(server, client, "/oauth2/par", fields);
    if (draft.form?.some(([name]) => name === "client_id")) return draft;
    return { ...draft, form: [["client_id", client.metadata.client_id], ...draft.form ?? []] };
  },
  /** A signed authorization request, pushed or not. */
  async sign(server, state, step) {
    const { pick } = step;
    const known = server.clients.filter(({ privateJwk }) => privateJwk !== undefined);
    const client = pick % 4 === 0 ? pickClient(server, step.client) : known[pick % known.length]!;
    const which = server.clients.indexOf(client);
    const fields = authorizationFields(server, state, { ...step, client: which });
    const signed = await signedFields(server, client, step, fields);
    if (pick % 3 === 0) return await clientRequest(server, client, "/oauth2/par", signed);
    const path = basePath(server) + "/oauth2/authorize";
    return pick % 2 === 0 ? requestDraft("POST", path, { form: signed }) : requestDraft("GET", path, { query: signed });
  },
  /** The authorization request that refers to the newest pushed one, or an older one. */
  refer(server, state, { client: which, pick }) {
    const known = state.pushed.at(pick % 4 === 0 ? -1 - pick % (state.pushed.length || 1) : -1);
    const client = pick % 5 === 0 ? pickClient(server, which) : known?.client ?? pickClient(server, which);
    state.authorization = known ?? state.authorization;
    const fields: Pair[] = [
      ["client_id", client.metadata.client_id],
      ["request_uri", known?.requestUri ?? "urn:ietf:params:oauth:request_uri:none"],
    ];
    const path = basePath(server) + "/oauth2/authorize";
    return pick % 3 === 0 ? requestDraft("POST", path, { form: fields }) : requestDraft("GET", path, { query: fields });
  },
  /** The newest code, or an older one, for tokens. */
  async exchangeCode(server, state, { client: which, pick, text }) {
    const issued = state.codes.at(pick % 4 === 0 ? -1 - pick % (state.codes.length || 1) : -1);
    const { client, code, redirectUri } = issued ??
      { client: pickClient(server, which), code: "none", redirectUri: "x:y" };
    return await clientRequest(server, client, "/oauth2/token", [
      ["grant_type", "authorization_code"],
      ["code", code],
      ["redirect_uri", redirectUri],
      ["code_verifier", verifier],
      ...detailsField({ pick: pick % 5 === 0 ? pick : 0, text }),
    ]);
  },
  /** A refresh token for new ones. */
  async refresh(server, state, { pick, text }) {
    const { token, client } = pickToken(server, state, "refresh_token", pick);
    return await clientRequest(server, client, "/oauth2/token", [["grant_type", "refresh_token"], [
      "refresh_token",
      token,
    ], ...detailsField({ pick, text })]);
  },
  /** An assertion of a trusted issuer, for a token. */
  async assert(server, _, step) {
    const client = pickClient(server, step.client);
    return await clientRequest(server, client, "/oauth2/token", await assertionForm(server, step));
  },
  /** A token for another one. */
  async exchange(server, state, step) {
    const known = step.pick % 3 === 0 ? undefined : state.codes.at(-1)?.client;
    const client = known ?? pickClient(server, step.client);
    return await clientRequest(server, client, "/oauth2/token", exchangeForm(state, step));
  },
  /** A device that waits for its user. */
  async startDevice(server, _, step) {
    const client = pickClient(server, step.client);
    return await clientRequest(server, client, "/oauth2/device_authorization", deviceForm(step));
  },
  /** The page for its user. */
  openDevice: (server, state, step) =>
    requestDraft("GET", `${basePath(server)}/device`, { query: deviceQuery(state, step) }),
  /** A poll for its tokens. */
  async poll(server, state, step) {
    const known = step.pick % 5 === 0 ? undefined : state.devices.at(-1)?.client;
    const client = known ?? pickClient(server, step.client);
    return await clientRequest(server, client, "/oauth2/token", pollForm(state, step));
  },
  /** A request that waits for the user of its hint. */
  async startBackchannel(server, state, step) {
    const client = pickClient(server, step.client);
    state.backchannelClient = client;
    return await clientRequest(server, client, "/oauth2/backchannel_authentication", backchannelForm(state, step));
  },
  /** The page for that user. */
  openRequest: (server, state, step) =>
    requestDraft("GET", `${basePath(server)}/backchannel`, { query: backchannelQuery(state, step) }),
  /** A poll for its tokens. */
  async pollRequest(server, state, step) {
    const known = step.pick % 5 === 0 ? undefined : state.backchannelRequests.at(-1)?.client;
    const client = known ?? pickClient(server, step.client);
    return await clientRequest(server, client, "/oauth2/token", backchannelPollForm(state, step));
  },
  /** Tokens for the client itself. */
  machine: (server, _, step) =>
    clientRequest(server, server.clients.find(({ metadata }) => metadata.client_id === "machine")!, "/oauth2/token", [
      ["grant_type", "client_credentials"],
      ["scope", "read"],
      ...detailsField(step),
    ]),
  /** Who the newest access token is about. */
  userinfo(server, state, { pick }) {
    const { token } = pickToken(server, state, "access_token", pick);
    const path = basePath(server) + "/oauth2/userinfo";
    return pick % 3 === 0
      ? requestDraft("POST", path, { form: [["access_token", token]] })
      : requestDraft("GET", path, { headers: [["authorization", `Bearer ${token}`]] });
  },
  /** Validity of a token. */
  async introspect(server, state, { client: which, pick }) {
    const { token } = pickToken(server, state, pick % 2 === 0 ? "access_token" : "refresh_token", pick);
    const draft = await clientRequest(server, pickClient(server, which), "/oauth2/introspect", [["token", token]]);
    if (pick % 3 !== 0) return draft;
    return { ...draft, headers: [...draft.headers, ["accept", "application/token-introspection+jwt"]] };
  },
  /** The end of a token. */
  async revoke(server, state, { pick }) {
    const { token, client } = pickToken(server, state, pick % 2 === 0 ? "access_token" : "refresh_token", pick);
    return await clientRequest(server, client, "/oauth2/revoke", [["token", token], [
      "token_type_hint",
      "access_token",
    ]]);
  },
  /** The end of the session. */
  logout(server, state, { pick }) {
    const { token } = pickToken(server, state, "id_token", pick);
    const fields: Pair[] = [
      ...pick % 2 === 0 && token !== "none" ? [["id_token_hint", token]] as const : [],
      ["client_id", "spa"],
      ["post_logout_redirect_uri", "https://spa.example/bye?x=y"],
      ["state", `bye${pick}`],
      ...pick % 5 === 0 ? [["logout_hint", "alice"], ["ui_locales", "de"]] as const : [],
    ];
    const path = basePath(server) + "/oauth2/logout";
    return pick % 3 === 0 ? requestDraft("POST", path, { form: fields }) : requestDraft("GET", path, { query: fields });
  },
  register,
  configure,
  callResource,
  /** Any page or document. */
  open: (server, _, { pick }) => openPage(server, pick),
  /** A form of the previous page, with any of its buttons; user input is hostile or valid. */
  submit(server, state, { pick, text }) {
    const form = state.forms[pick % (state.forms.length || 1)];
    if (form === undefined) return openPage(server, pick);
    const button = form.buttons[Math.floor(pick / 3) % (form.buttons.length || 1)];
    const typed = Object.fromEntries(
      form.controls.filter(({ type }) => ["text", "textarea", "password"].includes(type)).map(({ name, value }, i) =>
        [
          name,
          (pick >> i) % 3 === 1 ? text : state.devices.at(-1)?.[name as "user_code"] ?? typicalValues[name] ?? value,
        ] as const
      ),
    );
    const { url, form: fields } = submitForm(form, button, typed, ({ type }) => type === "checkbox" && pick % 5 === 4);
    const { pathname, search, origin } = new URL(url);
    // A form for a client is not for this server; it goes to the page that plays one.
    const path = origin === new URL(server.as.issuer).origin ? pathname : `${basePath(server)}/authorized`;
    return requestDraft("POST", path, { form: [...fields], query: [...new URLSearchParams(search)] });
  },
  /** Follows the previous response within this server, or to the client's page. */
  follow(server, state) {
    const { pathname, search, origin, searchParams } = new URL(
      state.location ?? `${basePath(server)}/`,
      server.as.issuer,
    );
    const path = origin === new URL(server.as.issuer).origin ? pathname : `${basePath(server)}/authorized`;
    const client = server.clients.find(({ metadata }) => metadata.client_id === searchParams.get("client_id"));
    const redirectUri = searchParams.get("redirect_uri");
    if (client !== undefined && redirectUri !== null) state.authorization = { client, redirectUri };
    return requestDraft("GET", path, { query: [...new URLSearchParams(search)] });
  },
  /** The same request once more. */
  again: (server, state, { pick }) => state.last ?? openPage(server, pick),
  /** Anything at all. */
  anything: (_, __, { pick, text }) =>
    requestDraft(["GET", "POST"][pick % 2]!, text.startsWith("/") ? text : `/${text}`, {
      rawQuery: pick % 3 === 0 ? text : undefined,
      form: pick % 2 === 1 ? [[text, text]] : undefined,
    }),
} satisfies Readonly<Record<string, BuildRequest>>;

/** What a step sets out to do. */
export type Move = keyof typeof writers | "wait";

/** Writes the request of a step, before and after it is tampered with; `undefined` where time passes instead. */
export async function buildRequest(
  server: AttackedServer,
  state: AttackerState,
  step: Step,
): Promise<RequestDraft | undefined> {
  const { move, pick, changes } = step;
  if (move === "wait") {
    server.advance([1, 29, 31, 299, 301, 3601, 30 * 60, 8 * 3600, 40 * 24 * 3600, -60][pick % 10]!);
    return undefined;
  }
  const writer: BuildRequest = writers[move];
  const unchanged = await withProof(server, state, await writer(server, state, step), step);
  const cookie = [...state.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const headers = unchanged.headers.filter(([name]) => name !== "cookie");
  const withCookies = cookie === ""
    ? { ...unchanged, headers }
    : { ...unchanged, headers: [...headers, ["cookie", cookie] as const] };
  return changes.reduce(mutate, withCookies);
}

/** Collects the data of a response. */
export function updateState(
  server: AttackedServer,
  state: AttackerState,
  sent: RequestDraft,
  { status, headers, text }: ReceivedResponse,
): void {
  state.last = sent;
  state.nonce = headers.get("dpop-nonce") ?? state.nonce;
  for (const line of headers.getSetCookie()) {
    const [pair = ""] = line.split(";");
    const at = pair.indexOf("=");
    if (line.includes("Max-Age=0")) state.cookies.delete(pair.slice(0, at));
    else state.cookies.set(pair.slice(0, at), pair.slice(at + 1));
  }
  // A page may hold the link that begins a flow.
  const link = /href="([^"]*\/(?:oauth2\/authorize\?|start\b)[^"]*)"/.exec(text)?.[1]?.replaceAll("&amp;", "&");
  state.location = headers.get("location") ?? link;
  const type = headers.get("content-type") ?? "";
  if (type.startsWith("text/html")) {
    const found = parseForms(text, `${server.as.issuer}/`);
    if (found.length > 0) state.forms = found;
    const code = found.flatMap(({ controls }) => controls).find(({ name }) => name === "code")?.value;
    if (code !== undefined && state.authorization !== undefined) state.codes.push({ code, ...state.authorization });
  }
  const code = state.location && URL.canParse(state.location) && new URL(state.location).searchParams.get("code");
  if (code && state.authorization !== undefined) state.codes.push({ code, ...state.authorization });
  const signedCode = findSignedCode(state.location ?? text);
  if (signedCode !== undefined && state.authorization !== undefined) {
    state.codes.push({ code: signedCode, ...state.authorization });
  }
  if (status === 200 && type.startsWith("application/json") && text.includes('"access_token"')) {
    state.tokens.push(JSON.parse(text));
  }
  if (status === 201 && text.includes('"request_uri"') && state.authorization !== undefined) {
    state.pushed.push({ requestUri: JSON.parse(text).request_uri, ...state.authorization });
  }
  if (status === 200 && text.includes('"user_code"') && text.startsWith("{")) {
    const clientId = sent.form?.find(([name]) => name === "client_id")?.[1];
    const client = server.clients.find(({ metadata }) => metadata.client_id === clientId);
    state.devices.push({ ...JSON.parse(text), client });
  }
  if (status === 200 && text.startsWith('{"auth_req_id"')) {
    state.backchannelRequests.push({ ...JSON.parse(text), client: state.backchannelClient });
  }
  const isRegistration = sent.path.startsWith(`${basePath(server)}/oauth2/register`) && status < 300;
  if (isRegistration && text.startsWith("{")) {
    state.registrations.push(JSON.parse(text));
  }
}

/** The fields of an authorization request, which is under way from now on. */
function authorizationFields(server: AttackedServer, state: AttackerState, step: Step): Pair[] {
  const { client: which, pick } = step;
  const client = pickClient(server, which);
  const uris = client.metadata.redirect_uris ?? [];
  const redirectUri = uris[pick % (uris.length || 1)] ?? "https://spa.example/cb";
  state.authorization = { client, redirectUri };
  return [
    responseTypeField(step),
    ["client_id", client.metadata.client_id],
    ["redirect_uri", redirectUri],
    ["scope", ["openid profile email", "openid offline_access read", "read", ""][pick % 4]!],
    ["state", `state${pick}`],
    ["nonce", "a-nonce"],
    ["code_challenge", challenge],
    ["code_challenge_method", "S256"],
    ...detailsField(step),
    ...responseModeField(step),
    ...pick % 7 === 3 ? [["resource", new URL(server.as.issuer).origin + resourcePath]] as const : [],
    ...pick % 7 === 0 ? [["prompt", "consent"]] as const : [],
    ...pick % 11 === 5 ? [["acr_values", ["urn:x:mfa", "urn:x:pwd urn:x:mfa", "urn:x:none"][pick % 3]!]] as const : [],
  ];
}

function openPage(server: AttackedServer, pick: number): RequestDraft {
  const [path = "", query] = pages[pick % pages.length]!.split("?");
  return requestDraft("GET", basePath(server) + path, { query: [...new URLSearchParams(query)] });
}

function pickClient({ clients }: AttackedServer, index: number): KnownClient {
  return clients[index % clients.length]!;
}

function pickToken(
  server: AttackedServer,
  state: AttackerState,
  kind: string,
  pick: number,
): { token: string; client: KnownClient } {
  const candidates = state.tokens.filter((tokens) => typeof tokens[kind] === "string");
  const tokens = candidates.at(pick % 3 === 0 ? -1 - pick % (candidates.length || 1) : -1);
  // The newest code identifies the client well enough.
  const client = state.codes.at(-1)?.client ?? pickClient(server, pick);
  return { token: (tokens?.[kind] as string | undefined) ?? "none", client };
}

async function clientRequest(
  server: AttackedServer,
  client: KnownClient,
  path: string,
  form: readonly Pair[],
): Promise<RequestDraft> {
  const { as, now, random } = server;
  const { metadata: { client_id, client_secret }, privateJwk: private_jwk } = client;
  const token_endpoint_auth_method = as.clients.known().get(client_id)?.authMethod;
  const { headers, params } = await clientAuthenticationOf(
    { issuer: as.issuer, now, randomBytes: random },
    { client_id, client_secret, private_jwk, token_endpoint_auth_method },
  );
  return requestDraft("POST", basePath(server) + path, {
    headers: Object.entries(headers),
    form: [...form, ...Object.entries(params)],
  });
}

const moves: readonly Move[] = [
  ...[
    "authorize",
    "authorize",
    "authorize",
    "exchangeCode",
    "exchangeCode",
    "refresh",
    "userinfo",
    "introspect",
    "revoke",
  ],
  ...["logout", "open", "open", "submit", "submit", "submit", "follow", "again", "machine", "anything", "wait"],
  ...["register", "register", "configure", "configure", "callResource", "callResource"],
  ...["assert", "exchange", "push", "refer", "sign", "sign", "startDevice", "openDevice", "poll"],
  ...["startBackchannel", "openRequest", "pollRequest"],
] as Move[];

const step: fc.Arbitrary<Step> = fc.record({
  move: fc.constantFrom(...moves),
  client: fc.nat(99),
  pick: fc.nat(9999),
  text: hostileText,
  changes: fc.oneof(
    { weight: 5, arbitrary: fc.constant([]) },
    { weight: 5, arbitrary: fc.array(mutation, { minLength: 1, maxLength: 1 }) },
    { weight: 2, arbitrary: fc.array(mutation, { minLength: 2, maxLength: 3 }) },
  ),
});

/** An attack on one of the servers. */
export interface Attack {
  readonly serverKind: number;
  readonly steps: readonly Step[];
}

/** How attacks go: many begin with a login that is in order. */
export function attacks(kinds: number): fc.Arbitrary<Attack> {
  const calm = (move: Move, pick: number): Step => ({ move, client: 0, pick, text: "alice", changes: [] });
  const login = [calm("authorize", 1), calm("follow", 0), calm("submit", 0), calm("follow", 0)];
  const attempt = [calm("open", 0), calm("follow", 0), calm("follow", 0), calm("follow", 0)];
  const openings: readonly (readonly Step[])[] = [
    [],
    [calm("authorize", 1)],
    [calm("authorize", 1), calm("follow", 0)],
    login,
    [...login, calm("submit", 0), calm("exchangeCode", 1)],
    attempt,
    [...attempt, calm("submit", 0)],
    [calm("open", 4)],
    [calm("open", 7)],
    [calm("authorize", 1), calm("open", 9)],
    [calm("authorize", 1), calm("exchangeCode", 1)],
    [calm("authorize", 3), calm("exchangeCode", 1), calm("callResource", 1), calm("callResource", 8)],
    [calm("register", 0)],
    [calm("push", 1), calm("refer", 1)],
    [
      calm("authorize", 18),
      calm("follow", 0),
      calm("submit", 0),
      calm("follow", 0),
      calm("submit", 0),
      calm("exchangeCode", 1),
    ],
    [calm("push", 1), calm("refer", 1), calm("exchangeCode", 1)],
    [calm("sign", 1), calm("exchangeCode", 1)],
    [calm("sign", 15), calm("refer", 1)],
    [calm("startDevice", 1), calm("poll", 1)],
    [calm("startDevice", 1), calm("openDevice", 4), calm("submit", 0), calm("follow", 0), calm("submit", 0)],
    [calm("startBackchannel", 1), calm("pollRequest", 1)],
    [calm("startBackchannel", 1), calm("openRequest", 1), calm("follow", 0), calm("submit", 0), calm("follow", 0)],
    [calm("register", 12), calm("configure", 5), calm("open", 4)],
  ];
  return fc.record({
    serverKind: fc.nat(kinds - 1),
    opening: fc.constantFrom(...openings),
    client: fc.nat(99),
    steps: fc.array(step, { minLength: 1, maxLength: 6 }),
  }).map(({ serverKind, opening, client, steps }) => ({
    serverKind,
    steps: [...opening.map((one) => ({ ...one, client })), ...steps],
  }));
}
