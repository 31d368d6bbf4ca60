/** The draft of a provider's profile from its metadata document (OpenID Connect Discovery §3, RFC 8414 §2). */

import type { EndpointPaths } from "../../server/config/issuer_urls.ts";
import type { ProviderProfile } from "../../server/config/provider_profile.ts";
import { signingAlgorithms } from "../../server/oauth/keys/signing_algorithm.ts";
import { responseModeNames, responseTypeNames } from "../../server/oauth/params.ts";
import { quote } from "../../server/config/config_issue.ts";
import { extendedFields } from "../../server/assembly/extensions.ts";
import type { Draft } from "./keep_valid.ts";

/** The claims that every server has, or that the standard scope values release. */
const standardClaims: ReadonlySet<string> = new Set([
  ...["iss", "sub", "aud", "exp", "iat", "nbf", "jti", "auth_time", "nonce", "acr", "amr", "azp", "at_hash", "sid"],
  ...["name", "family_name", "given_name", "middle_name", "nickname", "preferred_username", "profile", "picture"],
  ...["website", "gender", "birthdate", "zoneinfo", "locale", "updated_at", "email", "email_verified", "address"],
  ...["phone_number", "phone_number_verified"],
]);

/** What no metadata document says. */
const absentFacts = [
  "lifetimes: compare iat and exp of its tokens",
  "audience, accessTokenClaims: read them off an access token, if it is a JWT",
  "idTokenClaims, unmappedClaims: whether its ID tokens have the claims about the user",
  "refresh: whether a refresh token needs offline_access, and whether it rotates",
  "defaultScope: what a request without scope is granted",
];

/** Drafts a profile. Members of the wrong type count as absent. */
export function profileOfMetadata(metadata: Readonly<Record<string, unknown>>): Draft<ProviderProfile> {
  const issuer = typeof metadata.issuer === "string" && URL.canParse(metadata.issuer)
    ? new URL(metadata.issuer)
    : undefined;
  const notes: string[] = [];
  if (issuer === undefined) {
    const found = typeof metadata.issuer === "string" ? `${quote(metadata.issuer)} is no URL` : "the document has none";
    notes.push(`issuer: ${found}; set issuerPath to the path of the server, if it has one`);
  }
  // URL adds a slash to an issuer without a path.
  const issuerPath = issuer === undefined || issuer.href !== metadata.issuer && issuer.pathname === "/"
    ? ""
    : issuer.pathname;
  const base = issuerPath.replace(/\/$/, "");
  const paths: Record<string, string> = {};
  const origins: Record<string, string> = {};
  for (const name of Object.keys(extendedFields.paths.members!)) {
    const url = metadata[name];
    if (typeof url !== "string" || !URL.canParse(url)) continue;
    const { origin, pathname } = new URL(url);
    paths[name] = pathname.startsWith(`${base}/`)
      ? pathname.slice(base.length)
      : "/..".repeat(base.split("/").length - 1) + pathname;
    if (issuer !== undefined && origin !== issuer.origin) {
      Object.assign(origins, { issuer: issuer.origin, [name]: origin });
    }
  }
  const scopes = texts(metadata.scopes_supported);
  if (scopes.length === 0) notes.push("scopes: the document lists none");
  const listedModes = texts(metadata.response_modes_supported);
  const responseModes = responseModeNames.filter((mode) => listedModes.includes(mode));
  const otherModes = listedModes.filter((mode) => !responseModeNames.some((name) => name === mode));
  if (otherModes.length > 0) {
    notes.push(`response_modes_supported: the server has no ${otherModes.slice(0, 20).map(quote).join(", ")}`);
  }
  const algorithms = texts(metadata.id_token_signing_alg_values_supported);
  const alg = ["RS256" as const, ...signingAlgorithms].find((name) => algorithms.includes(name));
  if (alg === undefined && algorithms.length > 0) notes.push("alg: the document lists none that the server has");
  const methods = texts(metadata.code_challenge_methods_supported);
  if (methods.length === 0) notes.push("pkce: the document does not say whether it knows code challenges");
  const listedTypes = texts(metadata.response_types_supported).map((type) => type.split(" ").sort().join(" "));
  const responseTypes = responseTypeNames.filter((name) => listedTypes.includes(name));
  if (listedTypes.some((type) => type.split(" ").includes("token"))) {
    notes.push("response_types_supported: the server has no type with token; response_types of a client name others");
  }
  const unserved = Object.keys(metadata).filter((name) => /_(?:endpoint|uri|iframe)$/.test(name) && !isPath(name));
  if (unserved.length > 0) {
    notes.push(`the server has no ${unserved.slice(0, 20).map(quote).join(", ")}`);
  }
  const others = texts(metadata.claims_supported).filter((claim) => !standardClaims.has(claim)).slice(0, 20);
  if (others.length > 0) {
    notes.push(`claims: the document does not say which scope value releases ${others.map(quote).join(", ")}`);
  }
  return {
    value: {
      name: (issuer?.hostname ?? "my-provider").slice(0, 60),
      ...issuerPath !== "" && { issuerPath },
      ...Object.keys(paths).length > 0 && { paths: paths as EndpointPaths },
      ...Object.keys(origins).length > 0 && { origins },
      ...scopes.length > 0 && { scopes },
      ...responseModes.length > 0 && { responseModes },
      ...responseTypes.some((type) => type !== "code") && { responseTypes },
      ...alg !== undefined && { alg },
      ...methods.includes("plain") && { pkce: { insecureAllowPlain: true } },
      metadata: membersOf(metadata),
    },
    notes: [...notes, ...absentFacts],
  };
}

function isPath(name: string): boolean {
  return Object.hasOwn(extendedFields.paths.members!, name);
}

/** The members of the document that do not follow from other settings: lists, and `null` for what it lacks. */
function membersOf(metadata: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { authorization_response_iss_parameter_supported: hasIssuer, ...others } = metadata;
  const absent = [...Object.keys(extendedFields.paths.members!), "code_challenge_methods_supported"]
    .filter((name) => typeof metadata[name] !== "string" && !Array.isArray(metadata[name]));
  const listed = Object.entries(others).filter(([name, value]) =>
    /^(?!scopes|response_modes)\w{1,100}_supported$/.test(name) &&
    (typeof value === "boolean" || texts(value).length > 0)
  );
  return {
    ...hasIssuer !== true && { authorization_response_iss_parameter_supported: null },
    ...Object.fromEntries(absent.map((name) => [name, null])),
    ...Object.fromEntries(listed.map(([name, value]) => [name, typeof value === "boolean" ? value : texts(value)])),
  };
}

/** The distinct strings of an array; empty for any other value. */
function texts(value: unknown): string[] {
  if (!Array.isArray(value)) return [];
  return [...new Set(value.filter((item): item is string => typeof item === "string"))].slice(0, 500);
}
