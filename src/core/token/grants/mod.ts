/** The grant types: one file each. This file lists them. `server.ts` says how a token request passes through one. */

import { ProgramError } from "../../rules/program_error.ts";
import { immediate, withCheckedResult } from "../../immediate.ts";
import { authorizationCode } from "./authorization_code.ts";
import { clientCredentials } from "./client_credentials.ts";
import { refreshToken } from "./refresh_token.ts";
import type { Policy } from "../../policy/policy.ts";
import { describeKind } from "../../http/quote_value.ts";
import type { GrantType } from "../../server.ts";

type GrantTypeCode = Pick<GrantType, "authorize" | "identifyClient">;

/** A grant type whose code the first request for it loads. */
function loadedOnDemand(
  description: Omit<GrantType, keyof GrantTypeCode>,
  load: () => Promise<GrantTypeCode>,
): GrantType {
  let code: GrantTypeCode | undefined;
  async function loadCode(): Promise<GrantTypeCode> {
    const loaded = await load();
    if (typeof loaded?.authorize === "function") return loaded;
    throw new ProgramError(
      `expected load of the grant type ${description.type} to return { authorize }, received ${describeKind(loaded)}`,
    );
  }
  return {
    ...description,
    authorize: async (server, request) => await (code ??= await loadCode()).authorize(server, request),
    identifyClient: async (server, params) => await (code ??= await loadCode()).identifyClient?.(server, params),
  };
}

/** The grant types of every server, in the order of `grant_types_supported`. */
export const grantTypes: readonly GrantType[] = [authorizationCode, refreshToken, clientCredentials];

/** @internal A grant type of an extension, with its code or with a function that loads it. */
export interface LoadableGrantType<Own = object>
  extends Omit<GrantType, keyof GrantTypeCode | "metadata">, Partial<GrantTypeCode> {
  /** Whether the settings, with their defaults, switch it on. Default: it is always on. */
  isOn?(policy: Policy & Own): boolean;
  /**
   * Called at the first request for it, for a server whose settings switch the grant type on. Without it and without
   * `authorize`, clients register the grant type, and the token endpoint rejects it as unsupported.
   */
  load?(policy: Policy & Own): Promise<GrantTypeCode>;
}

/**
 * The grant types of a server, in the order of `grant_types_supported`.
 *
 * @param supplied The extensions that come with the server. Tests check what their grant types return, so requests
 *   do not.
 */
export function grantTypesOf<E extends { readonly grantTypes?: readonly LoadableGrantType[] }>(
  policy: Policy,
  extensions: readonly E[],
  supplied: readonly E[] = [],
): readonly GrantType[] {
  const ofExtensions = extensions.flatMap((extension) => {
    const switchedOn = (extension.grantTypes ?? []).filter(({ type, isOn }) =>
      immediate(`isOn of ${type}`, isOn?.(policy)) ?? true
    );
    const added = switchedOn.flatMap(({ isOn: _, load, authorize, ...description }): readonly GrantType[] => {
      if (load !== undefined) return [loadedOnDemand(description, () => load(policy))];
      return authorize === undefined ? [] : [{ ...description, authorize }];
    });
    return supplied.includes(extension) ? added : added.map(withCheckedResult);
  });
  return [...grantTypes, ...ofExtensions];
}
