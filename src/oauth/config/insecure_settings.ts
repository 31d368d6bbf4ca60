/** Settings that accept insecure configurations, for tests that need them. */

import { type Fields, flag } from "./field.ts";

/** Settings that accept insecure configurations. */
export interface InsecureSettings {
  /** Insecure: accept an `http` issuer that is not on a test host. Default: false. */
  readonly insecureAllowHttpIssuer?: boolean;
  /** Insecure: accept `http` redirect URIs that are not on test hosts. Default: false. */
  readonly insecureAllowHttpRedirectUris?: boolean;
  /** Insecure: accept `login: "auto"` although the issuer is not on a test host. Default: false. */
  readonly insecureAllowAutoLogin?: boolean;
  /**
   * Insecure: accept `login: "interactive"` without passwords, which lets every visitor log in as any user, although the
   * issuer is not on a test host. Default: false.
   */
  readonly insecureAllowOpenLogin?: boolean;
  /** Insecure: accept the demo clients, whose secret is public, although the issuer is not on a test host. Default: false. */
  readonly insecureAllowDemoClients?: boolean;
  /**
   * Insecure: accept a `directory`, which shows clients and users to any visitor, although the issuer is not on a test
   * host. Default: false.
   */
  readonly insecureAllowDirectory?: boolean;
}

/** The description of {@link InsecureSettings}. */
export const insecureFields = {
  insecureAllowHttpIssuer: flag(false),
  insecureAllowHttpRedirectUris: flag(false),
  insecureAllowAutoLogin: flag(false),
  insecureAllowOpenLogin: flag(false),
  insecureAllowDemoClients: flag(false),
  insecureAllowDirectory: flag(false),
} satisfies Fields<InsecureSettings>;
