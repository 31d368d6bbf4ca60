/** Describes what a program implements for a server: a store, grant types and extensions. */

import type { CoreExtension } from "../extension.ts";
import {
  anyValue,
  description,
  type Field,
  type Fields,
  functionField,
  implementation,
  list,
  objectField,
  text,
} from "../policy/field.ts";
import type { ParameterDescription } from "../http/params.ts";
import type { ClientAuth, GrantType, RequestCheck } from "../server.ts";
import type { Store } from "../store/store.ts";
import type { LoadableGrantType } from "../token/grants/mod.ts";

const storeFunctions: Fields<Omit<Store, "persistent">> = {
  get: functionField,
  put: functionField,
  add: functionField,
  consume: functionField,
  extend: functionField,
  revoke: functionField,
  delete: functionField,
  list: functionField,
  count: functionField,
  deleteExpired: functionField,
  deleteAll: functionField,
  close: functionField,
};

/** Describes the functions of a {@link Store}. */
export const storeField = implementation(
  storeFunctions,
  Object.keys(storeFunctions) as (keyof typeof storeFunctions)[],
);

const type = text(["invitation"]);

const ruleId: Field<never> = { ...text(["PK-07"]), expected: "the ID of a rule" };

const parameters = list<ParameterDescription>(
  implementation<Pick<ParameterDescription, "name">>({ name: text(["invitation"]) }, ["name"]),
  [[{ name: "invitation" }]],
  { expected: "an array of parameters" },
);

/** Describes the {@link GrantType}s of a program. */
export const grantTypesField = list<GrantType>(
  description<GrantType>({
    type,
    parameters,
    authorize: functionField,
    identifyClient: functionField,
    metadata: objectField,
  }, ["type", "parameters", "authorize"]),
  [[]],
  { expected: "an array of grant types" },
);

const onlyTrue: Field<never> = { type: "boolean", expected: "true", examples: [] };

/** Where a check stands is compared with the table, in `authorize/checks.ts`. */
const requestCheck = description<RequestCheck>({
  ...{ rule: ruleId, otherRules: list(ruleId, [["PK-01"]], { expected: "an array of IDs of rules" }) },
  reads: text(["the ticket"]),
  ...{ passes: onlyTrue, redirectOnly: onlyTrue, atTokenEndpoint: onlyTrue },
  ...{ place: anyValue as Field<never>, parameters, read: functionField, warn: functionField },
}, []);

/** Describes the members of a {@link CoreExtension}. */
export const extensionMembers = {
  name: text(["invitations"]),
  grantTypes: list<never>(
    description<LoadableGrantType>({
      ...{ type, parameters, isOn: functionField, load: functionField },
      ...{ authorize: functionField, identifyClient: functionField },
    }, ["type", "parameters"]),
    [[]],
    { expected: "an array of grant types" },
  ),
  requestChecks: list<never>(requestCheck, [[]], { expected: "an array of checks" }),
  endpoints: functionField,
  metadata: functionField,
  clientAuthentication: list<ClientAuth>(
    description<ClientAuth>({
      method: text(["invitation"]),
      isUsed: functionField,
      claimedId: functionField,
      authenticate: functionField,
    }, ["method", "isUsed", "claimedId", "authenticate"]),
    [[]],
    { expected: "an array of methods of client authentication" },
  ),
  jwtTypes: objectField,
  extend: functionField,
} satisfies Fields<CoreExtension>;
