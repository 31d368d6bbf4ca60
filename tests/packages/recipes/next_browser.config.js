import { forApplication } from "./application.config.js";

export default forApplication("NEXT_TELEMETRY_DISABLED=1 npx next dev --port PORT");
