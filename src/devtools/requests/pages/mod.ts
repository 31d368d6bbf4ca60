/** The pages of the inspector, rendered on the server by Preact; loaded at the first visit. */

import { render } from "preact-render-to-string";
import { assets } from "./assets.gen.ts";
import { Edit } from "./edit.tsx";
import { Flow } from "./flow.tsx";
import { List } from "./list.tsx";
import { Tokens } from "./tokens.tsx";
import type { FlowPages } from "./props.ts";

/** Renders the pages. Request values are escaped; external links lead only to specifications. */
export const flowPages: FlowPages = {
  list: (props) => `<!DOCTYPE html>\n${render(List(props))}\n`,
  flow: (props) => `<!DOCTYPE html>\n${render(Flow(props))}\n`,
  edit: (props) => `<!DOCTYPE html>\n${render(Edit(props))}\n`,
  tokens: (props) => `<!DOCTYPE html>\n${render(Tokens(props))}\n`,
  assets,
};
