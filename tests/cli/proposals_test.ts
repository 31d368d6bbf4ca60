/** A proposed fix must work: every setting, value, flag and command in a fix text runs against validator or parser. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { globSync } from "node:fs";
import { test } from "node:test";
import { readExecArguments } from "../../src/cli/exec/exec_arguments.ts";
import { checkFlags, readCheckArguments } from "../../src/cli/check/check_flags.ts";
import { readConfiguration } from "../../src/cli/read_config.ts";
import { type ConfigIssue, ConfigurationError } from "../../src/core/rules/configuration_error.ts";
import { commandNames } from "../../src/cli/commands.ts";
import { readFlags } from "../../src/cli/flags.ts";
import { flagName, optionFields } from "../../src/cli/options.ts";
import { configFileField, optionNames } from "../../src/cli/settings.ts";
import type { Field } from "../../src/core/policy/field.ts";
import { validate } from "../../src/server/config/config_issue.ts";
import { replacedClientMembers, replacedSettings } from "../../src/server/config/replaced_members.ts";
import { rules } from "../../src/server/rules.ts";
import type { RuleId } from "../../src/core/rules/rule.ts";
import { basic, forEachCase, getRejections, type TestServer, testServer } from "../kit.ts";
import { exchangeAssertion, type ForeignIssuer, foreignIssuer, jwtBearer } from "../server/foreign_issuer.ts";
import { noFiles } from "./command_runs.ts";
import { allFields, fieldsOf, literalsOf, type Proposal, proposalsIn, rejectedBecause } from "./proposals.ts";

const options = optionFields(configFileField().members);

/** Flags of commands with parsers of their own, which their tests cover. */
const commandFlags = new Set([
  ...Object.keys(checkFlags).map(flagName),
  ...["env", "help", "version", "licenses", "schema", "seeds", "seed", "output", "report", "type", "redirect-uri"],
  // Of init.
  ...["from", "public"],
]);

/** Why the program rejects a proposal; `undefined` if it accepts it. */
function rejectionOf(proposal: Proposal): string | undefined {
  switch (proposal.kind) {
    case "setting":
      return otherNames.has(proposal.name) ? undefined : rejectedBecause(proposal);
    case "command":
      return (commandNames as readonly string[]).includes(proposal.name) ? undefined : `no command ${proposal.name}`;
    case "flag": {
      const { flag, value } = proposal;
      if (commandFlags.has(flag)) return undefined;
      if (!optionNames.some((name) => flagName(name) === flag)) return `no flag --${flag}`;
      if (value === undefined || !/^[a-z\d][\w:.\/-]*$/.test(value)) return undefined;
      const read = readFlags([`--${flag}`, value], options);
      return read.kind === "run" && read.issues.length > 0 ? read.issues[0]!.expected : undefined;
    }
  }
}

/** Folders with fix texts about settings. Those of the mock and of the pages of clients are about programs. */
const folders = "{core,server,cli,platform,testing/control,testing/scenarios}";

/** Names that belong to other files, to the program that embeds the core, or to a list of values. */
const otherNames = new Set([
  "enableServiceLinks",
  "org_id",
  "org_name",
  "tokenProvider.keyProvider.algorithm",
  "email_verified",
  "returnTo",
  "policy.scopes",
  "after",
  "client_secret_post",
]);

test("every setting, value, flag and command that a text of the program proposes exists and is accepted", async () => {
  const texts = globSync(`src/${folders}/**/*.{ts,tsx}`).filter((path) => !/gen\.ts$|_help\.ts$/.test(path))
    .flatMap((path) =>
      literalsOf(path).filter((text) => /^[A-Z].* .*[.]$|^ ?[A-Z][a-z]+ .*\.$/s.test(text)).map((text) => ({
        path,
        text,
      }))
    );
  const proposals = texts.flatMap((one) => proposalsIn(one.text).map((proposal) => ({ ...one, proposal })));
  await forEachCase(proposals, ({ text, proposal }) => {
    assertEquals(rejectionOf(proposal), undefined, text);
  });
});

test("every command line that a text proposes is one that its command reads", async () => {
  const lines = globSync("src/cli/**/*.ts").flatMap((path) => literalsOf(path))
    .flatMap((text) => [...text.matchAll(/\$\{program\} (exec|check) ((?!--help|…)[^`$]+?)(?:\.$|[`;,]|$)/g)])
    .map(([, command, words]) => ({ command, words: words!.trim().split(" ") }));
  assert(lines.length > 1);
  await forEachCase(lines, ({ command, words }) => {
    if (command === "check") readCheckArguments(words, "latchkey");
    else readExecArguments(words, "latchkey");
  });
});

