/** Attacks: ways through the server that begin in order, each request of which may have been tampered with. */

import fc from "fast-check";
import { press, readForms } from "../../src/testing/browser/html_form.ts";
import type { HtmlForm } from "../../src/testing/browser/html_form.ts";
import { proveClient } from "../../src/testing/client_proof.ts";
import { challenge, verifier } from "../flows/harness.ts";
import { change, changed, draft } from "./draft.ts";
import type { Change, Draft, Pair } from "./draft.ts";
import { hostileText } from "./hostile_text.ts";
import { password } from "./world.ts";
import type { Known, Siege } from "./world.ts";

/** One request of an attack: what it would be, and how it is changed. Numbers choose among what there is. */
export interface Step {
  readonly move: Move;
  readonly client: number;
  readonly pick: number;
  readonly text: string;
  readonly changes: readonly Change[];
}

/** What was answered, as far as the next steps build upon it. */
export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** What an attacker has in hand: all that was answered so far. */
export interface Hand {
  readonly cookies: Map<string, string>;
  readonly codes: { readonly code: string; readonly client: Known; readonly redirectUri: string }[];
  readonly tokens: Readonly<Record<string, unknown>>[];
  forms: readonly HtmlForm[];
  location: string | undefined;
  last: Draft | undefined;
  /** The authorization request under way. */
  asked: { readonly client: Known; readonly redirectUri: string } | undefined;
}

/** An empty hand. */
export function emptyHand(): Hand {
  return {
    cookies: new Map(),
    codes: [],
    tokens: [],
    forms: [],
    location: undefined,
    last: undefined,
    asked: undefined,
  };
}

const pages = [
  ...["/", "/start", "/authorized", "/authorized/try", "/clients", "/clients/spa", "/clients/pair%2Fwith%20space"],
  ...[
    "/users",
    "/users/alice",
    "/account",
    "/flows",
    "/flows/1",
    "/flows/1?show=secrets",
    "/flows/1.har",
    "/flows/1.txt",
  ],
  ...["/flows/1.json", "/flows/of/1", "/flows/events", "/healthz", "/readyz", "/oauth2/jwks", "/oauth2/login"],
  ...["/oauth2/consent", "/.well-known/openid-configuration", "/static/style.css", "/static/script.js", "/nowhere"],
  ...[
    "/oauth2/userinfo",
    "/oauth2/token",
    "/oauth2/introspect",
    "/oauth2/revoke",
    "/oauth2/logout",
    "/oauth2/authorize",
  ],
] as const;

/** What a person would type, by the name of the field. */
const plausible: Readonly<Record<string, string>> = {
  password,
  sub: "carol",
  subject: "somebody-new",
  claims: '{"name":"Somebody"}',
  client_id: "made-up",
  client_name: "Made up",
  redirect_uris: "https://made.example/cb\nhttp://127.0.0.1/cb",
};

type Write = (siege: Siege, hand: Hand, step: Step) => Draft | Promise<Draft>;

