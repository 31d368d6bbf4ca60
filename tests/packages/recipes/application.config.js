/** The configuration of Playwright for an application of the recipes, with the Chromium of this machine. */

import settings from "./latchkey.json" with { type: "json" };

const baseURL = new URL(settings.clients[0].redirect_uris[0]).origin;
const launchOptions = { executablePath: process.env.LATCHKEY_CHROMIUM, args: ["--no-sandbox"] };

/** The server beside the application, which `command` starts. */
export function forApplication(command) {
  return {
    reporter: "line",
    // The defaults are short for a machine with other work, and for `next dev`, which compiles each page at its first
    // visit.
    ...{ timeout: 120_000, expect: { timeout: 100_000 } },
    use: { baseURL, launchOptions },
    webServer: [
      { command: "npx latchkey --config latchkey.json --control on", url: `http://localhost:${settings.port}` },
      { command: command.replace("PORT", new URL(baseURL).port), url: baseURL },
    ].map((server) => ({ ...server, timeout: 120_000 })),
  };
}
