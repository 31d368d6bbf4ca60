/** What never exists: removed response types and grant types. */

import { assert, assertEquals } from "@std/assert";

export const saml = "urn:ietf:params:oauth:grant-type:saml2-bearer";

/** The profiles of FAPI, which accept neither the clients nor the plain requests of the harness. */
export const isFapi = (profile: string) => profile.startsWith("fapi");

/** The response types that never exist, in several orders. */
export const removedResponseTypes = [
  ...["token", "none", "code token", "token code", "id_token token", "token id_token", "code none", "none token"],
  ...["code id_token token", "token id_token code"],
];

/** The grant types that never exist. */
export const removedGrantTypes = ["password", "implicit", saml];

/** Asserts that a metadata document is explicit, and names nothing that never exists. */
export async function assertMetadata(response: Response): Promise<void> {
  const { grant_types_supported: grants, response_types_supported: responses, ...more } = await response.json();
  assert(grants.includes("authorization_code"));
  assertEquals(grants.filter((type: string) => removedGrantTypes.includes(type)), []);
  assert(responses.includes("code"));
  assertEquals(responses.filter((type: string) => type.split(" ").some((word) => /^(?:token|none)$/.test(word))), []);
  assert(more.token_endpoint_auth_methods_supported.every((method: string) => !/saml/i.test(method)));
}
