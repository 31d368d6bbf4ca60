/**
 * The settings that a profile of a standard can decide, with the order of their values from weak to strict.
 * `profiles.ts` has the values of each profile.
 */

/** The names of the profiles of standards. */
export type ProfileName = "oauth2.1" | "oidc" | "mcp" | "fapi2-security" | "fapi2-message-signing" | "next-2026.11";

/** @internal A revision of the authorization specification of the Model Context Protocol. */
export type McpRevision = "2025-03-26" | "2025-06-18" | "2025-11-25" | "2026-07-28";

/** The revisions of the authorization specification of the Model Context Protocol, the oldest first. */
export const mcpRevisions: readonly McpRevision[] = ["2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];

export const profileNames: readonly ProfileName[] = [
  ...["oauth2.1", "oidc", "mcp", "fapi2-security", "fapi2-message-signing", "next-2026.11"] as const,
];

type Combine = (value: unknown, floor: unknown) => unknown;

/** Values from the weakest to the strictest. */
const ordered = (...values: readonly unknown[]): Combine => (value, floor) =>
  values.indexOf(value) < values.indexOf(floor) ? floor : value;

/** A list is stricter than another one if the other one contains it. */
export const subset: Combine = (value, floor) => asList(value).filter((item) => asList(floor).includes(item));

/** A list is stricter than another one if it contains the other one. */
const superset: Combine = (value, floor) => [...new Set([...asList(value), ...asList(floor)])];

/** A list is stricter without these items; it may have others. */
const without = (...items: readonly unknown[]): Combine => (value) =>
  asList(value).filter((item) => !items.includes(item));

/** A number is stricter if it is smaller. */
const atMost: Combine = (value, floor) => Math.min(Number(value), Number(floor));

/** A number is stricter if it is greater. */
const atLeast: Combine = (value, floor) => Math.max(Number(value), Number(floor));

/** Every value is accepted: the profile only prefers its own. */
export const anything: Combine = (value) => value;

const asList = (value: unknown) => value as readonly unknown[];

/** For each setting that a profile can decide, the weakest value that is at least as strict as two others. */
export const combine = {
  "pkce.requireForConfidential": ordered(false, true),
  "pkce.acceptNonce": ordered(true, false),
  "pkce.requireMethod": ordered(false, true),
  "pkce.insecureAllowMissing": ordered(true, false),
  "pkce.insecureAllowPlain": ordered(true, false),
  assertionAudience: ordered("issuer-or-token-endpoint", "issuer", "issuer-string"),
  maxAssertionLifetime: atMost,
  requireRedirectUri: ordered(false, true),
  tokenRedirectUri: ordered("optional", "required"),
  requirePushedAuthorizationRequests: ordered(false, true),
  resourceParameter: ordered("optional", "expected", "required"),
  "refresh.rotateBound": ordered(false, true),
  privateUseRedirectUris: ordered(true, false),
  nativeOnlyRedirectUris: superset,
  requireSignedRequestObject: ordered(false, true),
  requestObjectTimes: ordered("optional", "required"),
  responseModes: subset,
  responseTypes: subset,
  accessTokenInForm: ordered(true, false),
  requireSenderConstrainedTokens: ordered(false, true),
  "refresh.rotateConfidential": anything,
  "refresh.grace": atLeast,
  "lifetimes.code": atMost,
  seeOther: ordered(false, true),
  alg: ordered("RS256", "ES256", "EdDSA", "Ed25519"),
  signatureAlgorithms: subset,
  "dpop.algorithms": subset,
  insecure: without("http-issuer", "http-redirect-uris", "auto-login", "open-login", "demo-clients"),
  requireClientName: ordered(false, true),
  clientAuthMethods: subset,
  metadataForms: anything,
  clientIdMetadataDocuments: anything,
  "registration.mode": anything,
  "registration.scope": anything,
  "registration.unsupportedValues": ordered("ignore", "reject"),
  defaultEndpoints: anything,
} as const satisfies Readonly<Record<string, Combine>>;

/** A setting that a profile can decide: its path. */
export type ProfileSetting = keyof typeof combine;
