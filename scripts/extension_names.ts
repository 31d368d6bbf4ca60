/** Finds names of extensions in the code of the kernel: rules, errors, wire names and kinds of records. */

import { globSync, readFileSync } from "node:fs";
import type { Extension } from "../src/server/hosting/extension.ts";
import { extensions } from "../src/server/hosting/extensions.ts";
import { latchkey } from "../src/server/hosting/latchkey.ts";
import type { LatchkeyOptions } from "../src/server/hosting/options.ts";
import type { Endpoint } from "../src/server/endpoint.ts";
import { extensionRules } from "../src/server/rules.ts";
import { errorStatus } from "../src/core/rules/rule.ts";
import type { HostedServer } from "../src/server/hosted_server.ts";

/** The code of the kernel, without the list of extensions and without generated files. */
const kernelFiles = globSync("src/{core,server/{config,fetching,hosting,login,pages,redaction},platform}/**/*.{ts,tsx}")
  .filter((path) => !/\/hosting\/extensions\.ts$|\.gen\.ts$/.test(path)).sort();

/** Settings with which every extension has all of its endpoints, parameters and metadata. */
const everything = {
  acrValues: [{ value: "urn:example:mfa", methods: ["auto"] }],
  backchannelAuthentication: true,
  clientIdMetadataDocuments: true,
  deviceAuthorization: true,
  mutualTls: {},
  requirePushedAuthorizationRequests: true,
  requireSignedRequestObject: true,
  responseModes: ["query", "jwt"],
} satisfies LatchkeyOptions;

/** Names that the kernel may contain, and why. */
const sharedNames: Readonly<Record<string, string>> = {
  audience: "The `aud` of JWTs, and the setting audience.",
  claims: "What a server knows of a user.",
  implicit: "A grant type that OAuth 2.1 lacks, in messages, and which client metadata names.",
  device: "The device of the user, to which a redirect URI may lead.",
  error: "A parameter of every error response, and an event of runtimes.",
  jwt: "The `typ` of every JWT, and a format of access tokens.",
  response: "A parameter of authorization responses, which no redirect URI may have.",
  authorization_details: "A registered claim of access tokens, which no user can have.",
};

/** Names that the kernel may contain outside of the core: values of settings and of client metadata. */
const settingNames: Readonly<Record<string, string>> = {
  private_key_jwt: "The default method of a client with keys.",
  client_secret_jwt: "A value of token_endpoint_auth_method.",
  tls_client_auth: "A value of token_endpoint_auth_method.",
  self_signed_tls_client_auth: "A value of token_endpoint_auth_method.",
  pairwise: "A value of subject_type.",
  "query.jwt": "A value of response_mode.",
  "fragment.jwt": "A value of response_mode.",
  "form_post.jwt": "A value of response_mode.",
  device_code: "A member of the setting lifetimes.",
  authorization_response: "A member of the setting lifetimes.",
};

