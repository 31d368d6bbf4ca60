/**
 * The names of the profiles, and the settings that a profile can decide, with the order of their values from weak to
 * strict. `profiles.ts` has the values of each profile.
 */

/** The name of a profile. */
export type ProfileName = "oauth2.1" | "oidc" | "mcp" | "fapi2-security" | "fapi2-message-signing" | "next-2026.11";

export const profileNames: readonly ProfileName[] = [
  ...["oauth2.1", "oidc", "mcp", "fapi2-security", "fapi2-message-signing", "next-2026.11"] as const,
];

/** @internal A revision of the authorization specification of the Model Context Protocol. */
export type McpRevision = "2025-03-26" | "2025-06-18" | "2025-11-25" | "2026-07-28";

/** The revisions of the authorization specification of the Model Context Protocol, the oldest first. */
export const mcpRevisions: readonly McpRevision[] = ["2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];

type Combine = (value: unknown, floor: unknown) => unknown;

/** Values from the weakest to the strictest. */
const ordered = (...values: readonly unknown[]): Combine => (value, floor) =>
  values.indexOf(value) < values.indexOf(floor) ? floor : value;

/** A list is stricter than another one if the other one contains it. */
export const subset: Combine = (value, floor) => asList(value).filter((item) => asList(floor).includes(item));

/** A list is stricter than another one if it contains the other one. */
const superset: Combine = (value, floor) => [...new Set([...asList(value), ...asList(floor)])];

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
  insecureAllowHttpIssuer: ordered(true, false),
  insecureAllowHttpRedirectUris: ordered(true, false),
  insecureAllowAutoLogin: ordered(true, false),
  insecureAllowOpenLogin: ordered(true, false),
  insecureAllowDemoClients: ordered(true, false),
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

/** @internal */
export interface ActiveProfile {
  /** Its name and, of `mcp`, its revision: `mcp 2026-07-28`. */
  readonly label: string;
  /** Its values, by the path of their setting. */
  readonly values: ReadonlyMap<string, unknown>;
  /**
   * The paths of the settings whose value comes from a profile, because the configuration omits them or sets a weaker
   * value. Each has the label of the profile.
   */
  readonly decides: ReadonlyMap<string, string>;
  /** For each value, the label of the profile and the section of the specification that requires it. */
  readonly sources: ReadonlyMap<string, string>;
}

/** The part of a message that names the profile, if a setting has its value from the profile; otherwise empty. */
export function byProfile(profile: ActiveProfile | undefined, setting: ProfileSetting): string {
  const label = profile?.decides.get(setting);
  return label === undefined ? "" : `, by the profile ${label}`;
}
