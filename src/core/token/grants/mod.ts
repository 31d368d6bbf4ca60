/** The grant types: one file each. This file lists them. `server.ts` says how a token request passes through one. */

import { ProgramError } from "../../rules/program_error.ts";
import { immediate } from "../../immediate.ts";
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

/** The grant types of a server, in the order of `grant_types_supported`. */
export function grantTypesOf(
  policy: Policy,
  extensions: readonly { readonly grantTypes?: readonly LoadableGrantType[] }[],
): readonly GrantType[] {
  const ofExtensions = extensions.flatMap(({ grantTypes = [] }) => grantTypes).filter(({ type, isOn }) =>
    immediate(`isOn of ${type}`, isOn?.(policy)) ?? true
  );
  return [
    ...grantTypes,
    ...ofExtensions.flatMap(({ isOn: _, load, authorize, ...description }) =>
      load !== undefined
        ? loadedOnDemand(description, () => load(policy))
        : authorize !== undefined
        ? { ...description, authorize }
        : []
    ),
  ];
}
