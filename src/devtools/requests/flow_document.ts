/** A flow as one HTML file, for a report that is read without the server. */

import type { App } from "../../server/app.ts";
import { assets } from "../../server/pages/assets.gen.ts";
import { renderStandalone } from "../../server/pages/render_standalone.ts";
import { withVisibleTexts } from "../../server/explain/visible_text.ts";
import type { Flow } from "../../recorder/exchange.ts";
import { assets as ownAssets } from "../assets.gen.ts";
import { describeFlow, findCheckOrder } from "./flow.ts";
import { FlowDocument } from "./pages/flow.tsx";

/** The page of the flow, complete without a server. Secrets are hidden. */
export async function formatFlowDocument(app: App, flow: Flow): Promise<string> {
  const { server } = app;
  const described = await describeFlow(server, flow, { count: Infinity }, {
    secrets: false,
    now: server.now(),
    findHelp: () => ({}),
    checkOrder: (exchange) => findCheckOrder(app, exchange),
    canCheck: false,
  });
  const props = { ...described, issuer: server.issuer, base: "", secrets: "never" as const, csrfToken: "" };
  return await renderStandalone(
    FlowDocument,
    withVisibleTexts(props),
    assets["style.css"]!.body + ownAssets["flow.css"]!.body,
  );
}
