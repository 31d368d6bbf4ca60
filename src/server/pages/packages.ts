/** The packages that render pages, loaded at the start of the program. */

import "preact";
import "preact-render-to-string";
