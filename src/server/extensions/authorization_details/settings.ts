/** The setting `authorizationDetails`: the types of rich authorization requests (RFC 9396). */

import { describeSettings } from "../../config/extension_settings.ts";
import { anyValue, type Field, type FieldsOf, flag, object, record, text, texts } from "../../../core/policy/field.ts";
import { open } from "../../config/client_fields.ts";

/** @internal */
export interface AuthorizationDetailsSettings {
  /**
   * The types of objects that `authorization_details` may contain (RFC 9396), by the value of `type`. Default: none,
   * the parameter is ignored.
   */
  readonly authorizationDetails?: Readonly<Record<string, AuthorizationDetailsType>>;
}

/**
 * A type of the objects in `authorization_details` (RFC 9396 §2).
 *
 * @example
 * ```ts
 * const payment: AuthorizationDetailsType = {
 *   title: "Payment",
 *   schema: {
 *     properties: {
 *       creditorName: { type: "string" },
 *       amount: { type: "string", pattern: "^[0-9]+\\.[0-9]{2}$" },
 *       currency: { enum: ["EUR", "USD"] },
 *     },
 *     required: ["creditorName", "amount", "currency"],
 *   },
 * };
 * ```
 */
export interface AuthorizationDetailsType {
  /**
   * The JSON Schema (2020-12) of its objects. The member `type` needs no definition. An object with a member that the
   * schema does not define is rejected; for the members of inner objects, `additionalProperties` decides.
   */
  readonly schema: Readonly<Record<string, unknown>>;
  /** Its name on the consent page. Default: the type itself. */
  readonly title?: string;
  /** Reject authorization requests for it that are neither pushed nor signed (RFC 9396 §11.4). Default: false. */
  readonly requireProtectedRequest?: boolean;
  /**
   * Let an approver of the embedding program add or change members of a requested object (RFC 9396 §7.1). Default:
   * false.
   */
  readonly enrichable?: boolean;
  /**
   * The names of members that are lists and may be narrowed: a token request may leave out some of their values, as
   * with `locations`, `actions`, `datatypes` and `privileges` (RFC 9396 §6.1). Default: none; all other members stay
   * equal.
   */
  readonly narrowableLists?: readonly string[];
  /**
   * The clients that receive it without a login: by `client_credentials`, or by an assertion other than an ID-JAG.
   * Default: none.
   */
  readonly clientsWithoutUser?: readonly string[];
}

const example: AuthorizationDetailsType = {
  schema: { properties: { actions: { items: { enum: ["read", "write"] } } }, required: ["actions"] },
};

const authorizationDetails: Field<Readonly<Record<string, AuthorizationDetailsType>>> = record(
  object<AuthorizationDetailsType>(
    "AuthorizationDetailsType",
    {
      schema: record(anyValue, example.schema, "a JSON Schema"),
      title: text(["Payment"]),
      requireProtectedRequest: flag(false),
      enrichable: flag(false),
      narrowableLists: texts(["accounts"]),
      clientsWithoutUser: texts(["worker"]),
    },
    example,
    { required: ["schema"] },
  ),
  { files: example },
  "an object of types by name",
);

export const authorizationDetailsFields: FieldsOf<AuthorizationDetailsSettings> = { authorizationDetails };

/** Describes the setting, and reads it from a policy. */
export const authorizationDetailsSettings = describeSettings<AuthorizationDetailsSettings>({
  fields: authorizationDetailsFields,
});

/** The types of a server, by its settings; `undefined` without the setting. */
export function detailsTypes(policy: object): AuthorizationDetailsSettings["authorizationDetails"] {
  return authorizationDetailsSettings.of(policy).authorizationDetails;
}

export interface AuthorizationDetailsClientMembers {
  /** The types of `authorization_details` that the client may use (RFC 9396 §10). Default: all types of the server. */
  readonly authorization_details_types?: readonly string[];
}

export const authorizationDetailsClientFields: FieldsOf<AuthorizationDetailsClientMembers> = {
  authorization_details_types: {
    ...open(texts(["payment"])),
    valuesOf: (settings) => Object.keys(detailsTypes(settings) ?? {}),
  },
};
