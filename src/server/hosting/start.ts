/** GET /start of the whole server: some clients must push or sign their requests. */

import { startHandlers } from "../../core/demo_flow.ts";
import { developerPagesOf } from "../app.ts";

export const start = startHandlers(async (context, client, request) =>
  await (await developerPagesOf(context).demoSteps?.())?.prepare(context, client, request) ?? request
);