const writers = {
  /** An authorization request. */
  authorize(siege, hand, { client: which, pick }) {
    const client = clientOf(siege, which);
    const uris = client.metadata.redirect_uris ?? [];
    const redirectUri = uris[pick % (uris.length || 1)] ?? "https://spa.example/cb";
    hand.asked = { client, redirectUri };
    const fields: Pair[] = [
      ["response_type", "code"],
      ["client_id", client.metadata.client_id],
      ["redirect_uri", redirectUri],
      ["scope", ["openid profile email", "openid offline_access read", "read", ""][pick % 4]!],
      ["state", `state${pick}`],
      ["nonce", "a-nonce"],
      ["code_challenge", challenge],
      ["code_challenge_method", "S256"],
      ...pick % 5 === 0 ? [["response_mode", "form_post"]] as const : [],
      ...pick % 7 === 0 ? [["prompt", "consent"]] as const : [],
    ];
    const path = base(siege) + "/oauth2/authorize";
    return pick % 3 === 0 ? draft("POST", path, { form: fields }) : draft("GET", path, { query: fields });
  },
  /** The newest code, or an older one, for tokens. */
  async redeem(siege, hand, { client: which, pick }) {
    const kept = hand.codes.at(pick % 4 === 0 ? -1 - pick % (hand.codes.length || 1) : -1);
    const { client, code, redirectUri } = kept ?? { client: clientOf(siege, which), code: "none", redirectUri: "x:y" };
    return await asClient(siege, client, "/oauth2/token", [
      ["grant_type", "authorization_code"],
      ["code", code],
      ["redirect_uri", redirectUri],
      ["code_verifier", verifier],
    ]);
  },
  /** A refresh token for new ones. */
  async refresh(siege, hand, { pick }) {
    const { token, client } = tokenOf(siege, hand, "refresh_token", pick);
    return await asClient(siege, client, "/oauth2/token", [["grant_type", "refresh_token"], ["refresh_token", token]]);
  },
  /** Tokens for the client itself. */
  machine: (siege) =>
    asClient(siege, siege.clients.find(({ metadata }) => metadata.client_id === "machine")!, "/oauth2/token", [
      ["grant_type", "client_credentials"],
      ["scope", "read"],
    ]),
  /** Who the newest access token is about. */
  userinfo(siege, hand, { pick }) {
    const { token } = tokenOf(siege, hand, "access_token", pick);
    const path = base(siege) + "/oauth2/userinfo";
    return pick % 3 === 0
      ? draft("POST", path, { form: [["access_token", token]] })
      : draft("GET", path, { headers: [["authorization", `Bearer ${token}`]] });
  },
  /** What a token is worth. */
  async introspect(siege, hand, { client: which, pick }) {
    const { token } = tokenOf(siege, hand, pick % 2 === 0 ? "access_token" : "refresh_token", pick);
    return await asClient(siege, clientOf(siege, which), "/oauth2/introspect", [["token", token]]);
  },
  /** The end of a token. */
  async revoke(siege, hand, { pick }) {
    const { token, client } = tokenOf(siege, hand, pick % 2 === 0 ? "access_token" : "refresh_token", pick);
    return await asClient(siege, client, "/oauth2/revoke", [["token", token], ["token_type_hint", "access_token"]]);
  },
  /** The end of the session. */
  logout(siege, hand, { pick }) {
    const { token } = tokenOf(siege, hand, "id_token", pick);
    const fields: Pair[] = [
      ...pick % 2 === 0 && token !== "none" ? [["id_token_hint", token]] as const : [],
      ["client_id", "spa"],
      ["post_logout_redirect_uri", "https://spa.example/bye?x=y"],
      ["state", `bye${pick}`],
    ];
    const path = base(siege) + "/oauth2/logout";
    return pick % 3 === 0 ? draft("POST", path, { form: fields }) : draft("GET", path, { query: fields });
  },
  /** Any page or document. */
  open: (siege, _, { pick }) => opened(siege, pick),
  /** A form of the page before, with any of its buttons; what a person would type is hostile, or is what they know. */
  submit(siege, hand, { pick, text }) {
    const form = hand.forms[pick % (hand.forms.length || 1)];
    if (form === undefined) return opened(siege, pick);
    const button = form.buttons[Math.floor(pick / 3) % (form.buttons.length || 1)];
    const typed = Object.fromEntries(
      form.controls.filter(({ type }) => ["text", "textarea", "password"].includes(type)).map(({ name, value }, i) =>
        [name, (pick >> i) % 3 === 1 ? text : plausible[name] ?? value] as const
      ),
    );
    const { url, form: fields } = press(form, button, typed, ({ type }) => type === "checkbox" && pick % 5 === 4);
    const { pathname, search, origin } = new URL(url);
    // A form for a client is not for this server; it goes to the page that plays one.
    const path = origin === new URL(siege.as.issuer).origin ? pathname : `${base(siege)}/authorized`;
    return draft("POST", path, { form: [...fields], query: [...new URLSearchParams(search)] });
  },
  /** Wherever the answer before leads, if it is within this server; the client's page where it leads to a client. */
  follow(siege, hand) {
    const { pathname, search, origin, searchParams } = new URL(hand.location ?? `${base(siege)}/`, siege.as.issuer);
    const path = origin === new URL(siege.as.issuer).origin ? pathname : `${base(siege)}/authorized`;
    const client = siege.clients.find(({ metadata }) => metadata.client_id === searchParams.get("client_id"));
    const redirectUri = searchParams.get("redirect_uri");
    if (client !== undefined && redirectUri !== null) hand.asked = { client, redirectUri };
    return draft("GET", path, { query: [...new URLSearchParams(search)] });
  },
  /** The same request once more. */
  again: (siege, hand, { pick }) => hand.last ?? opened(siege, pick),
  /** Anything at all. */
  anything: (_, __, { pick, text }) =>
    draft(["GET", "POST"][pick % 2]!, text.startsWith("/") ? text : `/${text}`, {
      rawQuery: pick % 3 === 0 ? text : undefined,
      form: pick % 2 === 1 ? [[text, text]] : undefined,
    }),
} satisfies Readonly<Record<string, Write>>;

/** What a step sets out to do. */
export type Move = keyof typeof writers | "wait";

