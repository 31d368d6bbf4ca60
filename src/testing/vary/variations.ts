/** THE list of variations. To add one, add it to the file of its kind; its tests and its documentation follow. */

import { callbackVariations } from "./callback_variations.ts";
import { claimVariations } from "./claim_variations.ts";
import { documentVariations } from "./document_variations.ts";
import { jsonVariations } from "./json_variations.ts";
import { tokenVariations } from "./token_variations.ts";
import type { Variation } from "./variation.ts";

/** Every variation. Of two that apply to one response the first one is outside: text comes before members. */
export const variations: readonly Variation[] = [
  ...jsonVariations,
  ...documentVariations,
  ...callbackVariations,
  ...tokenVariations,
  ...claimVariations,
];
