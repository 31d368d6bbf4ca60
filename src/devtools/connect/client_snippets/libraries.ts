/** The libraries that the settings of a client are offered for. */

import { javascriptLibraries } from "./javascript.ts";
import { otherLibraries } from "./languages.ts";
import type { ClientLibrary } from "./library.ts";

/** In the order of pages and of the help of `latchkey init`. */
export const libraries: readonly ClientLibrary[] = [...javascriptLibraries, ...otherLibraries];
