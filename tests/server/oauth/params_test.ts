/**
 * The small laws of parameters: each at most once, an empty one as good as none, and no name special.
 *
 * @extensions all
 */

import { assertEquals, assertThrows } from "@std/assert";
import { test } from "node:test";
import { latchkey } from "../../secret_leak_check.ts";
import type { EndpointDescription } from "../../../src/server/endpoint.ts";
import { OAuthError } from "../../../src/core/rules/errors.ts";
import { endpointRoute } from "../../../src/core/route.ts";
import { paramsFromFields } from "../../../src/core/http/params.ts";
import { reject } from "../../../src/core/rules/reject.ts";

/** What the descriptions of the built-in endpoints say. */
let all: readonly EndpointDescription[] = [];
await latchkey({ plugins: [{ setup: (app) => void (all = app.endpoints) }] });
const { unrepeatable } = endpointRoute(
  { ...all.find(({ name }) => name === "authorize")!, load: () => ({}) },
  all.flatMap(({ metadataName, parameters = [] }) => metadataName === undefined ? [] : parameters),
);

test("[AZ-05] an empty value counts as absent and hides no other value", () => {
  const params = paramsFromFields([["a", ""], ["b", "1"], ["c", ""], ["c", "2"], ["d", " "]]);
  assertEquals(["a", "b", "c", "d", "e"].map((name) => params.get(name)), [undefined, "1", "2", " ", undefined]);
});

test("[AZ-06, AZ-07, TK-04] a parameter sent twice is a repetition, equal and empty values included, in any order", () => {
  for (const values of [["1", "2"], ["2", "1"], ["1", "1"], ["1", ""], ["", "1"], ["", ""], ["1", "2", "3"]]) {
    const fields = [["x", "0"], ...values.map((value) => ["state", value] as const), ["y", "0"]] as const;
    const params = paramsFromFields(fields, unrepeatable);
    assertEquals(["state", "x", "y", "z"].map((name) => params.isRepeated(name)), [true, false, false, false]);
    const rejection = assertThrows(() => params.rejectRepeated((facts) => reject("TK-04", facts)), OAuthError);
    assertEquals([rejection.code, rejection.details.rule], ["invalid_request", "TK-04"]);
    assertEquals(rejection.details.facts?.(), { repeated: "state", times: values.length });
  }
});

test("[AZ-07, TK-04] every parameter defined by a specification is rejected when repeated", () => {
  const names = [
    ...["client_id", "redirect_uri", "response_type", "response_mode", "scope", "state", "nonce", "code_challenge"],
    ...["code_challenge_method", "code_verifier", "code", "grant_type", "client_secret", "client_assertion"],
    ...["client_assertion_type", "request", "request_uri", "prompt", "max_age", "display", "ui_locales", "claims"],
    ...["id_token_hint", "login_hint", "acr_values", "refresh_token"],
  ];
  for (const name of names) {
    const rejection = assertThrows(
      () =>
        paramsFromFields([[name, "1"], [name, "1"]], unrepeatable).rejectRepeated((facts) => reject("AZ-07", facts)),
      OAuthError,
    );
    assertEquals(rejection.message, `${name} was sent more than once`);
    paramsFromFields([[name, "1"]], unrepeatable).rejectRepeated((facts) => reject("AZ-07", facts));
  }
});

test("[AZ-04, AZ-07, HT-19] resource and unknown parameters may be repeated", () => {
  const names = [
    ...["resource", "foo", "", "State", "state ", "\0state", "state[]", "__proto__", "constructor", "toString"],
  ];
  for (const name of names) {
    paramsFromFields([[name, "1"], [name, "2"]], unrepeatable).rejectRepeated((facts) => reject("AZ-07", facts));
  }
});

test("[AZ-23, HT-19] names are case-sensitive, and inherited property names are ordinary names", () => {
  const nothing = paramsFromFields([]);
  for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty", "get", "size", ""]) {
    assertEquals([nothing.get(name), nothing.isRepeated(name)], [undefined, false]);
    assertEquals(paramsFromFields([[name, "1"]]).get(name), "1");
    assertEquals(paramsFromFields([[name, "1"], [name, "1"]]).isRepeated(name), true);
  }
  const params = paramsFromFields([["State", "1"], ["STATE", "2"], ["state\0", "3"]]);
  assertEquals([params.get("state"), params.isRepeated("State")], [undefined, false]);
  assertEquals(({} as Record<string, unknown>)["1"], undefined);
});

test("[AZ-12] values are passed on unchanged", () => {
  for (const value of [" a ", "\0", "\r\n", "é🔑", "\ud800", "%41", "a".repeat(100_000)]) {
    assertEquals(paramsFromFields([["state", value]]).get("state"), value);
  }
});
