/** The program itself, for runtimes that cannot run it from source. */

import "../../../src/main.ts";
