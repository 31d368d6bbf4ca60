/** Which hosts are names of the same cloud: MSAL and Microsoft's samples ask before a login. */

import { json } from "../../core/http/message.ts";
import { OAuthError } from "../../core/rules/errors.ts";
import { parseFields } from "../../core/http/form.ts";
import type { Handler } from "../../core/route.ts";
import type { Endpoint } from "../endpoint.ts";

/** The name of the endpoint. */
export const instanceDiscovery = "instance_discovery";

export function instanceEndpoint(): Endpoint {
  return {
    name: instanceDiscovery,
    path: "/common/discovery/instance",
    methods: ["GET"],
    caller: "any",
    cors: true,
    title: "Instance discovery",
    errors: "json",
    role: "document",
    load: () => ({ GET: showInstance }),
  };
}

/** msal-common src/authority/Authority.ts: the parameters; src/authority/AuthorityMetadata.ts: the members. */
const showInstance: Handler = ({ server: { issuer, names }, target }) => {
  const { host } = new URL(issuer);
  const { issuer: login, login: other, earlier_login, sts } = names.endpoints ?? {};
  const isReal = login !== undefined;
  const aliases = isReal
    ? [login, earlier_login, other, sts].flatMap((origin) => origin === undefined ? [] : [new URL(origin).host])
    : [host];
  const endpoint = new Map(parseFields(target.query)).get("authorization_endpoint") ?? "";
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  const tenant = url?.pathname.split("/")[1];
  if (!tenant || !aliases.includes(url.host)) {
    throw new OAuthError("invalid_request", "Unknown or invalid instance.", {
      rule: "HT-01",
      status: 400,
      expected: `authorization_endpoint with a URL at ${aliases.join(" or ")}`,
      received: endpoint === "" ? "no authorization_endpoint" : endpoint,
    });
  }
  return json(200, {
    tenant_discovery_endpoint: `${url.origin}/${tenant}/v2.0/.well-known/openid-configuration`,
    "api-version": "1.1",
    metadata: [{ preferred_network: host, preferred_cache: isReal ? "login.windows.net" : host, aliases }],
  });
};
