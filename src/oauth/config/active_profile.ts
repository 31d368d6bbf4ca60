/** The types of the profile in effect. */

/** A setting that a profile can decide: its path. */
export type ProfileSetting =
  | "pkce.requireForConfidential"
  | "pkce.acceptNonce"
  | "pkce.requireMethod"
  | "assertionAudience"
  | "maxAssertionLifetime"
  | "requireRedirectUri"
  | "tokenRedirectUri"
  | "requirePushedAuthorizationRequests"
  | "refresh.rotateBound"
  | "resourceParameter"
  | "privateUseRedirectUris"
  | "nativeOnlyRedirectUris"
  | "requireSignedRequestObject"
  | "requestObjectTimes"
  | "responseModes"
  | "accessTokenInForm"
  | "requireSenderConstrainedTokens"
  | "refresh.rotateConfidential"
  | "refresh.grace"
  | "lifetimes.code"
  | "seeOther"
  | "alg"
  | "signatureAlgorithms"
  | "dpop.algorithms"
  | "insecureAllowHttpIssuer"
  | "insecureAllowHttpRedirectUris"
  | "insecureAllowAutoLogin"
  | "insecureAllowOpenLogin"
  | "insecureAllowDemoClients"
  | "clientAuthMethods"
  | "metadataForms"
  | "clientIdMetadataDocuments"
  | "requireClientName"
  | "registration.deprecated"
  | "registration.scope"
  | "defaultEndpoints";

/** The profile in effect. */
export interface ActiveProfile {
  /** Its name and, of `mcp`, its revision: `mcp 2026-07-28`. */
  readonly label: string;
  /** Its values. */
  readonly values: ReadonlyMap<ProfileSetting, unknown>;
  /**
   * The settings whose value comes from a profile, because the configuration omits them or sets a weaker value. Each
   * has the label of the profile.
   */
  readonly decides: ReadonlyMap<ProfileSetting, string>;
}
