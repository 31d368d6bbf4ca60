/** The description of the algorithm of a JWT that the server signs. */

import { type SigningAlgorithm, signingAlgorithms } from "../../core/keys/signing_algorithm.ts";
import { choice, type Field } from "../../core/field.ts";

/** Describes the algorithm of a JWT that the server signs with a key of its own. */
export const signingAlgorithmField: Field<SigningAlgorithm> = { ...choice(signingAlgorithms), hint: secretHint };

function secretHint(value: unknown): string | undefined {
  return /^HS\d/.test(String(value))
    ? 'Write it like "RS256", and set the same algorithm in the client: the server signs with its own keys, never with the ' +
      "secret of a client."
    : undefined;
}
