/** Node and Bun as npm packages, in the versions that tests run on. `.ci/run` installs the same. */

export const runtimePackages = { node: "node@24.21.0", bun: "bun@1.4.4" } as const;
