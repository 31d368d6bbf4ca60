/** Prints the public names of a package from the JSON output of `deno doc`. */

import { execFile } from "node:child_process";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";

/** A type. Its `value` depends on its `kind`. */
interface Type {
  readonly kind: string;
  // deno-lint-ignore no-explicit-any
  readonly value: any;
}

interface Param {
  readonly kind: string;
  readonly name?: string;
  readonly optional?: boolean;
  readonly tsType?: Type;
  /** Of a parameter with a default. */
  readonly left?: Param;
  /** Of a rest parameter. */
  readonly arg?: Param;
}

interface TypeParam {
  readonly name: string;
  readonly constraint?: Type;
  readonly default?: Type;
}

interface Signature {
  readonly typeParams?: readonly TypeParam[];
  readonly params?: readonly Param[];
  /** The type of a property; or the result in a function type. */
  readonly tsType?: Type;
  readonly returnType?: Type;
}

interface Member extends Signature {
  readonly name: string;
  readonly kind?: string;
  readonly optional?: boolean;
  readonly accessibility?: string;
  readonly isStatic?: boolean;
  /** Of a method of a class. */
  readonly functionDef?: Signature;
}

/** Members of an interface, a class or a type literal. */
interface Members {
  readonly constructors?: readonly Signature[];
  readonly callSignatures?: readonly Signature[];
  readonly indexSignatures?: readonly Signature[];
  readonly properties?: readonly Member[];
  readonly methods?: readonly Member[];
}

/** Content of a declaration. */
interface Definition extends Signature, Members {
  /** `const` or `let`. */
  readonly kind?: string;
  readonly extends?: string | readonly Type[];
  /** Of a namespace. */
  readonly elements?: readonly DocumentedSymbol[];
  /** Of a name that another module declares. */
  readonly target?: Location;
}

interface Location {
  readonly filename: string;
  readonly line: number;
}

/** Where a type that a signature names is declared: in the same module, or in one that it imports. */
interface Resolution {
  readonly kind?: string;
  readonly specifier?: string;
  readonly name?: string;
}

interface Declaration {
  readonly kind: string;
  readonly declarationKind: string;
  readonly location: Location;
  readonly def?: Definition;
}

interface DocumentedSymbol {
  readonly name: string;
  readonly declarations: readonly Declaration[];
}

/**
 * The public names of these entries. Each has a line `ENTRY NAME: SIGNATURE`, and an indented line for each member.
 * Names are sorted. A name that several entries export is printed for the first one, to which the others refer.
 * `internal` precedes options and settings that no entry exports but a public signature names: users write their
 * members.
 */
export async function printApi(entries: Readonly<Record<string, string>>): Promise<string> {
  const modules = await readModules(Object.values(entries).map((path) => pathToFileURL(path).href));
  const printed = new Map<string, string>();
  const references = new Set<string>();
  const sections = Object.entries(entries).map(([entry, path]) =>
    sortSymbols(modules[pathToFileURL(path).href]!.symbols).flatMap((symbol) => {
      const declaredAt = locate(symbol);
      const first = printed.get(declaredAt);
      printed.set(declaredAt, first ?? entry);
      for (const reference of symbol.declarations.flatMap(findReferences)) references.add(reference);
      const lines = first === undefined ? printSymbol(symbol) : [`${symbol.name}: as in ${first}`];
      return lines.map((line) => /^ /.test(line) ? line : `${entry} ${line}`);
    }).join("\n")
  );
  const files = new Set([...references].map((reference) => reference.slice(reference.indexOf(" ") + 1)));
  const internal = Object.entries(await readModules([...files])).flatMap(([file, { symbols }]) =>
    symbols.filter((symbol) =>
      /(?:Options|Settings)$/.test(symbol.name) && references.has(`${symbol.name} ${file}`) &&
      !printed.has(locate(symbol))
    )
  );
  const lines = sortSymbols(internal).flatMap(printSymbol);
  return `${[...sections, lines.map((line) => /^ /.test(line) ? line : `internal ${line}`).join("\n")].join("\n\n")}\n`;
}

