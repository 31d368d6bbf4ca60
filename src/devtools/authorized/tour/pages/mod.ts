/** The pages of the tour, rendered on the server by Preact; loaded at the first visit. */

import type { VNode } from "preact";
import { render } from "preact-render-to-string";
import { Mistake, Mistakes, Rejection } from "./mistakes.tsx";
import type { TourProps } from "./props.ts";
import { Check, Exchange, Failed, NoClient, Request, Response, Tokens, Userinfo } from "./steps.tsx";

/** Renders a page of the tour as an HTML document. Request values are escaped. */
export function renderTour(site: TourProps): string {
  return `<!DOCTYPE html>\n${render(draw(site))}\n`;
}

function draw(site: TourProps): VNode {
  const { page } = site;
  switch (page.step) {
    case "request":
      return Request({ site, ...page });
    case "response":
      return Response({ site, ...page });
    case "check":
      return Check({ site, ...page });
    case "exchange":
      return Exchange({ site, ...page });
    case "tokens":
      return Tokens({ site, ...page });
    case "userinfo":
      return Userinfo({ site, ...page });
    case "mistakes":
      return Mistakes({ site, ...page });
    case "mistake":
      return Mistake({ site, ...page });
    case "rejection":
      return Rejection({ site, ...page });
    case "failed":
      return Failed({ site, ...page });
    case "no_client":
      return NoClient({ site, ...page });
  }
}
