/** How the requests, responses and tokens of a provider differ from the standards: data of its profile. */

import { anyValue, choice, type Field, type Fields, flag, list, object, record, text, texts, whole } from "./field.ts";

/**
 * @internal Members to replace or add; `null` removes one. In a string, `{name}` stands for the value of a member,
 * `{a|b}` for the first one that exists. A string that is only `{name}` becomes the value, with its type; `{name:text}`
 * becomes a string, `{name:list}` an array of its words. If there is no value, the member stays as it is. Further
 * names: `$uuid`, `$uuid2`, `$time` (ISO 8601) and `$date` (RFC 9110 §5.6.7) of the response; `$tenant`, the first
 * segment of the path of the issuer; `$sub` of the user; `$guid`, `$number` and `$hex`, which follow from it.
 */
export type Members = Readonly<Record<string, unknown>>;

/** @internal How the errors of an endpoint differ from OAuth 2.1 §3.2.4. */
export interface ErrorShape {
  /** The status of every error. Default: that of the standard. */
  readonly status?: number;
  /** The status of some errors, by the ID of the rule or by the code. Default: `status`. */
  readonly statuses?: Readonly<Record<string, number>>;
  /** Values for `members` that describe an error, by the ID of its rule, its code, or `*` for others. */
  readonly cases?: Readonly<Record<string, Members>>;
  /** Members to replace or add. */
  readonly members?: Members;
}

/** @internal How an endpoint differs from the standards. */
export interface EndpointShape {
  /** Values of parameters that a request may lack; each such request causes a warning. Default: none. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** A scope value that each request has, even if its `scope` lacks it. Default: none. */
  readonly impliedScope?: string;
  /** Parameters of requests with another name than in the standards: `audience` in place of `resource`. */
  readonly renames?: Readonly<Record<string, string>>;
  /**
   * Where a POST request may have its parameters besides a form. With `query`, a GET request may have its access token
   * there. Each such request causes a warning. Default: none.
   */
  readonly accepts?: readonly ("json" | "query")[];
  /** Separates scope values in responses, and is accepted in requests with a warning. Default: a space. */
  readonly scopeSeparator?: ",";
  /** The scope value that stands for a grant without scope: responses do not contain it. Default: none. */
  readonly hiddenScope?: string;
  /** Members of a successful response. */
  readonly members?: Members;
  /** Members of a successful response that has the member of this name. */
  readonly ifPresent?: Readonly<Record<string, Members>>;
  /** Members of a successful response that lacks the member of this name. */
  readonly ifAbsent?: Readonly<Record<string, Members>>;
  /** Members of the objects in each array of a successful response, such as the keys of a JWKS. */
  readonly items?: Members;
  /** `form`: responses are form-encoded, unless the request accepts `application/json`. Default: JSON. */
  readonly format?: "form";
  /** Headers of every response. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether scripts of other origins may read responses. Default: as at the usual endpoint. */
  readonly cors?: boolean;
  /** How errors differ. */
  readonly errors?: ErrorShape;
}

/** @internal How the requests, responses and tokens of a provider differ from the standards. Only on test hosts. */
export interface ProviderShapes {
  /** The endpoints that differ, by their names in metadata, or by their own names. */
  readonly endpoints?: Readonly<Record<string, EndpointShape>>;
  /** The members of metadata documents, besides those of the setting `metadata`; others are left out. Default: all. */
  readonly metadata?: readonly string[];
  /** Parameters of authorization responses with a code. */
  readonly callback?: Members;
  /** Claims of ID tokens, by the scope value that releases them; `*`: always. */
  readonly idToken?: Readonly<Record<string, Members>>;
  /**
   * Claims of access tokens, by the scope value that releases them; `*`: always. The server reads them back: if `*`
   * changes `sub`, `client_id` or `scope`, another member of `*` must be `{$sub}`, `{client_id}`, `{scope}` or
   * `{scope:list}`; a token without `aud` is for the default audience.
   */
  readonly accessToken?: Readonly<Record<string, Members>>;
  /** Members of userinfo responses, by the scope value that releases them; `*`: always. */
  readonly userinfo?: Readonly<Record<string, Members>>;
}

const members: Field<Members> = record(anyValue, { token_type: "bearer" }, "an object");
const byScope = record(members, { "*": { ver: "2.0" } }, "an object of objects");

const httpStatus = whole(200, { min: 200, max: 599, expected: "an HTTP status" });

const errors = object<ErrorShape>("ErrorShape", {
  status: httpStatus,
  statuses: record(httpStatus, { invalid_grant: 403 }, "an object of statuses"),
  cases: record(members, { invalid_grant: { error: "bad_verification_code" } }, "an object of objects"),
  members,
}, { status: 200 });

const endpointFields: Fields<EndpointShape> = {
  parameters: record(text(["code"]), { response_type: "code" }, "an object of strings"),
  impliedScope: text(["openid"]),
  renames: record(text(["resource"]), { audience: "resource" }, "an object of strings"),
  accepts: list(choice(["json", "query"]), [["json"]]),
  scopeSeparator: choice([","]),
  hiddenScope: text(["none"]),
  members,
  ifPresent: record(members, { refresh_token: { refresh_expires_in: 1800 } }, "an object of objects"),
  ifAbsent: record(members, { refresh_token: { expires_in: null } }, "an object of objects"),
  items: members,
  headers: record(text(["{$date}"]), { date: "{$date}" }, "an object of strings"),
  format: choice(["form"]),
  cors: flag(),
  errors,
};

const endpoint = object<EndpointShape>("EndpointShape", endpointFields, { format: "form" });

/** Describes {@link ProviderShapes}. */
export const providerShapesField = object<ProviderShapes>("ProviderShapes", {
  endpoints: record(endpoint, { token_endpoint: { format: "form" } }, "an object of objects"),
  metadata: texts(["issuer", "token_endpoint"]),
  callback: members,
  idToken: byScope,
  accessToken: byScope,
  userinfo: byScope,
}, { callback: { session_state: "{$uuid}" } });
