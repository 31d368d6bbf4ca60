/** The tools for developers: pages, recorded requests, the check of clients, control and faults. */

import { checkPages } from "../../check/check_pages.ts";
import { clientCheck } from "../../check/client_check.ts";
import { inspector } from "../../devtools/inspector.ts";
import { disabledPages } from "../../testing/disabled_pages.ts";
import { faultPages } from "../../testing/fault_pages/mod.ts";
import { personas } from "../../testing/personas.ts";
import { programCommand } from "../about.ts";
import { addPlugins, type Product } from "./program.ts";

/** Its plugin is outside of the log; its pages are {@link withCheckPages}. */
export const withCheck: Product = (program) => {
  const { openTools, inspectorEnabled, faultsEnabled, isExposed, environment } = program;
  if (!openTools || !inspectorEnabled || !faultsEnabled) return program;
  const check = clientCheck({ exposed: isExposed, program: programCommand(environment, "check") });
  return { ...addPlugins(program, check.plugin), check };
};

export const withCheckPages: Product = (program) =>
  program.check === undefined ? program : addPlugins(program, checkPages(program.check));

export const withInspector: Product = (program) => {
  const { config, inspectorEnabled, requestMappings, readRules } = program;
  if (!inspectorEnabled) return addPlugins(program, inspector({ requests: false, readRules }));
  // Programs and mappings read the record of every request.
  const maxFlowsPerSecond = config.control || requestMappings !== undefined ? Infinity : undefined;
  const pages = inspector({ maxFlowsPerSecond, readRules });
  return { ...addPlugins(program, pages), recorder: pages.recorder };
};

/** Its scenarios begin when the server is complete: {@link withScenarios}. */
export const withControl: Product = async (program) => {
  const { config: { control: isOn, controlSecret: secret, scenarios = [] }, recorder } = program;
  if (!isOn) return program;
  const { programControl, runScenarios } = await import("../../testing/control/program_control.ts");
  const control = programControl({
    ...{ secret, recorder },
    scenarios: scenarios.length === 0 ? undefined : (control) => runScenarios(control, scenarios),
  });
  return { ...addPlugins(program, ...control.plugins), control };
};

export const withScenarios: Product = (program) => {
  const { control, starts } = program;
  return control === undefined ? program : { ...program, starts: [...starts, () => control.start()] };
};

export const withFaults: Product = (program) => {
  const { faultsEnabled, control } = program;
  return faultsEnabled ? addPlugins(program, faultPages({ control: control?.control })) : program;
};

/** The control has personas of its own. */
export const withPersonas: Product = (program) => {
  const { config: { resolved: { policy } }, control, openTools } = program;
  return control === undefined && openTools && policy.login !== "interactive"
    ? addPlugins(program, personas())
    : program;
};

/** Names the flags that switch on the pages that are off. */
export const withDisabledPages: Product = (program) =>
  addPlugins(program, { setup: (app) => void Object.assign(app.disabledPages, disabledPages) });
