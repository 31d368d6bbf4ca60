/** Verbs about the tokens that the server issues. */

import { object, text, whole } from "../../../core/policy/field.ts";
import { changeableField, type ChangeableSettings } from "../../changed_settings.ts";
import { type FixedValues, fixedValuesField } from "../../fixed_values.ts";
import type { GrantsOf } from "../../issued_grants.ts";
import { defineVerb, type Verb } from "../verb.ts";

/** How many grants were revoked. */
interface Revoked {
  /** The number of grants. */
  readonly revoked: number;
}

/** Verbs that revoke tokens, change how they behave and how long they are valid, and set their values. */
export const tokenVerbs: readonly Verb[] = [
  defineVerb<GrantsOf, Revoked>({
    name: "revoke",
    summary: "Revokes the codes and tokens of a user, of a client, or of a user at a client; or one token.",
    input: object<GrantsOf>("GrantsOf", {
      sub: text(["bob"]),
      client: text(["web"]) as never,
      token: text(["eyJhbGciOiJFUzI1NiJ9.e30.c2ln"]),
    }, { sub: "bob" }),
    result: object<Revoked>("Revoked", { revoked: whole(1, { expected: "a whole number" }) }, { revoked: 1 }),
    returns: "revoked",
    run: async ({ control }, grantsOf) => ({ revoked: await control.revoke(grantsOf) }),
  }),
  defineVerb<ChangeableSettings, void>({
    name: "changeSettings",
    summary: "Changes refresh token rotation, its grace period, and the lifetimes of tokens, until the next reset.",
    input: changeableField,
    run: ({ control }, settings) => control.changeSettings(settings),
  }),
  defineVerb<FixedValues, void>({
    name: "nextValues",
    summary: "Sets the values of the next code and tokens; the access token is opaque, and `at_hash` matches it.",
    input: fixedValuesField,
    run: ({ control }, values) => control.nextValues(values),
  }),
];
