/** The descriptions of the groups of settings, such as `lifetimes`. */

import * as own from "../../core/policy/policy_fields.ts";
import { responseModesField } from "./client_fields.ts";
import { choice, type Field, type Fields, list, object, seconds, text, texts, whole } from "../../core/policy/field.ts";
import type { KeySettings, NetworkSettings, ResourceSettings, TokenPrefixes } from "./server_settings.ts";
import type { Lifetimes, RefreshSettings, RequestSettings } from "./policy_settings.ts";
import type { ResponseType } from "./client_metadata.ts";

/** The names of all response types, their words in alphabetical order. */
export const responseTypeNames: readonly ResponseType[] = ["code", "id_token", "code id_token"];

const { code, session, ...lifetimesOfTokens } = own.lifetimes.members;

/** Describes {@link Lifetimes}. */
export const lifetimes = object<Lifetimes>("Lifetimes", {
  code,
  device_code: seconds(600, 3600),
  ...lifetimesOfTokens,
  authorization_response: whole(120, {
    min: 10,
    max: 600,
    default: 120,
    expected: "a whole number of seconds from 10 to 600",
  }),
  session,
}, { code: 300, access_token: 3600 });

/** Describes {@link RefreshSettings}. */
export const refresh = object<RefreshSettings>("RefreshSettings", {
  ...own.refresh.members,
  reuse: choice(["same", "another"]),
  lifetimeMembers: list(
    choice(["refresh_token_expires_in", "refresh_token_timeout", "authorization_expires_in"]),
    [["refresh_token_expires_in"]],
    { default: [] },
  ),
}, { grace: 10 });

/** A value that header, form and query transfer unchanged. */
function prefix(example: string): Field<string> {
  return text([example], { pattern: /^[\w~+/.-]{1,80}$/, expected: "1 to 80 of A-Z a-z 0-9 _ ~ + / . -" });
}

/** Describes {@link TokenPrefixes}. */
export const tokenPrefixes = object<TokenPrefixes>("TokenPrefixes", {
  code: prefix("code_"),
  access_token: prefix("at_"),
  refresh_token: prefix("rt_"),
}, { access_token: "at_" });

/** Describes {@link KeySettings}. */
export const keys = object<KeySettings>("KeySettings", {
  rotateEvery: whole(86400, { min: 3600, expected: "whole seconds, at least 3600", hint: () => "A day is 86400." }),
  lead: whole(300, {
    min: 0,
    default: 300,
    expected: "whole seconds, at least 0",
    hint: () => "300 is as long as most clients cache keys.",
  }),
}, { rotateEvery: 86400 });

/** Describes {@link ResourceSettings}. */
export const resource = object<ResourceSettings>(
  "ResourceSettings",
  {
    uri: text(["https://api.example"]),
    access_token_format: choice(["jwt", "opaque"]),
    access_token_claims: texts(["roles"]),
  },
  { uri: "https://api.example" },
  { required: ["uri"] },
);

/** The description of {@link NetworkSettings}. */
export const networkFields = {
  issuerHosts: list(host("latchkey"), [["latchkey"]], { expected: "an array of hosts", default: [] }),
  frontChannelUrl: origin("http://localhost:9000"),
  backChannelUrl: origin("http://latchkey:9000"),
  trustProxy: texts(["127.0.0.1", "10.0.0.0/8"], { default: [] }),
  proxyHeader: choice(["x-forwarded-for", "forwarded"]),
  privateHosts: list(host("keys.corp.internal"), [["keys.corp.internal"]], {
    expected: "an array of hosts",
    default: [],
  }),
  allowedOrigins: list({ ...origin("https://app.example.com"), hint: nullOriginHint }, [["https://app.example.com"]], {
    expected: "an array of origins",
    default: [],
  }),
} satisfies Fields<NetworkSettings>;

function nullOriginHint(value: unknown): string | undefined {
  return value === "null"
    ? "Remove it: every file, sandboxed frame and data URL has the origin null. Serve the page by http on localhost."
    : undefined;
}

function host(example: string): Field<string> {
  return text([example], {
    pattern: /^(?:[a-z\d](?:[a-z\d._-]*[a-z\d])?|\[[\da-f:]+\])$/,
    expected: "a host in lower case, without scheme and port",
  });
}

/** Describes an origin. */
export function origin(example: string): Field<string> {
  return text([example], {
    pattern: /^https?:\/\/[^\s/?#@A-Z]+$/,
    expected: "an origin in lower case: scheme, host and port, without a slash at its end",
  });
}

/** The description of {@link RequestSettings}. */
export const requestFields = {
  responseModes: { ...responseModesField, default: own.policyFields.responseModes.default },
  responseTypes: {
    ...own.policyFields.responseTypes,
    items: choice(responseTypeNames),
    examples: [["code", "id_token"]],
  },
} satisfies Fields<RequestSettings>;
