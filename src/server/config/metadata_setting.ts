/** The setting `metadata`: members of the metadata documents to replace; authorization responses have `iss` by them. */

import type { HttpResponse } from "../../core/http/message.ts";
import { ownResponseModes } from "../../core/authorize/authorization_request.ts";
import type { ResponseFields } from "../../core/http/params.ts";
import type { Policy } from "../../core/policy/policy.ts";
import type { Handlers } from "../../core/route.ts";
import { asServerPolicy } from "./server_policy.ts";
import type { Extension } from "./extension.ts";
import type { HostedServer } from "../hosted_server.ts";

interface WithSettings {
  readonly policy: Policy;
}

/** The handlers of the metadata documents, with the members of the setting, and without those that are `null` in it. */
export function withOwnMembers(handlers: Handlers): Handlers<HostedServer> {
  return {
    async GET(context) {
      const response = await handlers.GET!(context) as HttpResponse;
      const { metadata } = context.server.policy;
      if (Object.keys(metadata).length === 0) return response;
      const members = Object.entries({ ...JSON.parse(response.body!), ...metadata });
      return { ...response, body: JSON.stringify(Object.fromEntries(members.filter(([, value]) => value !== null))) };
    },
  };
}

/** Whether responses have `iss`, as metadata announces it. */
export function sendsIss({ policy }: WithSettings): boolean {
  const { authorization_response_iss_parameter_supported: isSupported = true } = asServerPolicy(policy).metadata;
  return isSupported === true;
}

/** The parameters of a response; without `iss` if the server does not announce it. */
export function announcedFields(server: WithSettings, fields: ResponseFields): ResponseFields {
  return sendsIss(server) ? fields : fields.filter(([name]) => name !== "iss");
}

/**
 * Responses have no `iss` if the metadata of the server does not announce it; a mode that signs its responses keeps it.
 */
export const announcedIss: Extension = { name: "announced_iss", extend: withAnnouncedIss };

function withAnnouncedIss(server: HostedServer): HostedServer {
  const { authorization } = server.responses;
  return {
    ...server,
    responses: {
      ...server.responses,
      async authorization(current, recipient, response) {
        const fields = await authorization(current, recipient, response);
        return ownResponseModes.has(recipient.destination.mode) ? announcedFields(current, fields) : fields;
      },
    },
  };
}
