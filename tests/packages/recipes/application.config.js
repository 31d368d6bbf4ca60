/** The configuration of Playwright for an application of the recipes, with the Chromium of this machine. */

import settings from "./latchkey.json" with { type: "json" };

const baseURL = new URL(settings.clients[0].redirect_uris[0]).origin;
const launchOptions = { executablePath: process.env.LATCHKEY_CHROMIUM, args: ["--no-sandbox"] };

/** The server beside the application, which `command` starts. */
export function forApplication(command) {
  return {
    reporter: "line",
    use: { baseURL, launchOptions },
    webServer: [
      { command: "npx latchkey --config latchkey.json --control on", url: `http://localhost:${settings.port}` },
      { command: command.replace("PORT", new URL(baseURL).port), url: baseURL, timeout: 120_000 },
    ],
  };
}
