/** Variations of JSON as text, and of its media type. They come before variations of members, which write new text. */

import type { HttpResponse } from "../../core/http/message.ts";
import type { Fault, FaultContext } from "../faults/fault.ts";
import { editResponse, hasBody, isJson, readBodyText, withBody } from "../faults/response_body.ts";
import { jsonEndpoints, type Variation } from "./variation.ts";

/** A fault that edits each response with JSON, errors included. */
export function editJson(
  edit: (text: string, context: FaultContext) => string,
  appliesTo: (response: HttpResponse | Response) => boolean = () => true,
  endpoints: readonly string[] = jsonEndpoints,
): Fault {
  const fault = editResponse(
    "edited JSON",
    "got a response with JSON",
    (response) => hasBody(response) && isJson(response) && appliesTo(response),
    async (response, context) => withBody(response, edit(await readBodyText(response), context)),
  );
  return { ...fault, endpoints };
}

/** The members of an object, and of the objects in it, in another order. */
function reorder(value: unknown, shuffle: <T>(items: readonly T[]) => T[]): unknown {
  if (Array.isArray(value)) return value.map((item) => reorder(item, shuffle));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(shuffle(Object.entries(value)).map(([name, inner]) => [name, reorder(inner, shuffle)]));
}

/** The endpoints with the errors of the token endpoint. */
const errorEndpoints = ["token", "par", "device_authorization", "backchannel_authentication", "introspect", "revoke"];

/** The strings and what lies between them, in JSON. */
const jsonTokens = /"(?:[^"\\]|\\.)*"|[{}[\],:]/g;

export const jsonVariations: readonly Variation[] = [
  {
    id: "charset",
    needs: "Content-Type to be application/json without a parameter",
    allowed: "Parameters may follow the media type, with optional white space around the semicolon.",
    source: "RFC 9110 §8.3.1",
    fault: (rollOf) => ({
      ...editResponse(
        "charset",
        "got a response with JSON",
        (response) => hasBody(response) && isJson(response),
        async (response, context) =>
          withBody(response, await readBodyText(response), {
            "content-type": rollOf(context).pick([
              "application/json;charset=UTF-8",
              "application/json; charset=utf-8",
              'application/json ; charset="utf-8"',
            ]),
          }),
      ),
      endpoints: jsonEndpoints,
    }),
  },
  {
    id: "white-space",
    needs: "JSON without white space",
    allowed: "Insignificant white space may be before and after each structural character of JSON.",
    source: "RFC 8259 §2",
    fault: (rollOf) =>
      editJson((text, context) => {
        const roll = rollOf(context);
        const space = () => roll.pick(["", " ", "\n", "\r\n\t", "    "]);
        return space() + text.replace(jsonTokens, (token) => token.length > 1 ? token : space() + token + space()) +
          space();
      }),
  },
  {
    id: "string-escapes",
    needs: "JSON strings without escapes",
    allowed: "Any character of a JSON string may be escaped.",
    source: "RFC 8259 §7",
    fault: (rollOf) =>
      editJson((text, context) => {
        const roll = rollOf(context);
        const escape = (character: string) => {
          if (roll.whole(4) > 0) return character;
          return character === "/" ? "\\/" : `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
        };
        // A string with an escape of its own stays.
        return text.replace(
          jsonTokens,
          (token) =>
            token.includes("\\") || token.length < 2 ? token : `"${token.slice(1, -1).replace(/[ -\uD7FF]/g, escape)}"`,
        );
      }),
  },
  {
    id: "member-order",
    needs: "the members of JSON objects in one order",
    allowed: "The order of the parameters does not matter and can vary.",
    source: "RFC 6749 §5.1; RFC 8259 §1",
    fault: (rollOf) => editJson((text, context) => JSON.stringify(reorder(JSON.parse(text), rollOf(context).shuffle))),
  },
  {
    id: "unknown-members",
    needs: "responses without members that it does not know",
    allowed: "A client must ignore unrecognized value names in the response.",
    source: "RFC 6749 §5.1",
    fault: (rollOf) =>
      editJson(
        (text, context) => JSON.stringify(withUnknown(JSON.parse(text), rollOf(context).whole(unknownValues.length))),
        ({ status }) => status < 300,
        ["token"],
      ),
  },
  {
    id: "error-unknown-members",
    needs: "errors without members that it does not know",
    allowed: "Extensions may define further response parameters of the token endpoint.",
    source: "RFC 6749 §8.2",
    fault: (rollOf) =>
      editJson(
        (text, context) => JSON.stringify(withUnknown(JSON.parse(text), rollOf(context).whole(unknownValues.length))),
        ({ status }) => status >= 400,
        errorEndpoints,
      ),
  },
  {
    id: "error-description-absent",
    needs: "error_description in errors",
    allowed: "error_description and error_uri are optional.",
    source: "RFC 6749 §5.2",
    fault: () =>
      editJson((text) => {
        const { error_description: _, error_uri: __, ...members } = JSON.parse(text);
        return JSON.stringify(members);
      }, ({ status }) =>
        status >= 400, errorEndpoints),
  },
];

/** Values of the member that no client knows, of each JSON type. */
const unknownValues: readonly unknown[] = ["text", 17, true, null, ["a", 1], { "access_token": "not-a-token" }];

/** The members with one more, whose name parameters of OAuth may have (RFC 6749 §8.2). */
export function withUnknown(
  members: Readonly<Record<string, unknown>>,
  which: number,
): Readonly<Record<string, unknown>> {
  return { ...members, example_unknown: unknownValues[which] };
}
