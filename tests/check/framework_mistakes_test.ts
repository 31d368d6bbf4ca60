/** Each mistake of a framework is found by the attack or practice of its row, and the correct copy is not. */

import { assert, assertEquals } from "@std/assert";
import { test } from "node:test";
import { sample } from "../sample.ts";
import { accusations } from "./accusations.ts";
import { type FrameworkMistake, frameworkMistakes } from "./framework_mistakes.ts";
import { checkMistake } from "./framework_mistakes_driver.ts";

/** Attacks in which the practices of a client show. */
const ordinary = ["response/extra-parameters", "token/type-case"];

/** What a check needs to find a mistake. */
const neededFor = ({ foundBy }: FrameworkMistake) =>
  /^(?:practice|ability)\//.test(foundBy) ? [...ordinary, "practices"] : [foundBy];

for (const mistake of sample(frameworkMistakes, 8, 0)) {
  const { name, foundBy } = mistake;
  test(`a client that ${name} is found by ${foundBy}`, async () => {
    const report = await checkMistake(mistake, { only: neededFor(mistake) });
    assert(report.control.passed, String(report));
    assert(accusations(report).includes(foundBy), String(report));
  });
}

/** The mistakes, by the client that makes them. */
const copies = Map.groupBy(
  frameworkMistakes,
  ({ styles, client, pages, device, resource }) =>
    styles ?? client ?? (pages && "application") ?? (device && "device") ?? (resource && "resource") ?? "client",
);

for (const mistakes of sample([...copies.values()], 8, 1)) {
  const [first] = mistakes as [FrameworkMistake];
  const others = mistakes.length > 1 ? `, and ${mistakes.length - 1} more` : "";
  test(`the correct copy is not accused: a client that ${first.name}${others}`, async () => {
    const correct = await checkMistake(first, { only: [...new Set(mistakes.flatMap(neededFor))] }, true);
    assert(correct.control.passed, String(correct));
    const accused = accusations(correct).filter((id) => mistakes.some(({ foundBy }) => foundBy === id));
    assertEquals(accused, [], String(correct));
  });
}

test("every mistake has a name and a client of its own", () => {
  assertEquals(new Set(frameworkMistakes.map(({ name }) => name)).size, frameworkMistakes.length);
  for (const { name, change, pages, device, resource, styles } of frameworkMistakes) {
    assertEquals([change, pages, device, resource, styles].filter((client) => client !== undefined).length, 1, name);
  }
});