async function readModules(
  urls: readonly string[],
): Promise<Readonly<Record<string, { readonly symbols: readonly DocumentedSymbol[] }>>> {
  const { stdout } = await promisify(execFile)(process.execPath, ["doc", "--json", ...urls], { maxBuffer: 1e8 });
  return JSON.parse(stdout).nodes;
}

function sortSymbols(symbols: readonly DocumentedSymbol[]): DocumentedSymbol[] {
  return symbols.filter(isExported).toSorted((a, b) => a.name < b.name ? -1 : 1);
}

function locate({ name, declarations }: DocumentedSymbol): string {
  const { location, def } = declarations[0]!;
  const { filename, line } = def?.target ?? location;
  return `${name} ${filename}:${line}`;
}

/** The types of the project that a declaration names, each as `NAME URL`. */
function findReferences({ location: { filename }, def }: Declaration): string[] {
  const { elements = [], ...own } = def ?? {};
  const found = elements.flatMap(({ declarations }) => declarations.flatMap(findReferences));
  JSON.stringify(own, (_key, node) => {
    if (node?.kind !== "typeRef") return node;
    const { typeName, resolution } = node.value as { typeName: string; resolution?: Resolution };
    const { kind, name = typeName, specifier = "" } = resolution ?? {};
    if (kind === "local") found.push(`${typeName} ${filename}`);
    if (kind === "import" && specifier.startsWith(".")) found.push(`${name} ${new URL(specifier, filename)}`);
    return node;
  });
  return found;
}

/** Lines that only one of two texts has, after `-` and `+`, sorted. */
export function findDifferences(before: string, after: string): string[] {
  const [old, current] = [labelMembers(before), labelMembers(after)];
  return [
    ...old.filter((line) => !current.includes(line)).map((line) => `- ${line}`),
    ...current.filter((line) => !old.includes(line)).map((line) => `+ ${line}`),
  ].sort((a, b) => a.slice(2) < b.slice(2) ? -1 : 1);
}

/** Lines with the name before each of its members. */
function labelMembers(text: string): string[] {
  let name = "";
  return text.split("\n").filter(Boolean).map((line) => {
    if (line.startsWith(" ")) return `${name}.${line.trimStart()}`;
    name = line.slice(0, line.indexOf(": "));
    return line;
  });
}

function isExported({ declarations }: DocumentedSymbol): boolean {
  return declarations.some(({ declarationKind }) => declarationKind === "export");
}

function printSymbol({ name, declarations }: DocumentedSymbol): string[] {
  return declarations.flatMap(({ kind, def = {} }) => {
    const params = printTypeParams(def.typeParams);
    if (kind === "function") return [`${name}: function ${printCall(def)}`];
    if (kind === "typeAlias") {
      const [first, ...others] = printAlternatives(def.tsType!);
      return [`${name}: type${params} ${first}`, ...others.map((line) => `  | ${line}`)];
    }
    if (kind === "variable" && def.tsType?.kind !== "typeLiteral") {
      return [`${name}: ${def.kind} ${printType(def.tsType)}`];
    }
    const bases = typeof def.extends === "string" ? def.extends : def.extends?.map(printType).join(", ");
    const members = [
      ...printMembers(kind === "variable" ? def.tsType!.value : def),
      ...def.elements?.filter(isExported).flatMap(printSymbol) ?? [],
    ];
    const heading = `${name}: ${def.kind ?? kind}${params}${bases ? ` extends ${bases}` : ""}`;
    return [heading, ...members.map((line) => `  ${line}`)];
  });
}

/** A type, or of a long union each alternative. */
function printAlternatives(type: Type): string[] {
  const text = printType(type);
  return type.kind === "union" && text.length > 100 ? type.value.map(printType) : [text];
}

function printMembers(members: Members): string[] {
  const { constructors = [], callSignatures = [], indexSignatures = [], properties = [], methods = [] } = members;
  return [
    ...constructors.map((one) => `new${printCall(one)}`),
    ...callSignatures.map((one) => printCall(one)),
    ...indexSignatures.map(({ params, tsType }) => `[${params!.map(printParam).join(", ")}]: ${printType(tsType)}`),
    ...[...properties, ...methods].filter(({ accessibility }) => accessibility !== "private").map(printMember),
  ];
}

