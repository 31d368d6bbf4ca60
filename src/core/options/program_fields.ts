/** Describes what a program implements for a server: a store, grant types and extensions. */

import type { CoreExtension } from "../extension.ts";
import {
  anyValue,
  choice,
  description,
  type Field,
  type FieldsOf,
  functionField,
  functionFields,
  implementation,
  list,
  objectField,
  text,
} from "../policy/field.ts";
import type { ParameterDescription } from "../http/params.ts";
import type { ClientAuth, GrantType, RequestCheck } from "../server.ts";
import type { Store } from "../store/store.ts";
import type { Step } from "../token/steps.ts";
import type { LoadableGrantType } from "../token/grants/mod.ts";
import { protocolClaims } from "../returned.ts";

const storeFunctions = functionFields(
  ...["get", "put", "add", "replace", "consume", "extend", "revoke", "delete", "list", "count"] as const,
  ...["deleteExpired", "deleteAll", "close"] as const,
);

/** Describes the functions of a {@link Store}. */
export const storeField = implementation<Omit<Store, "persistent">>(
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

const onlyTrue: Field<never> = { type: "boolean", expected: "true", examples: [] };

/** Describes the {@link GrantType}s of a program. */
export const grantTypesField = list<GrantType>(
  description<GrantType>({
    type,
    parameters,
    metadata: objectField,
    checksScope: onlyTrue,
    ...functionFields("authorize", "identifyClient"),
  }, ["type", "parameters", "authorize"]),
  [[]],
  { expected: "an array of grant types" },
);

/** `validate_extensions.ts` validates `place`. */
const requestCheck = description<RequestCheck>({
  ...{ rule: ruleId, otherRules: list(ruleId, [["PK-01"]], { expected: "an array of IDs of rules" }) },
  reads: text(["the ticket"]),
  ...{ passes: onlyTrue, redirectOnly: onlyTrue, atTokenEndpoint: onlyTrue },
  ...{ place: anyValue as Field<never>, parameters, ...functionFields("read", "warn") },
}, []);

/** Describes the steps of a table; `validate_extensions.ts` validates `place`. */
const steps = list<never>(
  description<Step<unknown>>({
    name: text(["ticket"]),
    place: anyValue as Field<never>,
    changes: list(choice(Object.keys(protocolClaims)), [["aud"]], { expected: "an array of protocol claims" }),
    run: functionField,
  }, ["name", "run"]),
  [[]],
  { expected: "an array of steps", hint: () => 'Write it like [{ name: "ticket", run: () => ({ ticket: 1 }) }].' },
);

/** Describes the members of a {@link CoreExtension}. */
export const extensionMembers = {
  name: text(["invitations"]),
  grantTypes: list<never>(
    description<LoadableGrantType>({
      type,
      parameters,
      checksScope: onlyTrue,
      ...functionFields("isOn", "load", "authorize", "identifyClient"),
    }, ["type", "parameters"]),
    [[]],
    { expected: "an array of grant types" },
  ),
  requestChecks: list<never>(requestCheck, [[]], { expected: "an array of checks" }),
  clientAuthentication: list<ClientAuth>(
    description<ClientAuth>({
      method: text(["invitation"]),
      ...functionFields("isUsed", "claimedId", "authenticate"),
    }, ["method", "isUsed", "claimedId", "authenticate"]),
    [[]],
    { expected: "an array of methods of client authentication" },
  ),
  jwtTypes: objectField,
  // `validate_extensions.ts` validates the names of the tables.
  steps: { ...objectField, others: steps },
  ...functionFields("endpoints", "extend", "metadata"),
} satisfies FieldsOf<CoreExtension>;
