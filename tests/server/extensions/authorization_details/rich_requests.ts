/** A server with types of authorization details, and requests for them. */

import type { ClientMetadata } from "../../../../src/mod.ts";
import { confidentialClient, publicClient, testClients } from "../../client_endpoints.ts";
import type { Fields, ListedOptions } from "../../../kit.ts";

/** Two resources, each served by a client of its name. */
export const bank = "https://bank.test";
export const files = "https://files.test";

/** The secret of `signer`. */
export const secret = "a secret that is long enough for HS256: 0123456789 0123456789";

/** Two types; the first one has a field of its own, the second one only common fields. */
export const richOptions: ListedOptions = {
  ...testClients,
  clients: [
    ...testClients.clients,
    publicClient("payer", { authorization_details_types: ["payment"] }),
    confidentialClient("worker", { grant_types: ["client_credentials"], redirect_uris: undefined }),
    {
      client_id: "signer",
      redirect_uris: ["https://spa.example/cb"],
      client_secret: secret,
      token_endpoint_auth_method: "client_secret_jwt",
      request_object_signing_alg: "HS256",
    },
    confidentialClient("opaque", { access_token_format: "opaque" }),
    confidentialClient("bank", { grant_types: ["client_credentials"], redirect_uris: undefined, serves: [bank] }),
    confidentialClient("files", { grant_types: ["client_credentials"], redirect_uris: undefined, serves: [files] }),
  ] as ClientMetadata[],
  resources: [{ uri: bank }, { uri: files }],
  authorizationDetails: {
    payment: {
      title: "Payment",
      schema: {
        $defs: { money: { properties: { currency: { enum: ["EUR", "USD"] }, value: { type: "number" } } } },
        properties: {
          locations: true,
          creditor: { type: "string", maxLength: 40 },
          amount: { $ref: "#/$defs/money", type: "object", required: ["currency"], unevaluatedProperties: false },
          note: { anyOf: [{ type: "string" }, { type: "null" }] },
        },
        required: ["creditor"],
      },
    },
    files: {
      clientsWithoutUser: ["worker"],
      schema: {
        properties: {
          locations: true,
          actions: { type: "array", items: { enum: ["read", "write", "delete"] } },
          datatypes: true,
          privileges: true,
          identifier: true,
          options: {},
        },
      },
    },
  },
};

/** Objects of the types. */
export const payment = { type: "payment", creditor: "Shop", amount: { currency: "EUR", value: 12.5 } };
export const readFiles = { type: "files", actions: ["read"] };
export const editFiles = { type: "files", actions: ["read", "write"], identifier: "inbox" };

/** The parameter with these objects. */
export function details(...objects: readonly unknown[]): Fields {
  return { authorization_details: JSON.stringify(objects) };
}
