/** The settings as Markdown, from the JSON Schema that the descriptions of the settings generate. */

import { variableName } from "../../../src/cli/environment.ts";
import { flagName } from "../../../src/cli/options.ts";
import { describedFields, optionNames, type ProgramField } from "../../../src/cli/settings.ts";
import { CommandError } from "../../command.ts";
import { escape, paragraphs, type ReferencePage } from "./page.ts";

/** A part of a JSON Schema, as far as it is printed. */
export interface Schema {
  readonly description?: string;
  readonly examples?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly additionalProperties?: boolean | Schema;
}

/**
 * The pages: name, title, what they are about, settings. Every setting is on one of them; those of the program are on
 * the page of their group, above the others.
 */
const pages: readonly (readonly [name: string, title: string, about: string, settings: readonly string[]])[] = [
  ["address", "Settings of issuer, port, https and proxies", "Where the server listens, and which URLs it has.", [
    ...["frontChannelUrl", "backChannelUrl", "origins", "paths", "allowedOrigins", "privateHosts", "insecure"],
  ]],
  ["clients", "Settings of clients and redirect URIs", "Which clients exist, and how they authenticate.", [
    ...["clients", "redirectUris", "requireRedirectUri", "tokenRedirectUri"],
    ...["clientAuthMethods", "assertionAudience"],
  ]],
  ["registration", "Settings of client registration", "How clients register themselves, or are a document.", [
    ...["registration", "clientIdMetadataDocuments", "requireClientName"],
  ]],
  ["users", "Settings of users, login and logout", "Who can log in, how, and how a session ends.", [
    ...["users", "loginPage", "unknownLoginHint", "acrValues", "clientLogout", "directory", "throttle"],
  ]],
  [
    "tokens",
    "Settings of tokens, claims, scopes and keys",
    "What tokens contain, how long they live, who signs them.",
    [
      ...["scopes", "defaultScope", "claims", "unmappedClaims", "idTokenClaims", "accessTokenClaims", "audience"],
      ...["accessTokenFormat", "accessTokenTyp", "tokenPrefixes", "lifetimes", "refresh", "alg", "keys", "resources"],
    ],
  ],
  ["requests", "Settings of PKCE, responses and metadata", "What the server accepts and how it responds.", [
    ...["pkce", "responseTypes", "responseModes", "signatureAlgorithms", "resourceParameter", "accessTokenInForm"],
    ...["metadata", "metadataForms", "requirePushedAuthorizationRequests", "requireSignedRequestObject"],
    ...["requestObjectTimes", "requestObjectEncryption", "authorizationDetails"],
  ]],
  [
    "profiles",
    "Settings of profiles: standards and providers",
    "Many settings with one name: a standard, or a provider to mock, such as Google, Okta or Entra ID (Azure AD).",
    [],
  ],
  ["grants", "Settings of devices, token exchange and assertions", "Further ways to get a token.", [
    ...["deviceAuthorization", "devicePollInterval", "backchannelAuthentication", "backchannelPollInterval"],
    ...["backchannelRequestLifetime", "tokenExchange", "trustedIssuers", "resourceAuthorizationServers"],
  ]],
  [
    "binding",
    "Settings of DPoP, mutual TLS and shared signals",
    "Tokens that are bound to a key, and security events.",
    [
      ...["dpop", "requireSenderConstrainedTokens", "mutualTls", "sharedSignals", "sharedSignalsSubjects"],
    ],
  ],
  ["testing", "Settings of faults, control, scenarios and inspector", "The tools for development and tests.", []],
  ["operation", "Settings of store and log", "How the program runs.", []],
];

/**
 * The pages of the settings: a section for each setting, with its flag, its members and an example.
 *
 * @param text The JSON Schema.
 * @throws {CommandError} If a setting is on no page.
 */
export function settingsPages(text: string): ReferencePage[] {
  const settings = (JSON.parse(text) as Schema).properties!;
  const ofProgram = Object.entries<ProgramField>(describedFields).filter(([name]) => Object.hasOwn(settings, name));
  const groups = pages.map(([name, title, about, names]) => {
    const own = ofProgram.filter(([, { group }]) => group === name).map(([name]) => name);
    return [name, title, about, [...own, ...names]] as const;
  });
  const missing = Object.keys(settings).filter((name) => !groups.some(([, , , names]) => names.includes(name)));
  if (missing.length > 0) {
    throw new CommandError(`${missing.join(", ")}: put it into a group of scripts/docs/reference/settings.ts.`);
  }
  return groups.map(([name, title, about, names]) => ({
    name: `settings-${name}`,
    text: paragraphs(`# ${title}`, about, ...names.map((name) => printSetting(name, settings))),
  }));
}

function printSetting(name: string, settings: Readonly<Record<string, Schema>>): string {
  const schema = settings[name]!;
  const option = optionNames.find((known) => known === name);
  const flag = option && `--${flagName(option)}`;
  const [example] = schema.examples ?? [];
  return [
    `## \`${name}\`${flag === undefined ? "" : `, \`${flag}\``}`,
    escape(schema.description!),
    ...option === undefined
      ? []
      : [`Flag \`${flag} ${describedFields[option].flag}\`, variable \`${variableName(option)}\`.`],
    membersText(schema, settings),
    ...example === undefined ? [] : [`\`\`\`json\n"${name}": ${JSON.stringify(example, null, 2)}\n\`\`\``],
  ].filter(Boolean).join("\n\n");
}

/**
 * The members of an object, of the objects of a list, or of each alternative, as a list.
 *
 * @param settings Members with the description of one of these are named without it.
 */
export function membersText(schema: Schema, settings: Readonly<Record<string, Schema>> = {}): string {
  const members = [...membersOf(schema)];
  const isSetting = ([name, { description }]: [string, Schema]) => settings[name]?.description === description;
  const same = members.filter(isSetting).map(([name]) => `\`${name}\``);
  return [
    ...members.filter((member) => !isSetting(member)).flatMap(([name, member]) => linesOf(name, member, "")),
    ...same.length === 0 ? [] : [`- The settings of the same name: ${same.join(", ")}`],
  ].join("\n");
}

function linesOf(name: string, schema: Schema, indent: string): string[] {
  return [
    `${indent}- \`${name}\`: ${escape(schema.description ?? "")}`.trimEnd(),
    ...[...membersOf(schema)].flatMap(([name, member]) => linesOf(name, member, `${indent}  `)),
  ];
}

function membersOf({ properties = {}, items, anyOf = [], additionalProperties }: Schema): Map<string, Schema> {
  const values = typeof additionalProperties === "object" ? [additionalProperties] : [];
  const others = [...items === undefined ? [] : [items], ...anyOf, ...values];
  return new Map([...Object.entries(properties), ...others.flatMap((other) => [...membersOf(other)])]);
}