/** Words of extensions that are in no name of the core, not even as a part of it. */
const wordsOfExtensions =
  /(?<!")\ba[cm]r\b|\blevels?\b|certificate|ciba|claim_?requests|dpop|isSigned|jarm|mcp|mtls|\bown_?scope|poll|pushed|record_?use|requested_?claims|resources|security_?event|stored_?request|tls_/gi;

/** Files that may contain names of extensions, and why. */
const sharedFiles: Readonly<Record<string, string>> = {
  "src/platform/store/": "It lists the kinds of records whose ids Redis keeps in a sorted set.",
  "src/core/store/": "It lists the kinds of records that a full store may evict.",
  "src/server/login/pages/device.tsx": "The page of a public type, Pages, which a program can replace.",
  "src/server/pages/parameters.tsx": "It explains parameters of authorization requests to developers.",
  "src/server/pages/authorized": "It shows and explains every authorization response, signed ones and errors.",
};

function sharedFile(path: string): string | undefined {
  return Object.keys(sharedFiles).find((file) => path.startsWith(file));
}

function isCore(path: string): boolean {
  return path.startsWith("src/core/");
}

/** A server that is assembled, and its metadata. */
async function openServer(extensions: readonly Extension[], settings: LatchkeyOptions = {}) {
  let assembled: { readonly server: HostedServer; readonly endpoints: readonly Endpoint[] } | undefined;
  const plugin = { setup: (app: unknown) => void (assembled = app as typeof assembled) };
  await using as = await latchkey({ ...settings, extensions, plugins: [plugin] });
  const response = await as.fetch(new Request(`${as.issuer}/.well-known/openid-configuration`));
  return { ...assembled!, metadata: Object.keys(await response.json()) };
}

function namesOfEndpoint({ name, metadataName, path, parameters = [], responseParameters = [] }: Endpoint): string[] {
  const names = [...parameters, ...responseParameters].map(({ name }) => name);
  return [name, ...metadataName === undefined ? [] : [metadataName], path.split("/").at(-1)!, ...names];
}

/** The first arguments of calls of a store. */
function recordKinds(text: string): string[] {
  return [...text.matchAll(/store(?:\(server\))?\.\w+\(\s*"(\w+)"/gi)].map(([, kind]) => kind!);
}

/** The names that an extension declares, and those that its code defines. */
function namesOf(extension: Extension, server: HostedServer): string[] {
  const { name, grantTypes = [], requestChecks = [], clientAuthentication = [] } = extension;
  const { values = {} } = extension.settings ?? {};
  const options = {
    ...{ base: "", formParameters: [], redirectParameters: [], hasPages: true, openLogin: true, pages: {} },
    approver: () => Promise.reject(new Error("No request is sent")),
    requestChecks: server.requestChecks,
  };
  const folders = name === "device" || name === "ciba" ? [name, "polled"] : [name];
  const text = folders.flatMap((folder) => globSync(`src/server/extensions/${folder}/*.ts`))
    .map((path) => readFileSync(path, "utf8")).join("\n");
  return [
    ...Object.keys(extensionRules[name as keyof typeof extensionRules] ?? {}),
    ...(extension.endpoints?.(server.policy, options) ?? []).flatMap(namesOfEndpoint),
    ...grantTypes.flatMap(({ type, parameters }) => [type, ...parameters.map(({ name }) => name)]),
    ...requestChecks.flatMap(({ parameters = [] }) => parameters.map(({ name }) => name)),
    ...clientAuthentication.map(({ method }) => method),
    ...values.responseModes ?? [],
    ...name === "signed_responses" ? ["response"] : [],
    ...values.subjectTypes ?? [],
    ...Object.keys(extension.clientMetadata?.fields ?? {}),
    ...Object.keys(extension.jwtTypes ?? {}),
    ...Object.keys(extension.metadata?.(server, [], { claims_supported: [] }) ?? {}),
    ...recordKinds(text),
    ...name === "dpop" ? [server.receipt.schemes(server).at(-1)!] : [],
    ...[...text.matchAll(/"(\w+)" as ExtensionErrorCode/g)].map(([, code]) => code!),
    ...[...text.matchAll(/"([\w-]+\+jwt)"/g)].map(([, typ]) => typ!),
  ];
}

/** The code without comments, imports, and strings that are more than one name. */
function withoutTexts(source: string): string {
  const blank = (text: string) => text.replace(/[^\n]/g, " ");
  return source.replace(/\/\*.*?\*\//gs, blank).replace(/(?<![:"])\/\/ .*$/gm, blank)
    .replace(/^(?:import|export type) [^;]*;$/gm, blank)
    .replace(/`[^`]*`/g, blank)
    .replace(/"(?:[^"\\\n]|\\.)*"/g, (text) => /^"[\w.:+-]+"$/.test(text) ? text : blank(text));
}

/**
 * The numbers of the lines of code that contain a name, as a string, a variable or a member. A name of lower-case
 * letters alone counts only as a string, because such words are common.
 */
export function linesWithName(source: string, name: string): number[] {
  const escaped = name.replace(/\W/g, "\\$&");
  const pattern = new RegExp(/^[a-z]+$/.test(name) ? `"${escaped}"` : `(?<![\\w-])${escaped}(?![\\w-])`);
  return withoutTexts(source).split("\n").flatMap((line, i) => pattern.test(line) ? [i + 1] : []);
}

/** One sentence for each name of an extension in the code of the kernel. */
export async function findExtensionNames(): Promise<string[]> {
  const { server } = await openServer(extensions, everything);
  const kernel = await openServer([]);
  const kernelSources = kernelFiles.map((path) => [path, readFileSync(path, "utf8")] as const);
  const kernelNames = new Set([
    ...kernel.endpoints.flatMap(namesOfEndpoint),
    ...kernel.metadata,
    ...Object.keys(errorStatus),
    ...kernelSources.flatMap(([, source]) => recordKinds(source)),
  ]);
  const used = new Set<string>();
  const findings = extensions.flatMap((extension) => {
    const names = [...new Set(namesOf(extension, server))].filter((name) => !kernelNames.has(name));
    return names.flatMap((name) =>
      kernelSources.filter(([, source]) => source.includes(name)).flatMap(([path, source]) =>
        linesWithName(source, name).flatMap((line) => {
          const isShared = Object.hasOwn(sharedNames, name) || !isCore(path) && Object.hasOwn(settingNames, name);
          const shared = isShared ? name : sharedFile(path);
          if (shared === undefined) return [`${path}:${line} names ${name} of the extension ${extension.name}.`];
          used.add(shared);
          return [];
        })
      )
    );
  });
  const unused = [sharedNames, settingNames, sharedFiles].flatMap((list) => Object.keys(list))
    .filter((shared) => !used.has(shared));
  const words = kernelSources.filter(([path]) => isCore(path) && sharedFile(path) === undefined)
    .flatMap(([path, source]) =>
      withoutTexts(source).split("\n").flatMap((text, i) =>
        (text.match(wordsOfExtensions) ?? []).map((word) =>
          `${path}:${i + 1} contains the word ${word} of an extension: move what it is for into the extension.`
        )
      )
    );
  return [
    ...new Set([...findings, ...words]),
    ...unused.map((shared) => `The kernel does not name ${shared}: remove it from scripts/extension_names.ts.`),
  ];
}
