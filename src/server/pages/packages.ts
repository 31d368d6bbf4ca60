/** The packages that render pages, loaded a second after the start of the program. */

import "preact";
import "preact-render-to-string";
