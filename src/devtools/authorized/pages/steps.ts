/** The steps after `/authorized`, rendered on the server by Preact; loaded at the first visit. */

import { render } from "preact-render-to-string";
import { PlaygroundPage, type PlaygroundProps } from "./playground.tsx";

export { nextSteps } from "./playground.tsx";

/** Renders the page of a step as an HTML document. Request values are escaped. */
export function renderStep(props: PlaygroundProps): string {
  return `<!DOCTYPE html>\n${render(PlaygroundPage(props))}\n`;
}
