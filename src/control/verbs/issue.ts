/** Verbs that change issued tokens and responses. */

import { anyValue, object, record } from "../../oauth/config/field.ts";
import type { ClaimOverrides, Claims } from "../../testing/claim_overrides.ts";
import { withoutNulls } from "../json_values.ts";
import { defineVerb, type Verb } from "../verb.ts";

/** A change of claims or members. */
interface ClaimChange {
  /** Claims or members to add or replace; `null` removes one. */
  readonly claims: Claims;
}

const example = { acr: "urn:example:silver", email: null };

const input = object<ClaimChange>(
  "ClaimChange",
  { claims: record(anyValue, example, "an object of claims") },
  { claims: example },
  { required: ["claims"] },
);

/** What a change is about, by the end of its name. */
const subjects = {
  IdToken: "ID token",
  AccessToken: "access token",
  IdJag: "ID-JAG",
  LogoutToken: "logout token",
  Userinfo: "userinfo response",
  TokenResponse: "token response",
  Metadata: "metadata document",
};

function change(name: keyof ClaimOverrides, summary: string): Verb {
  return defineVerb<ClaimChange, void>({
    ...{ name: `issue.${name}`, summary, input, args: ["claims"] },
    run: ({ control: { issue } }, { claims }) => issue[name](withoutNulls(claims)),
  });
}

/** Claims of the next token, or of every one from now on. */
export const issueVerbs: readonly Verb[] = Object.entries(subjects).flatMap(([end, subject]) => [
  change(`next${end}` as keyof ClaimOverrides, `Changes the next ${subject}, once; several calls queue.`),
  change(`every${end}` as keyof ClaimOverrides, `Changes every ${subject} from now on.`),
]);
