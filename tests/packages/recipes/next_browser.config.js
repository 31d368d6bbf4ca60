import { forApplication } from "./application.config.js";

export default {
  ...forApplication("NEXT_TELEMETRY_DISABLED=1 npx next dev --port PORT"),
  // It compiles each page at its first visit.
  ...{ timeout: 120_000, expect: { timeout: 100_000 } },
};