const wrongValues = [0, -1, 1.5, "", "x", "HS256", "on", true, null, [], ["x"], {}, { x: 1 }];

test("the hint of every invalid value is a valid one", async () => {
  const cases = allFields.flatMap(([path, field]) =>
    [...wrongValues, ...(field.choices ?? []).map((choice) => choice.toUpperCase())].map((wrong) => ({
      path,
      field,
      wrong,
    }))
  );
  let proposed = 0;
  await forEachCase(cases, ({ path, field, wrong }) => {
    const name = path.at(-1)!;
    const object: Field = { type: "object", expected: "an object", examples: [], members: { [name]: field } };
    for (const issue of validate(object, { [name]: wrong })) {
      const [, text] = /\blike (.*?)(?:, and .*)?\.$/.exec(issue.hint) ?? [];
      if (text === undefined) continue;
      proposed++;
      const value = JSON.parse(text.replace(/^"[\w$]+": /, ""));
      const steps = [...issue.path.matchAll(/[\w$]+/g)].map(([step]) => step);
      const written = structuredClone({ [name]: wrong }) as Record<string, unknown>;
      let parent = written;
      for (const step of steps.slice(0, -1)) parent = parent[step] as typeof parent;
      parent[steps.at(-1)!] = value;
      const places = validate(object, written).map(({ path }) => path);
      assert(!places.includes(issue.path), `${issue.path}: ${issue.hint}`);
    }
  });
  assert(proposed > 1000, String(proposed));
});

