/** The configuration of the recipe, with the Chromium of this machine. */

import config from "./playwright.config.js";

const launchOptions = { executablePath: process.env.LATCHKEY_CHROMIUM, args: ["--no-sandbox"] };

export default { ...config, reporter: "line", use: { ...config.use, launchOptions } };
