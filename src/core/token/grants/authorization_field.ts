import { type Field, functionFields, implementation, objectField, seconds, text, texts } from "../../policy/field.ts";
import type { Subject } from "../../store/store.ts";
import type { Authorization } from "./authenticated_request.ts";

/** Describes what `authorize` of a grant type returns. Another member would have no effect, as a misspelt `consume`. */
export const authorizationField: Field = {
  ...implementation<Authorization>({
    client: objectField,
    scope: texts(["read"]),
    ...{ grantId: text(["a random text"]), nonce: text(["a random text"]) },
    subject: {
      ...implementation<Pick<Subject, "sub">>({ sub: text(["alice"]) }, ["sub"]),
      expected: "an object with a sub, or left out",
    },
    ...{ grant: objectField, refresh: objectField, extensions: objectField },
    ...{ addedClaims: objectField, responseMembers: objectField },
    maxLifetimeSeconds: seconds(1800),
    ...functionFields("consume", "issue"),
  }, ["client", "scope", "grantId"]),
  others: undefined,
};