test("a member of another product has a hint with the one to write, which is valid", async () => {
  const lists = [["top", replacedSettings], ["client", replacedClientMembers]] as const;
  await forEachCase(
    lists.flatMap(([place, hints]) => Object.entries(hints).map((one) => [place, ...one] as const)),
    async (one) => {
      const [place, name, hint] = one;
      const [, json, beside] = /^Write ("\w+": .*?)( beside clients)?(?:, [a-z].*|: (?!true\b)[a-z].*)?\.$/.exec(hint)!;
      const member = JSON.parse(`{${json}}`);
      const client = { client_id: "web", redirect_uris: ["http://localhost:3000/cb"] };
      const file = place === "top" || beside
        ? { clients: [client], ...member }
        : { clients: [{ ...client, ...member }] };
      assertEquals(await issuesOf({ file }), []);
      const wrong = place === "top" ? { [name]: "x" } : { clients: [{ ...client, [name]: "x" }] };
      assertMatch((await issuesOf({ file: wrong })).map(({ hint }) => hint).join(), /^Write "/);
    },
  );
});

test("a file of a client of Ory Hydra is named", async () => {
  for (const member of ["skip_consent", "authorization_code_grant_access_token_lifespan"]) {
    const [issue] = await issuesOf({ file: { client_id: "web", redirect_uris: [], [member]: "1h" } });
    assertEquals(issue?.received, "a client of Ory Hydra");
  }
});

test("the hint of every flag is a flag that the program accepts", async () => {
  await forEachCase(optionNames, (name) => {
    for (const wrong of ["\u00e9 \u00e9", ""]) {
      const read = readFlags([`--${flagName(name)}`, wrong], options);
      const [{ hint } = { hint: "" }] = read.kind === "run" ? read.issues : [];
      for (const proposal of proposalsIn(hint)) assertEquals(rejectionOf(proposal), undefined, hint);
    }
  });
});

const tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange";

type Settings = Readonly<Record<string, unknown>>;

/** The settings with a member at a path such as `registration.mode`. */
function withSetting(settings: Settings, name: string, value: unknown): Settings {
  const [first, ...rest] = name.split(".");
  if (rest.length === 0) return { ...settings, [first!]: value };
  return { ...settings, [first!]: withSetting((settings[first!] ?? {}) as Settings, rest.join("."), value) };
}

/** A rejected request, and what a reader writes for a setting that its fix names without a value. */
interface RejectedRequest {
  readonly rule: RuleId;
  readonly settings?: Settings;
  readonly values: Readonly<Record<string, unknown>>;
  /** Settings that the fix proposes together. Default: each proposal is an alternative. */
  readonly together?: true;
  send(server: TestServer): Promise<unknown>;
  /** The request that the fix proposes. Default: the same one. */
  resend?(server: TestServer): Promise<Response>;
}

const frame = { "sec-fetch-site": "cross-site", "sec-fetch-dest": "iframe", host: "localhost:9000" };
const fromPage = (origin: string): readonly RejectedRequest[] => [
  {
    rule: "HT-22",
    values: { allowedOrigins: [origin] },
    send: (server) => server.post("/oauth2/token", {}, { origin, "sec-fetch-site": "cross-site" }),
  },
  {
    rule: "UI-30",
    values: { allowedOrigins: [origin] },
    send: (server) => server.authorize({}, { headers: { ...frame, origin } }),
  },
];

const other = await foreignIssuer();
const another = await foreignIssuer("https://another.test");
const own = await foreignIssuer("http://localhost:9000");
const assertionFrom = async (from: ForeignIssuer) => await from.assertion("alice", { claims: { aud: own.issuer } });
const gateway = {
  client_id: "gateway",
  client_secret: "gateway-secret",
  redirect_uris: ["https://gateway.example/cb"],
};
const gatewayWithGrants = { ...gateway, grant_types: ["authorization_code", jwtBearer] };
const optionalGrants = {
  trustedIssuers: [other.entry()],
  tokenExchange: {},
  deviceAuthorization: true,
};

const rejectedRequests: readonly RejectedRequest[] = [
  ...fromPage("null"),
  ...fromPage("https://other.example"),
  {
    rule: "RI-01",
    settings: { resources: [{ uri: "https://a.example" }] },
    values: { resources: [{ uri: "https://a.example" }, { uri: "https://b.example" }] },
    send: (server) => server.authorize({ resource: "https://b.example" }),
  },
  {
    rule: "AZ-19",
    values: { responseModes: ["query", "form_post", "jwt"] },
    send: (server) => server.authorize({ response_mode: "jwt" }),
  },
  {
    rule: "AZ-09",
    values: {
      responseTypes: ["code", "id_token"],
      response_types: (settings: Settings) => ({
        ...settings,
        clients: [{
          ...gateway,
          client_id: "spa",
          redirect_uris: ["https://spa.example/cb"],
          response_types: ["code", "id_token"],
        }],
      }),
    },
    together: true,
    send: (server) => server.authorize({ response_type: "id_token", nonce: "n" }),
  },
  {
    rule: "TK-05",
    settings: { clients: [gateway] },
    values: { ...optionalGrants, trustedIssuers: [other.entry()] },
    send: async (server) => exchangeAssertion(server, await assertionFrom(other)),
  },
  {
    rule: "TK-05",
    values: optionalGrants,
    send: (server) =>
      server.post(
        "/oauth2/token",
        { grant_type: tokenExchange },
        basic("web", "web-secret"),
      ),
  },
  {
    rule: "JB-07",
    settings: { trustedIssuers: [other.entry()], clients: [gatewayWithGrants] },
    values: {
      // As the fix of the next rejection says, TK-06.
      tokenExchange: (settings: Settings) => ({
        ...settings,
        tokenExchange: {},
        clients: [{ ...gateway, grant_types: ["authorization_code", tokenExchange] }],
      }),
    },
    send: async (server) => exchangeAssertion(server, await assertionFrom(own)),
    async resend(server) {
      const login = await server.code({ client_id: "gateway", redirect_uri: gateway.redirect_uris[0] });
      const credentials = { headers: basic("gateway", "gateway-secret") };
      const fields = { client_id: undefined, redirect_uri: gateway.redirect_uris[0] };
      const { access_token } = await (await server.token({ ...fields, code: login }, credentials)).json();
      return await server.post("/oauth2/token", {
        grant_type: tokenExchange,
        subject_token: access_token,
        subject_token_type: "urn:ietf:params:oauth:token-type:access_token",
      }, credentials.headers);
    },
  },
  {
    rule: "JB-03",
    settings: { trustedIssuers: [other.entry()], clients: [gatewayWithGrants] },
    values: { trustedIssuers: [other.entry(), another.entry()] },
    send: async (server) => exchangeAssertion(server, await assertionFrom(another)),
  },
  {
    rule: "CC-02",
    settings: { clients: [{ ...gateway, grant_types: ["client_credentials"], redirect_uris: undefined }] },
    values: { scopes: "any" },
    send: (server) =>
      server.post(
        "/oauth2/token",
        { grant_type: "client_credentials", scope: "openid" },
        basic("gateway", "gateway-secret"),
      ),
  },
  {
    rule: "OI-06",
    settings: { unknownLoginHint: "reject" },
    values: { unknownLoginHint: "default" },
    send: (server) => server.authorize({ login_hint: "unknown-user" }),
  },
  {
    rule: "DR-12",
    settings: { registration: { mode: "off" } },
    values: { "registration.initialAccessTokens": ["a-long-random-token"] },
    together: true,
    send: (server) =>
      server.get("/oauth2/register", {
        method: "POST",
        headers: { "content-type": "application/json", authorization: "Bearer a-long-random-token" },
        body: JSON.stringify({ redirect_uris: ["https://new.example/cb"] }),
      }),
  },
];

/** The rules that rejected a request, and the fix of the last one. */
async function rejection(settings: Settings, { send }: RejectedRequest) {
  const server = await testServer({ issuer: own.issuer, ...settings });
  await send(server);
  const rejections = getRejections(server.events).map(({ explanation }) => explanation);
  return {
    rules: rejections.map(({ rule }) => rule),
    fix: rejections.at(-1)?.fix,
  };
}

async function assertAccepted(settings: Settings, request: RejectedRequest, fix: string): Promise<void> {
  const { resend } = request;
  if (resend === undefined) {
    const { rules, fix: next } = await rejection(settings, request);
    assert(!rules.includes(request.rule), `${fix} After that the request is still rejected: ${next}`);
  } else {
    const response = await resend(await testServer({ issuer: own.issuer, ...settings }));
    assertEquals(response.status, 200, await response.text());
  }
}

test("a rejected request is accepted after each change of a setting that its fix proposes", async () => {
  await forEachCase(rejectedRequests, async (request) => {
    const { rule, settings = {}, values } = request;
    const { rules, fix = "" } = await rejection(settings, request);
    assert(rules.includes(rule), `expected ${rule}, received ${rules}`);
    let changed = settings;
    for (const proposal of proposalsIn(fix)) {
      if (proposal.kind !== "setting" || otherNames.has(proposal.name)) continue;
      const value = proposal.value ?? values[proposal.name];
      assert(value !== undefined, `${fix} A value for ${proposal.name}?`);
      const before = request.together ? changed : settings;
      changed = typeof value === "function" ? value(before) : withSetting(before, proposal.name, value);
      if (!request.together) await assertAccepted(changed, request, fix);
    }
    if (request.together) await assertAccepted(changed, request, fix);
  });
});

/** Rules whose fix names a setting that no request here can follow, and why, or the test that does. */
const appliedElsewhere: Partial<Record<RuleId, string>> = {
  "CO-01": "the request changes, not the setting: control/program_control_test.ts",
  "HT-24": "the server needs several names: server/hosts_test.ts",
  "IJ-09": "a member of an entry of audiences: assertion_grants/id_jag_test.ts",
  "JB-04": "a member of an entry of trustedIssuers: assertion_grants/jwt_bearer_test.ts",
  "JR-06": "the request must be encrypted too: signed_requests/",
  "MC-05": "the document is on another host: client_documents/",
  "RA-03": "the setting says what is valid, the request changes",
  "RA-05": "a member of the client beside the setting of RA-15: authorization_details/",
  "RA-10": "a member of a type beside the setting of RA-15: authorization_details/",
  "RA-15": "a warning, which rejects nothing: authorization_details/details_test.ts",
  "ST-06": "another login reaches the level, not a setting: step_up/",
  "ST-07": "a warning, which rejects nothing: step_up/",
  "ST-12": "the approver changes, not the setting: step_up/",
};

test("every rule whose fix names a setting has a request that follows it, or a reason why not", () => {
  const namesSetting = (text = "") =>
    proposalsIn(text).some((one) => one.kind === "setting" && !otherNames.has(one.name));
  const naming = Object.entries(rules).filter(([, { fix }]) => namesSetting(fix)).map(([id]) => id);
  assert(naming.length > 10);
  const followed: string[] = rejectedRequests.map(({ rule }) => rule);
  assertEquals(naming.filter((id) => !followed.includes(id)).toSorted(), Object.keys(appliedElsewhere));
});

/** A configuration that is rejected. */
interface RejectedConfiguration {
  readonly args?: readonly string[];
  readonly file?: Settings;
  readonly values?: Readonly<Record<string, unknown>>;
  /** What the hint of each issue says besides, because the example alone misleads. */
  readonly says?: RegExp;
}

async function issuesOf({ args = [], file }: RejectedConfiguration): Promise<readonly ConfigIssue[]> {
  try {
    await readConfiguration({
      args: [...args, ...file === undefined ? [] : ["--config", "latchkey.json"]],
      env: {},
      readTextFile: file === undefined ? noFiles : () => Promise.resolve(JSON.stringify(file)),
    });
    return [];
  } catch (error) {
    assert(error instanceof ConfigurationError, String(error));
    return error.issues;
  }
}

/** The value at a path such as `users[0].password` replaced, or removed if it is undefined. */
function withValue(settings: Settings, path: string, value: unknown): Settings {
  const copy = structuredClone(settings) as Record<string, unknown>;
  const steps = [...path.matchAll(/\w+/g)].map(([step]) => step);
  const parent = steps.slice(0, -1).reduce((parent, step) => parent[step] as typeof parent, copy);
  if (value !== undefined) parent[steps.at(-1)!] = value;
  else if (Array.isArray(parent)) parent.splice(Number(steps.at(-1)), 1);
  else delete parent[steps.at(-1)!];
  return copy;
}

/** Every configuration that a hint proposes: flags added, settings set, and the value itself replaced or removed. */
function proposed({ args = [], file = {}, values = {} }: RejectedConfiguration, { hint, path }: ConfigIssue) {
  const place = path.replace(/^.*: /, "");
  const changes: { text: string; change: RejectedConfiguration }[] = [];
  const add = (text: string, change: RejectedConfiguration) =>
    changes.push({ text, change: { args, file, ...change } });
  for (const proposal of proposalsIn(hint)) {
    if (proposal.kind === "setting") {
      // What is added to a list leaves the rest of it.
      const value = proposal.name === "insecure"
        ? [...file.insecure as string[] ?? [], ...proposal.value as string[]]
        : proposal.value ?? values[proposal.name];
      if (value === undefined) continue;
      const inEntry = /^(.*)\.\w+$/.exec(place)?.[1];
      const isMember = inEntry !== undefined &&
        fieldsOf(`${inEntry.replaceAll(/\[\d+\]/g, "")}.${proposal.name}`).length > 0;
      add(`${proposal.name}`, {
        file: isMember
          ? withValue(file, `${inEntry}.${proposal.name}`, value)
          : withSetting(file, proposal.name, value),
      });
    } else if (proposal.kind === "flag" && proposal.value !== undefined) {
      const others = args.filter((_, i) => args[i] !== `--${proposal.flag}` && args[i - 1] !== `--${proposal.flag}`);
      add(`--${proposal.flag}`, { args: [...others, `--${proposal.flag}`, proposal.value] });
    }
  }
  if (path.startsWith("--") && /\b[Rr]emove it\b/.test(hint)) {
    add("remove", { args: args.filter((_, i) => args[i] !== path && args[i - 1] !== path) });
  }
  const [, word] = /\blike ([a-z]\S*)\.$/.exec(hint) ?? [];
  if (path.startsWith("--")) {
    if (word !== undefined) add(word, { args: [path, word] });
    return changes;
  }
  if (word !== undefined) add(word, { file: withValue(file, place, word) });
  const [, written] = /\b(?:Set it to|[Ww]rite it (?:like|as)|Write) (?:"\w+": )?("[^"]*"|\[[^\]]*\])/.exec(hint) ?? [];
  if (written !== undefined) add(written, { file: withValue(file, place, JSON.parse(written)) });
  if (/\b[Rr]emove (?:it|the setting|the member)\b/.test(hint)) {
    add("remove", { file: withValue(file, place, undefined) });
  }
  return changes;
}

const client = { client_id: "web", client_secret: "a-long-random-secret", redirect_uris: ["http://localhost:3000/cb"] };
const user = { sub: "alice" };
const bcrypt = "$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy";
const argon2 = "$argon2id$v=19$m=65536,t=3,p=4$c29tZXNhbHQ$RdescudvJCsgt3ub+b4dWRWJTmaaJObG";
const issuer = "https://login.widgets.com";

const digest = "$scrypt$ln=16,r=8,p=1$4fXXG0spB92WPB1NitT8/Q$dAf4FAXv5aPZ5rXGwYtVjPyLZkUJzYV6c9xJFXG1bBo";
const realFile = { issuer, login: "interactive", users: [{ ...user, password: digest }], clients: [client] };

const rejectedConfigurations: readonly RejectedConfiguration[] = [
  { args: ["--scenario", "provider-down-30s"] },
  { args: ["--scenario", "provider-down-30s"], file: realFile, says: /^Remove it, or use an issuer on a test host/ },
  { args: ["--store", "foo.db"], says: /sqlite:/ },
  { args: ["--store", "./data/latchkey.sqlite"], says: /sqlite:/ },
  { file: { store: "foo.db" }, says: /sqlite:/ },
  { file: { users: [{ ...user, password: "secret" }] }, says: /[Rr]emove it/ },
  { file: { users: [{ ...user, password: bcrypt }] }, says: /bcrypt/ },
  { file: { users: [{ ...user, password: argon2 }] }, says: /Argon2/ },
  {
    file: { clients: [{ ...client, id_token_signed_response_alg: "HS256" }] },
    says: /set the same algorithm in the client: .* own keys/,
  },
  {
    file: { clients: [{ ...client, userinfo_signed_response_alg: "HS256" }] },
    says: /set the same algorithm in the client: .* own keys/,
  },
  { file: { alg: "HS256" }, says: /set the same algorithm in the client: .* own keys/ },
  { file: { signatureAlgorithms: ["HS256"] }, says: /client_secret_jwt/ },
  { file: { allowedOrigins: ["null"] }, says: /null/ },
  { file: { trustedIssuers: [own.entry()] }, says: /tokenExchange/ },
  {
    file: { clients: [{ ...client, grant_types: ["urn:ietf:params:oauth:grant-type:token-exchange"] }] },
    values: optionalGrants,
  },
  { file: { clients: [{ ...client, response_types: ["id_token"] }] }, values: { responseTypes: ["code", "id_token"] } },
  { file: { clients: [{ ...client, token_endpoint_auth_method: "client_secret_basic", client_secret: undefined }] } },
  // Everything that a real host rejects
  { file: { issuer, login: "auto", users: [user], clients: [] } },
  { file: { issuer, login: "interactive", clients: [client] } },
  { file: { issuer, login: "interactive", users: [user], clients: [client] } },
  { file: { issuer, insecure: ["auto-login"], directory: "edit" }, values: {} },
  { file: { issuer, insecure: ["auto-login"], registration: { mode: "open" } } },
  { file: { issuer: "http://login.widgets.com", insecure: ["auto-login"] } },
  {
    file: {
      issuer,
      insecure: ["auto-login"],
      clients: [{ ...client, redirect_uris: ["http://shop.widgets.com/cb"] }],
    },
  },
];

test("a rejected configuration is accepted, or its issue is gone, after each change that a hint proposes", async () => {
  await forEachCase(rejectedConfigurations, async (rejected) => {
    const issues = await issuesOf(rejected);
    // What the program accepts needs no hint.
    if (issues.length === 0) return;
    let tried = 0;
    for (const issue of issues) {
      if (rejected.says !== undefined) assertMatch(issue.hint, rejected.says);
      for (const { text, change } of proposed(rejected, issue)) {
        tried++;
        const left = await issuesOf(change);
        assert(
          !left.some(({ path, expected }) => path === issue.path && expected === issue.expected),
          `${issue.hint} (${text}): ${left.map(({ path, expected }) => `${path} expected ${expected}`).join("; ")}`,
        );
      }
    }
    assert(tried > 0, `no proposal in: ${issues.map(({ hint }) => hint).join(" ")}`);
  });
});

test("[JC-02] an assertion of another issuer is no assertion of the client; with the proposed one the client is known", async () => {
  const signer = await foreignIssuer("web");
  const registered = {
    client_id: "web",
    token_endpoint_auth_method: "private_key_jwt" as const,
    jwks: { keys: [signer.jwk] },
    grant_types: ["client_credentials"],
    scope: "read",
  };
  const server = await testServer({ clients: [registered] });
  const send = async (from: ForeignIssuer, sub: string) =>
    await server.post("/oauth2/token", {
      grant_type: "client_credentials",
      client_id: "web",
      client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
      client_assertion: await from.assertion(sub),
    });
  const fix = async (from: ForeignIssuer, sub: string) => {
    assertEquals((await send(from, sub)).status, 401);
    return getRejections(server.events).at(-1)!.explanation.fix!;
  };
  assertMatch(await fix(other, "repo:shop:ref:main"), /client sign the assertion itself, by the private key/);
  assertMatch(await fix(await foreignIssuer("webb"), "webb"), /^Set iss and sub to the client_id/);
  assertEquals((await send(signer, "web")).status, 200);
});
