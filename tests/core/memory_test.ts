/** The memory store sits the exam. */

import { memoryStore } from "../../src/core/store/memory.ts";
import { storeConformance } from "./store_exam.ts";

storeConformance("memory", () => Promise.resolve(memoryStore()));
