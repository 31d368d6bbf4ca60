/** The configuration of the recipe, with the Chromium of this machine. */

import config from "./playwright.config.js";

const launchOptions = { executablePath: process.env.LATCHKEY_CHROMIUM, args: ["--no-sandbox"] };

export default {
  ...config,
  reporter: "line",
  // The defaults are short for a machine with other work.
  ...{ timeout: 120_000, expect: { timeout: 100_000 } },
  use: { ...config.use, launchOptions },
  webServer: config.webServer.map((server) => ({ ...server, timeout: 120_000 })),
};
