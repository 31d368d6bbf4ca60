/** Verbs of faults: responses that a correct server never sends. */

import { anyValue, flag, list, object, record, text, whole } from "../../../core/policy/field.ts";
import type { FaultRequest, ListedFault } from "../../faults/fault_list.ts";
import { jsonPatternFields } from "../../faults/json_pattern.ts";
import { loadAllFaults } from "../../faults/all_faults.ts";
import { notFound } from "../control_error.ts";
import { defineVerb, noInput } from "../verb.ts";

const faultRequest = object<FaultRequest>(
  "FaultRequest",
  {
    fault: text(["error", "id-token/exp-past", "status"]),
    parameters: record(anyValue, { code: "invalid_grant" }, "an object of parameters"),
    endpoint: text(["token"]),
    ...jsonPatternFields,
    times: whole(2, { min: 1, default: 1, expected: "a whole number of at least 1" }),
    always: flag(),
    for: whole(30, { min: 1, expected: "a whole number of seconds of at least 1" }),
  },
  { fault: "error", parameters: { code: "invalid_grant" }, endpoint: "token", client: "web" },
  {
    required: ["fault"],
  },
);

const listed: ListedFault = {
  id: "1",
  description: "error at token, for the next request of web",
  fired: 0,
  waits: false,
  finished: false,
};

const listedFault = object<ListedFault>("ListedFault", {
  id: text(["1"]),
  description: text([listed.description]),
  fired: whole(0, { expected: "a whole number" }),
  waits: flag(),
  finished: flag(),
}, listed);

/** The fault rules of the server. */
interface FaultRules {
  /** The rules that have ids, oldest first. */
  readonly faults: readonly ListedFault[];
}

/** The faults of this server. */
interface FaultDefinitions {
  /** Each fault: id, title, endpoints, parameters, and what a correct client does. */
  readonly definitions: readonly Readonly<Record<string, unknown>>[];
}

/** A rule of the list. */
interface FaultId {
  /** The id that `faults.add` returned. */
  readonly id: string;
}

const idField = object<FaultId>("FaultId", { id: text(["1"]) }, { id: "1" }, { required: ["id"] });

/** @throws {ControlError} 404 if there was no such rule. */
function assertFound(found: boolean, id: string): void {
  if (!found) throw notFound("No fault rule has this id.", "id", "the id of a fault rule", id);
}

/** Faults and plain responses for the next requests of a client. */
export const faultVerbs = [
  defineVerb({
    name: "faults.add",
    summary: "Queues a fault or a plain response (`status`) for the next requests that match.",
    input: faultRequest,
    result: listedFault,
    run: async ({ control: { faults } }, request) => faults.add(request, await loadAllFaults()),
  }),
  defineVerb({
    name: "faults.all",
    summary: "Lists the fault rules and how often each has fired.",
    reads: true,
    ...noInput,
    result: object<FaultRules>("FaultRules", { faults: list(listedFault, [[listed]]) }, { faults: [listed] }),
    returns: "faults",
    run: ({ control: { faults } }) => ({ faults: faults.all() }),
  }),
  defineVerb({
    name: "faults.remove",
    summary: "Removes a fault rule and ends the requests that wait for it.",
    input: idField,
    args: ["id"],
    run: ({ control: { faults } }, { id }) => assertFound(faults.remove(id), id),
  }),
  defineVerb({
    name: "faults.release",
    summary: "Releases the requests that wait for the fault `hold`, and removes its rule.",
    input: idField,
    args: ["id"],
    run: ({ control: { faults } }, { id }) => assertFound(faults.release(id), id),
  }),
  defineVerb({
    name: "faults.definitions",
    summary:
      "Lists every fault and every attack that changes a response, its parameters, and what a correct client does.",
    reads: true,
    ...noInput,
    result: object<FaultDefinitions>("FaultDefinitions", {
      definitions: list(record(anyValue, { id: "hang" }, "an object"), [[{ id: "hang" }]]),
    }, { definitions: [{ id: "hang" }] }),
    returns: "definitions",
    run: async () => ({
      definitions: (await loadAllFaults()).map(({ create: _, ...definition }) =>
        definition as object as Record<string, unknown>
      ),
    }),
  }),
];
