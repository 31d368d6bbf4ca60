import { test, vi } from "vitest";
import { checks } from "./sample.js";

// Modules that the package loads at the first use, it loads while the timers are fakes.
test("with fake timers: a real port", async () => {
  vi.useFakeTimers();
  try {
    await checks["a real port, and a connection that breaks"]();
  } finally {
    vi.useRealTimers();
  }
});

for (const [name, check] of Object.entries(checks)) test(name, check);
