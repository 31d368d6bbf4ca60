/** The members for notifications: which URLs may be registered. */

import { quote } from "../../config/config_issue.ts";
import type { ConfigIssue } from "../../../core/configuration_error.ts";
import type { ClientMetadata } from "../../config/client_metadata.ts";
import { validateClientUri } from "../../config/uri_issues.ts";
import type { ServerPolicy } from "../../config/server_policy.ts";

/** The issues of the notification endpoint, which the mode `ping` requires (CIBA §4). */
export function validateNotification(client: ClientMetadata, settings: ServerPolicy): readonly ConfigIssue[] {
  const { backchannel_token_delivery_mode: mode, backchannel_client_notification_endpoint: uri } = client;
  const path = "backchannel_client_notification_endpoint";
  if (uri === undefined) {
    return mode !== "ping" ? [] : [{
      ...{ path, expected: 'a URL, because backchannel_token_delivery_mode is "ping"', received: "none" },
      hint: "Add the URL that is notified, or poll.",
    }];
  }
  const issue = validateClientUri(uri, settings.insecureAllowHttpRedirectUris, settings.allows.localUrls) ??
    (/^https?:/i.test(uri) ? undefined : { expected: "an https URL", hint: "Write https://host/path." });
  return issue === undefined ? [] : [{ path, ...issue, received: quote(uri) }];
}
