/** Verbs that change issued tokens and responses. */

import { anyValue, object, record, text } from "../../../core/policy/field.ts";
import type { ClaimOverrides, Claims } from "../../claim_overrides.ts";
import { withoutNulls } from "../../faults/response_body.ts";
import { defineVerb, type Verb } from "../verb.ts";

/** A change of what clients receive. */
interface ClientClaimChange {
  /** Claims or members to add or replace; `null` removes one. */
  readonly claims: Claims;
  /** The `client_id` of the only client that the change applies to. Default: every client. */
  readonly client?: string;
}

const example = { acr: "urn:example:silver", email: null };

const claimsField = record(anyValue, example, "an object of claims");

/** The token or response that a change affects, by the suffix of the verb. */
const subjects = [
  ["IdToken", "ID token"],
  ["AccessToken", "access token"],
  ["IdJag", "ID-JAG"],
  ["LogoutToken", "logout token"],
  ["Userinfo", "userinfo response"],
  ["TokenResponse", "token response"],
] as const;

function change(name: Exclude<keyof ClaimOverrides, `${string}Metadata`>, summary: string): Verb {
  return defineVerb<ClientClaimChange, void>({
    ...{ name: `issue.${name}`, summary, args: ["claims", "client"] },
    input: object<ClientClaimChange>(
      "ClientClaimChange",
      { claims: claimsField, client: text(["web"]) },
      { claims: example },
      { required: ["claims"] },
    ),
    run: ({ control: { issue } }, { claims, client }) => issue[name](withoutNulls(claims), client),
  });
}

/** A change of metadata documents. */
interface MetadataChange {
  /** Members to add or replace; `null` removes one. */
  readonly metadata: Claims;
}

const metadataExample = { grant_types_supported: ["authorization_code"], claims_parameter_supported: null };

function metadataChange(name: "nextMetadata" | "everyMetadata", summary: string): Verb {
  return defineVerb<MetadataChange, void>({
    ...{ name: `issue.${name}`, summary, args: ["metadata"] },
    input: object<MetadataChange>(
      "MetadataChange",
      { metadata: record(anyValue, metadataExample, "an object of members") },
      { metadata: metadataExample },
      { required: ["metadata"] },
    ),
    run: ({ control: { issue } }, { metadata }) => issue[name](withoutNulls(metadata)),
  });
}

/** Claims of the next token, or of every one from now on. */
export const issueVerbs: readonly Verb[] = [
  ...subjects.flatMap(([end, subject]) => [
    change(`next${end}`, `Changes the next ${subject}, once; several calls queue.`),
    change(`every${end}`, `Changes every ${subject} from now on.`),
  ]),
  metadataChange("nextMetadata", "Changes the next metadata document, once; several calls queue."),
  metadataChange("everyMetadata", "Changes every metadata document from now on."),
];
