/** The house's own drawing of every page, rendered on the server by Preact. */

import type { VNode } from "preact";
import { render } from "preact-render-to-string";
import type { Pages } from "../endpoints/pages.ts";
import { assets } from "./assets.gen.ts";
import { Authorized } from "./authorized.tsx";
import { Home } from "./home.tsx";
import { Refused } from "./refused.tsx";

function toDocument(page: VNode): string {
  return `<!DOCTYPE html>\n${render(page)}\n`;
}

/** Props in, a whole HTML document out. Everything that came with a request is escaped; nothing of it becomes a link. */
export const pages: Pages = {
  home: (props) => toDocument(Home(props)),
  authorized: (props) => toDocument(Authorized(props)),
  refused: (props) => toDocument(Refused(props)),
  assets,
};
