/** The packages that render pages, loaded at the start of the program: from source, Deno downloads them when needed. */

import "preact";
import "preact-render-to-string";