function printMember({ name, kind, optional, isStatic, tsType, functionDef, ...signature }: Member): string {
  const label = `${isStatic ? "static " : ""}${name}${optional ? "?" : ""}`;
  if (kind === "getter") return `${label}: ${printType((functionDef ?? signature).returnType)}`;
  return kind === undefined ? `${label}: ${printType(tsType)}` : `${label}${printCall(functionDef ?? signature)}`;
}

/** `(name: string) => void`, or with a colon as of a method. */
function printCall({ typeParams, params = [], returnType, tsType }: Signature, arrow = ": "): string {
  const result = returnType ?? tsType;
  const end = result === undefined ? "" : `${arrow}${printType(result)}`;
  return `${printTypeParams(typeParams)}(${params.map(printParam).join(", ")})${end}`;
}

function printParam({ kind, name = "{}", optional, tsType, left, arg }: Param): string {
  if (kind === "rest") return `...${printParam({ ...arg!, tsType: tsType ?? arg!.tsType! })}`;
  if (kind === "assign") return printParam({ ...left!, optional: true });
  return `${name}${optional ? "?" : ""}${tsType === undefined ? "" : `: ${printType(tsType)}`}`;
}

function printTypeParams(params: readonly TypeParam[] = []): string {
  return params.length === 0 ? "" : `<${params.map(printTypeParam).join(", ")}>`;
}

function printTypeParam({ name, constraint, default: initial }: TypeParam): string {
  const bound = constraint === undefined ? "" : ` extends ${printType(constraint)}`;
  return `${name}${bound}${initial === undefined ? "" : ` = ${printType(initial)}`}`;
}

/** Prints a type without `readonly`, which says nothing that a user would have to follow. */
function printType(type: Type | undefined): string {
  if (type === undefined) return "unknown";
  const { kind, value } = type;
  const list = (separator: string) => value.map(printType).join(separator);
  switch (kind) {
    case "keyword":
    case "this":
      return value === true ? "this" : String(value);
    case "literal":
      return value.kind === "template"
        ? `\`${
          value.tsTypes.map((one: Type) => one.kind === "literal" ? one.value.string : `\${${printType(one)}}`).join("")
        }\``
        : JSON.stringify(value[value.kind]);
    case "typeRef":
      return value.typeName + (value.typeParams ? `<${value.typeParams.map(printType).join(", ")}>` : "");
    case "union":
      return list(" | ");
    case "intersection":
      return list(" & ");
    case "tuple":
      return `[${list(", ")}]`;
    case "array":
      return `${printType(value)}[]`;
    case "parenthesized": {
      const text = printType(value);
      return value.kind === "typeOperator" ? text : `(${text})`;
    }
    case "optional":
      return `${printType(value)}?`;
    case "rest":
      return `...${printType(value)}`;
    case "typeQuery":
      return `typeof ${value}`;
    case "typeOperator":
      return value.operator === "readonly" ? printType(value.tsType) : `${value.operator} ${printType(value.tsType)}`;
    case "fnOrConstructor":
      return `${value.constructor === true ? "new " : ""}${printCall(value, " => ")}`;
    case "indexedAccess":
      return `${printType(value.objType)}[${printType(value.indexType)}]`;
    case "mapped":
      return `{ [${printTypeParam(value.typeParam).replace(" extends ", " in ")}]: ${printType(value.tsType)} }`;
    case "conditional": {
      const { checkType, extendsType, trueType, falseType } = value;
      const [check, bound, yes, no] = [checkType, extendsType, trueType, falseType].map(printType);
      return `${check} extends ${bound} ? ${yes} : ${no}`;
    }
    case "infer":
      return `infer ${printTypeParam(value.typeParam)}`;
    case "typePredicate":
      return `${value.asserts ? "asserts " : ""}${value.param.name ?? "this"} is ${printType(value.type)}`;
    case "typeLiteral":
      return `{ ${printMembers(value).join("; ")} }`;
    default:
      throw new Error(`deno doc printed a type of an unknown kind: ${kind} ${JSON.stringify(value)}`);
  }
}
