/** GET /.well-known/ssf-configuration (SSF §7.2). */

import { json } from "../../../core/http/message.ts";
import { endpointUrl } from "../../../core/endpoint.ts";
import type { Handlers } from "../../../core/route.ts";
import { pollMethod, pushMethod } from "./event_types.ts";
import { sharedSignalsOf } from "./settings.ts";

/** The handlers of the metadata document. */
export const metadata: Handlers = {
  GET: (context) =>
    json(200, {
      spec_version: "1_0",
      issuer: context.server.issuer,
      jwks_uri: endpointUrl(context, "jwks"),
      delivery_methods_supported: [pushMethod, pollMethod],
      configuration_endpoint: endpointUrl(context, "ssf_stream"),
      status_endpoint: endpointUrl(context, "ssf_status"),
      add_subject_endpoint: endpointUrl(context, "ssf_add_subject"),
      remove_subject_endpoint: endpointUrl(context, "ssf_remove_subject"),
      verification_endpoint: endpointUrl(context, "ssf_verification"),
      authorization_schemes: [{ spec_urn: "urn:ietf:rfc:6749" }],
      default_subjects: sharedSignalsOf(context.server).sharedSignalsSubjects,
    }, { "cache-control": "public, max-age=60" }),
};
