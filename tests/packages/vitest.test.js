import { test } from "vitest";
import { checks } from "./sample.js";

for (const [name, check] of Object.entries(checks)) test(name, check);
