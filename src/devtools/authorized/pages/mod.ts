/** The steps after `/authorized`, rendered on the server by Preact; loaded at the first visit. */

import { render } from "preact-render-to-string";
import { StepPage, type StepProps } from "./step_page.tsx";

export { nextSteps } from "./step_page.tsx";

/** Renders the page of a step as an HTML document. Request values are escaped. */
export function renderStep(props: StepProps): string {
  return `<!DOCTYPE html>\n${render(StepPage(props))}\n`;
}
