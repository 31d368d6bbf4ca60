/** The origins of a server. */

import {
  backChannelOrigin,
  frontChannelOrigin,
  isAtOrigins,
  issuerOrigin,
  type ServerUrls,
} from "../core/issuer_urls.ts";

export function serverOrigins(server: ServerUrls): readonly string[] {
  const { origins } = server.settings;
  return [
    ...[issuerOrigin(server.issuer), frontChannelOrigin(server), backChannelOrigin(server)],
    ...isAtOrigins(server) ? Object.values(origins) : [],
  ];
}
