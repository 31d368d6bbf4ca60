import { type Field, functionFields, implementation, seconds, text, texts } from "../../policy/field.ts";
import type { Subject } from "../../store/store.ts";
import type { Authorization } from "./authenticated_request.ts";

const anyObject = implementation<object>({}, []);

/** Describes what `authorize` of a grant type returns. Another member would have no effect, as a misspelt `consume`. */
export const authorizationField: Field = {
  ...implementation<Authorization>({
    client: anyObject,
    scope: texts(["read"]),
    ...{ grantId: text(["a random text"]), nonce: text(["a random text"]) },
    subject: {
      ...implementation<Pick<Subject, "sub">>({ sub: text(["alice"]) }, ["sub"]),
      expected: "an object with a sub, or left out",
    },
    ...{ grant: anyObject, refresh: anyObject, extensions: anyObject },
    ...{ addedClaims: anyObject, responseMembers: anyObject },
    maxLifetimeSeconds: seconds(1800),
    ...functionFields("consume", "issue"),
  }, ["client", "scope", "grantId"]),
  others: undefined,
};
