/** The products of the program: a line for each. */

import { fromHost } from "../../server/config/server_names.ts";
import { withDefaultUser, withMcpServer, withRequestMappings, withSigningKey } from "./configured.ts";
import { issuersByPath } from "./issuers_by_path.ts";
import { withChangedFile, withHealthCheck, withLimits, withLog } from "./operating.ts";
import { withModules } from "./modules.ts";
import { addProducts, type Product } from "./program.ts";
import {
  withCheck,
  withCheckPages,
  withControl,
  withDisabledPages,
  withFaults,
  withInspector,
  withPersonas,
  withScenarios,
} from "./tools.ts";

/** The products of each issuer. The plugins of the first one are the outermost; it starts first. */
const issuerProducts: readonly Product[] = [
  withInspector,
  withCheckPages,
  withControl,
  withFaults,
  withPersonas,
  withRequestMappings,
  withDisabledPages,
  withSigningKey,
  withDefaultUser,
  withScenarios,
];

/** The issuers at paths: each has the settings and the products of the first one, and mappings of its own. */
const withIssuersByPath: Product = (program) => {
  const { config: { issuersByPath: paths }, settings, healthCheck, plugins, starts } = program;
  if (paths === undefined) return program;
  const { issuer, lifetimes, ...others } = settings;
  const issuers = issuersByPath(async (id) => {
    const { requestMappings, tokenExpiry: seconds } = paths.find(id);
    const own = { ...program, requestMappings, check: undefined, plugins: [healthCheck!], starts: [] };
    const { plugins, starts } = await addProducts(own, issuerProducts);
    return {
      settings: {
        ...others,
        ...issuer === fromHost && { issuer },
        lifetimes: { ...lifetimes, ...seconds !== undefined && { access_token: seconds, id_token: seconds } },
      },
      plugins,
      start: async (app) => {
        for (const start of starts) await start(app);
      },
    };
  });
  const addConfigured = async () => {
    for (const id of paths.ids) await issuers.add(id);
  };
  return { ...program, plugins: [issuers, ...plugins], starts: [...starts, addConfigured] };
};

export const products: readonly Product[] = [
  withModules,
  withLimits,
  withCheck,
  withLog,
  withHealthCheck,
  withMcpServer,
  ...issuerProducts,
  withChangedFile,
  withIssuersByPath,
];
