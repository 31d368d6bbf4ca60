import { test } from "bun:test";
import { checks } from "./sample.js";

for (const [name, check] of Object.entries(checks)) test(name, check);
