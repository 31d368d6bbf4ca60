/** The pages of the inspector, rendered on the server by Preact, like all pages; loaded when the first one is asked for. */

import { render } from "preact-render-to-string";
import { assets } from "./assets.gen.ts";
import { Flow } from "./flow.tsx";
import { List } from "./list.tsx";
import type { FlowPages } from "./props.ts";

/** Everything that came with a request is escaped; the only links off this origin lead to specifications. */
export const flowPages: FlowPages = {
  list: (props) => `<!DOCTYPE html>\n${render(List(props))}\n`,
  flow: (props) => `<!DOCTYPE html>\n${render(Flow(props))}\n`,
  assets,
};
