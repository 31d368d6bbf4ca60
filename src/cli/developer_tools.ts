/** The plugins for developers that the program opens by default. */

export { clientCheck } from "../check/client_check.ts";
export { checkPages } from "../check/check_pages.ts";
export { inspector } from "../devtools/inspector.ts";
export { disabledPages } from "../testing/disabled_pages.ts";
export { faultPages } from "../testing/fault_pages/mod.ts";
export { personas } from "../testing/personas.ts";
