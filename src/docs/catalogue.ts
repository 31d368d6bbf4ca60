/** The catalogues: faults of the mock, attacks of the check, habits of clients, from their definitions. */

import type { Catalogue, CatalogueItem } from "../ui/docs/props.ts";

/** The catalogues by the first segment of their paths. */
export const catalogues = { attacks: listAttacks, faults: listFaults, habits: listHabits } as const;

/** A parameter of a fault or an attack. */
interface Parameter {
  readonly name: string;
  readonly description: string;
  readonly default?: unknown;
}

async function listFaults(): Promise<Catalogue> {
  const { faultDefinitions } = await import("../testing/faults/mod.ts");
  const items = faultDefinitions.map(({ id, title, endpoints, correctClient, parameters }) => ({
    id,
    title,
    facts: [["A correct client", correctClient], ["Endpoints", endpoints.join(", ")], ...parameterFacts(parameters)],
  }));
  return {
    path: "/faults",
    title: "Faults",
    lead: "The faults that a test injects into responses of the server: as.on(ENDPOINT).once(faults.ID()).",
    groups: group(items, ({ id }) => id.includes(".") ? id.split(".")[0]! : "exchange"),
  };
}

async function listAttacks(): Promise<Catalogue> {
  const { attacks } = await import("../check/attacks/mod.ts");
  const items = attacks.map(({ id, title, correctClient, level, sources, parameters }) => ({
    id,
    title,
    facts: [
      ["A correct client", correctClient],
      ["Level", level],
      ["Sources", sources.join("; ")],
      ...parameterFacts(parameters),
    ],
  }));
  return {
    path: "/attacks",
    title: "Attacks",
    lead:
      "The attacks of the check of a client, each in a login of its own. To run one attack: latchkey check LOGIN_URL --only ID.",
    groups: group(items, ({ id }) => id.split("/")[0]!),
  };
}

async function listHabits(): Promise<Catalogue> {
  const { habitCategories, habits } = await import("../habits/mod.ts");
  const items = habits.map(({ id, title, level, sources, occasion }) => ({
    id,
    title,
    facts: [["Level", level], ["Observed in", occasion], ["Sources", sources.join("; ")]],
  }));
  const categoryOf = ({ id }: { readonly id: string }) =>
    Object.keys(habitCategories).find((name) => habitCategories[name]!.some((habit) => habit.id === id))!;
  return {
    path: "/habits",
    title: "Habits",
    lead:
      "What a good client does in each request. The server reads the habits of a client from its recorded requests.",
    groups: group(items, categoryOf),
  };
}

function parameterFacts(parameters: readonly Parameter[]): string[][] {
  return parameters.map(({ name, description, default: value }) => [
    `Parameter ${name}`,
    value === undefined ? description : `${description} Default: ${JSON.stringify(value)}.`,
  ]);
}

function group(
  items: readonly { readonly id: string; readonly title: string; readonly facts: readonly string[][] }[],
  nameOf: (item: { readonly id: string }) => string,
): Catalogue["groups"] {
  const described = items.map(({ facts, ...item }): CatalogueItem => ({
    ...item,
    facts: facts.filter(([, text]) => text !== "").map(([label, text]) => [label!, text!]),
  }));
  return [...Map.groupBy(described, nameOf)].map(([name, items]) => ({ name, items }));
}