/** Writes the request of a step, before and after it is tampered with; `undefined` where time passes instead. */
export async function write(siege: Siege, hand: Hand, step: Step): Promise<Draft | undefined> {
  const { move, pick, changes } = step;
  if (move === "wait") {
    siege.advance([1, 29, 31, 299, 301, 3601, 30 * 60, 8 * 3600, 40 * 24 * 3600, -60][pick % 10]!);
    return undefined;
  }
  const writer: Write = writers[move];
  const good = await writer(siege, hand, step);
  const cookie = [...hand.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const headers = good.headers.filter(([name]) => name !== "cookie");
  const carried = cookie === ""
    ? { ...good, headers }
    : { ...good, headers: [...headers, ["cookie", cookie] as const] };
  return changes.reduce(changed, carried);
}

/** Takes in hand what an answer brought. */
export function take(siege: Siege, hand: Hand, sent: Draft, { status, headers, text }: Answered): void {
  hand.last = sent;
  for (const line of headers.getSetCookie()) {
    const [pair = ""] = line.split(";");
    const at = pair.indexOf("=");
    if (line.includes("Max-Age=0")) hand.cookies.delete(pair.slice(0, at));
    else hand.cookies.set(pair.slice(0, at), pair.slice(at + 1));
  }
  // A page may hold the link that begins a flow.
  const link = /href="([^"]*\/oauth2\/authorize\?[^"]*)"/.exec(text)?.[1]?.replaceAll("&amp;", "&");
  hand.location = headers.get("location") ?? link;
  const type = headers.get("content-type") ?? "";
  if (type.startsWith("text/html")) {
    const found = readForms(text, `${siege.as.issuer}/`);
    if (found.length > 0) hand.forms = found;
    const code = found.flatMap(({ controls }) => controls).find(({ name }) => name === "code")?.value;
    if (code !== undefined && hand.asked !== undefined) hand.codes.push({ code, ...hand.asked });
  }
  const code = hand.location && URL.canParse(hand.location) && new URL(hand.location).searchParams.get("code");
  if (code && hand.asked !== undefined) hand.codes.push({ code, ...hand.asked });
  if (status === 200 && type.startsWith("application/json") && text.includes('"access_token"')) {
    hand.tokens.push(JSON.parse(text));
  }
}

function opened(siege: Siege, pick: number): Draft {
  const [path = "", query] = pages[pick % pages.length]!.split("?");
  return draft("GET", base(siege) + path, { query: query === undefined ? [] : [["show", "secrets"]] });
}

function base({ as }: Siege): string {
  return new URL(as.issuer).pathname.replace(/\/$/, "");
}

function clientOf({ clients }: Siege, which: number): Known {
  return clients[which % clients.length]!;
}

function tokenOf(siege: Siege, hand: Hand, kind: string, pick: number): { token: string; client: Known } {
  const held = hand.tokens.filter((one) => typeof one[kind] === "string");
  const one = held.at(pick % 3 === 0 ? -1 - pick % (held.length || 1) : -1);
  // Whose it is, the newest code tells well enough.
  const client = hand.codes.at(-1)?.client ?? clientOf(siege, pick);
  return { token: (one?.[kind] as string | undefined) ?? "none", client };
}

async function asClient(siege: Siege, client: Known, path: string, form: readonly Pair[]): Promise<Draft> {
  const { as, now, random } = siege;
  const { metadata: { client_id, client_secret }, privateJwk: private_jwk } = client;
  const world = { clients: as.clients, issuer: as.issuer, now, random } as Parameters<typeof proveClient>[0];
  const { headers, params } = await proveClient(world, { client_id, client_secret, private_jwk });
  return draft("POST", base(siege) + path, {
    headers: Object.entries(headers),
    form: [...form, ...Object.entries(params)],
  });
}

const moves: readonly Move[] = [
  ...["authorize", "authorize", "authorize", "redeem", "redeem", "refresh", "userinfo", "introspect", "revoke"],
  ...["logout", "open", "open", "submit", "submit", "submit", "follow", "again", "machine", "anything", "wait"],
] as Move[];

const step: fc.Arbitrary<Step> = fc.record({
  move: fc.constantFrom(...moves),
  client: fc.nat(99),
  pick: fc.nat(9999),
  text: hostileText,
  changes: fc.oneof(
    { weight: 5, arbitrary: fc.constant([]) },
    { weight: 5, arbitrary: fc.array(change, { minLength: 1, maxLength: 1 }) },
    { weight: 2, arbitrary: fc.array(change, { minLength: 2, maxLength: 3 }) },
  ),
});

/** An attack on one of the servers. */
export interface Attack {
  readonly world: number;
  readonly steps: readonly Step[];
}

/** How attacks go: many begin with a login that is in order. */
export function attacks(worlds: number): fc.Arbitrary<Attack> {
  const calm = (move: Move, pick: number): Step => ({ move, client: 0, pick, text: "alice", changes: [] });
  const login = [calm("authorize", 1), calm("follow", 0), calm("submit", 0), calm("follow", 0)];
  const trial = [calm("open", 0), calm("follow", 0), calm("follow", 0)];
  const openings: readonly (readonly Step[])[] = [
    [],
    [calm("authorize", 1)],
    [calm("authorize", 1), calm("follow", 0)],
    login,
    [...login, calm("submit", 0), calm("redeem", 1)],
    trial,
    [...trial, calm("submit", 0)],
    [calm("open", 4)],
    [calm("open", 7)],
    [calm("authorize", 1), calm("open", 9)],
    [calm("authorize", 1), calm("redeem", 1)],
  ];
  return fc.record({
    world: fc.nat(worlds - 1),
    opening: fc.constantFrom(...openings),
    client: fc.nat(99),
    steps: fc.array(step, { minLength: 1, maxLength: 6 }),
  }).map(({ world, opening, client, steps }) => ({
    world,
    steps: [...opening.map((one) => ({ ...one, client })), ...steps],
  }));
}
