/** The setting of pushed authorization requests. */

import { metadataOf } from "../../config/client_metadata.ts";
import { describeSettings } from "../../config/extension_settings.ts";
import { type Client, policyOf } from "../../../core/clients/clients.ts";
import { type FieldsOf, flag } from "../../../core/policy/field.ts";
import type { Server } from "../../../core/server.ts";
import type { HostedServer } from "../../hosted_server.ts";
import { pathField } from "../../config/endpoint_paths.ts";
import { open } from "../../config/client_fields.ts";

/** @internal */
export interface ParSettings {
  /**
   * Whether every authorization request must be pushed to the server first (RFC 9126 §5). Default: false; a client may
   * require it for its own requests with `require_pushed_authorization_requests`.
   */
  readonly requirePushedAuthorizationRequests?: boolean;
}

export const parFields: FieldsOf<ParSettings> = { requirePushedAuthorizationRequests: flag(false) };

/** The prefix of a `request_uri` (RFC 9126 §2.2). */
export const requestUriPrefix = "urn:ietf:params:oauth:request_uri:";

export interface PushedEndpointPaths {
  /** Default: `/oauth2/par`. */
  readonly pushed_authorization_request_endpoint?: string;
}

export const pushedEndpointPaths: FieldsOf<PushedEndpointPaths> = {
  pushed_authorization_request_endpoint: pathField("/par"),
};

/** Describes the setting, and reads it from a policy. */
export const parSettings = describeSettings<ParSettings>({ fields: parFields, paths: pushedEndpointPaths });

/** Whether settings demand pushed requests of every client. */
export function demandsPush(policy: object): boolean {
  return parSettings.of(policy).requirePushedAuthorizationRequests === true;
}

/** Whether the requests of a client, or of an unknown one, must be pushed, at a server with this extension. */
export function isPushRequired(server: Pick<Server, "policy">, client: Client | undefined): boolean {
  return demandsPush(client === undefined ? server.policy : policyOf(server, client)) ||
    client !== undefined && metadataOf(client).require_pushed_authorization_requests === true;
}

/** Whether the requests of a client, or of an unknown one, must be pushed. */
export function mustPush(
  server: Pick<Server, "policy"> & Pick<HostedServer, "storedRequests">,
  client: Client | undefined,
): boolean {
  return server.storedRequests !== undefined && isPushRequired(server, client);
}

export interface PushedRequestClientMembers {
  /** Reject authorization requests that the client has not pushed (RFC 9126 §6). Default: false. */
  readonly require_pushed_authorization_requests?: boolean;
}

export const pushedRequestClientFields: FieldsOf<PushedRequestClientMembers> = {
  require_pushed_authorization_requests: { ...open(flag(false)), isDemand: true },
};
