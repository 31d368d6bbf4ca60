/** The servers that some tests need, by the environment variable that names one. Without it these tests are skipped. */

const testServers = {
  LATCHKEY_TEST_POSTGRES: "a PostgreSQL server",
  LATCHKEY_TEST_REDIS: "a Redis server",
} as const;

/** For each server that the environment does not name, a line that says which tests are skipped. */
export function formatSkippedTests(): readonly string[] {
  return Object.entries(testServers).filter(([variable]) => !Deno.env.get(variable)).map(([variable, server]) =>
    `SKIPPED: every test that needs ${server}, because ${variable} names none.`
  );
}
