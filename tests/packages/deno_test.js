import { checks } from "./sample.js";

for (const [name, check] of Object.entries(checks)) Deno.test(name, check);
