/** @jsxImportSource preact */
/** A screen that asks who the user is, as data: its words, its fields and button, and what stands around them. */

import { h, type InputHTMLAttributes, type VNode } from "preact";
import { Document } from "./document.tsx";
import type { LoginScreen, ProviderPage, ScreenProps } from "./provider_page.ts";

type AttributeName = "aria-label" | "autocomplete" | "class" | "id" | "placeholder";
type Attributes = Partial<Record<AttributeName | `data-${string}`, string>>;

/** A field: its label, and the attributes of its input where they are not those of every field of its kind. */
export interface Field extends Attributes {
  readonly name: string;
  readonly type?: "email" | "password" | "text";
  readonly autofocus?: boolean;
  readonly required?: boolean;
  /** Default: none. */
  readonly label?: string;
  readonly labelAttributes?: Attributes;
  /** The attributes of the element around label and input. Default: the class `field`. */
  readonly box?: Attributes;
  /** What stands before that element. Default: nothing. */
  readonly before?: () => VNode;
  /** Attributes of the input that depend on the screen. Default: none. */
  readonly attributes?: (props: ScreenProps) => Attributes;
  /** Puts elements around the input and the fault below it. Default: none. */
  readonly wrap?: (input: VNode, fault: VNode | undefined, props: ScreenProps) => VNode;
  /** The errors of this field alone, shown below it. Default: the form's error. */
  readonly faults?: { readonly empty?: FaultElement; readonly malformed?: FaultElement };
}

/** The element that shows an error. */
interface FaultElement {
  readonly text: string;
  /** Default: `div`. */
  readonly as?: "div" | "li" | "p" | "span";
  readonly id?: string;
  readonly class?: string;
  /** The elements around it, the outermost first; `div` by default. Default: none. */
  readonly boxes?: readonly (Attributes & { readonly as?: "span" | "ul"; readonly role?: "alert" })[];
}

/** Why the form is shown again, in the words of the provider. */
interface Fault extends Omit<FaultElement, "text"> {
  readonly text: string | ((props: ScreenProps) => string);
  /** For a user who does not exist. Default: `text`. */
  readonly unknown?: string;
  /** For an empty field. Default: `text`. */
  readonly empty?: string;
  /** Where it stands: above the form, first or last in it, or below a field. Default: below the last field. */
  readonly at?: Place;
  /** Whether {@link FaultElement.boxes} are there without a fault, too. Default: false. */
  readonly hasEmptyBoxes?: boolean;
}

type Place = "above" | "top" | "username" | "password" | "bottom";

type FormAttributes = Attributes & { readonly action?: string; readonly name?: string; readonly novalidate?: boolean };

export interface LoginForm extends Omit<LoginScreen, "username" | "password" | "Page"> {
  readonly title: string | ((props: ScreenProps) => string);
  /** Whether its button is no submit button, but submits the form by script. Default: false. */
  readonly hasScript?: boolean;
  /** Puts elements around everything. Default: none. */
  readonly frame?: (content: VNode, props: ScreenProps) => VNode;
  /** The account picker; its links lead to the screen. Default: none. */
  readonly choice?: (props: ScreenProps) => VNode;
  /** What stands above the form, in order; a fault above the form is the second part. Default: nothing. */
  readonly above?: readonly ((props: ScreenProps) => VNode)[];
  /** The attributes of the form where they are not those of every form. */
  readonly attributes?: FormAttributes | ((props: ScreenProps) => FormAttributes);
  /** Fields that programs send back; each has the state of the page. Default: none. */
  readonly hidden?: readonly { readonly type: string; readonly name: string }[];
  /** What stands in the form before its fields. Default: nothing. */
  readonly top?: (props: ScreenProps) => VNode;
  /** Puts elements around the fields, and around the button. Default: none. */
  readonly inside?: (fields: VNode, button: VNode) => VNode;
  readonly username?: Field;
  /** The name of a field that the screen does not show, in which programs send the user name again. Default: none. */
  readonly repeatedUsername?: string;
  readonly password?: Field;
  readonly fault: Fault;
  readonly button: () => VNode;
}

/** A login of these screens. @param state See {@link ProviderPage}. */
export function loginPage(state: string, ...screens: readonly [LoginForm, ...LoginForm[]]): ProviderPage {
  const [first, ...others] = screens;
  return { state, screens: [loginScreen(first), ...others.map(loginScreen)] };
}

function loginScreen(form: LoginForm): LoginScreen {
  const { username, repeatedUsername, password, title, hasScript, choice, frame = (content) => content } = form;
  return {
    ...form,
    username: username?.name ?? repeatedUsername,
    password: password?.name,
    hasChoice: choice !== undefined,
    Page: (props) => (
      <Document props={props} title={typeof title === "string" ? title : title(props)} script={hasScript}>
        {frame(choice && props.recent.length > 0 ? choice(props) : <Content form={form} props={props} />, props)}
      </Document>
    ),
  };
}

function Content({ form, props }: { readonly form: LoginForm; readonly props: ScreenProps }): VNode {
  const { above: [first, ...others] = [], attributes, hidden = [], top, inside, username, password, fault, button } =
    form;
  const [state] = new URL(props.action).searchParams.values();
  const own: Partial<Record<Place, FaultElement>> | undefined = fieldFaults(form, props);
  const formFault = props.error === undefined || own ? undefined : { ...fault, text: wordsOf(fault, props) };
  const { at = password === undefined ? "username" : "password", boxes, hasEmptyBoxes } = fault;
  const faultAt = (place: Place) => {
    const shown = own?.[place] ?? (place === at ? formFault : undefined);
    if (shown !== undefined) return <FaultText {...shown} />;
    return place === at && hasEmptyBoxes ? <FaultText boxes={boxes} /> : undefined;
  };
  const described = (place: "username" | "password") => {
    const shown = formFault ?? own?.[place];
    return {
      ...{ props, fault: faultAt(place), "aria-invalid": shown !== undefined },
      "aria-describedby": shown && idOf(shown),
    };
  };
  const name = { type: "text", value: props.username, autocomplete: "username", autofocus: true } as const;
  const secret = { type: "password", value: "", autocomplete: "current-password", autofocus: !username } as const;
  const fields = (
    <>
      {hidden.map((field) => <input key={field.name} {...field as InputHTMLAttributes} value={state} />)}
      {top?.(props)}
      {faultAt("top")}
      {username && <FieldBox {...described("username")} {...name} {...username} />}
      {password && <FieldBox {...described("password")} {...secret} {...password} />}
      {faultAt("bottom")}
    </>
  );
  return (
    <>
      {first?.(props)}
      {faultAt("above")}
      {others.map((part) => part(props))}
      <form
        {...{ action: props.action, method: "post", class: "form", novalidate: true }}
        {...typeof attributes === "function" ? attributes(props) : attributes}
      >
        {inside?.(fields, button()) ?? <>{fields}{button()}</>}
      </form>
    </>
  );
}

function wordsOf({ text, unknown, empty }: Fault, props: ScreenProps): string {
  const ofError = props.error === "empty" ? empty : props.error === "username" ? unknown : undefined;
  return props.reason ?? ofError ?? (typeof text === "string" ? text : text(props));
}

/** The errors of single fields, if the error is one of them. */
function fieldFaults({ username, password }: LoginForm, { error, isPasswordTyped, username: name }: ScreenProps) {
  if (error !== "empty" && error !== "malformed") return undefined;
  const own = {
    username: error === "malformed" || name === "" ? username?.faults?.[error] : undefined,
    password: error === "empty" && !isPasswordTyped ? password?.faults?.empty : undefined,
  };
  return own.username || own.password ? own : undefined;
}

const idOf = ({ id, boxes = [] }: FaultElement) => id ?? boxes.find((box) => box.id !== undefined)?.id;

/** Why a form is shown again. @param text Default: the elements around it are empty. */
export function FaultText({ boxes = [], text, as: Element = "div", id, class: style }: Partial<FaultElement>): VNode {
  const role = boxes.every((box) => box.role !== "alert") ? "alert" : undefined;
  const classes = style === undefined ? "fault" : `fault ${style}`;
  const inner = text === undefined ? null : <Element id={id} class={classes} role={role}>{text}</Element>;
  return <>{boxes.reduceRight<VNode | null>((content, { as = "div", ...box }) => h(as, box, content), inner)}</>;
}

function FieldBox(
  { label, labelAttributes, box, before, attributes, wrap, faults: _, props, fault, ...input }: Field & {
    readonly type: "email" | "password" | "text";
    readonly props: ScreenProps;
    /** Stands below the input. */
    readonly fault: VNode | undefined;
  },
): VNode {
  const element = <input {...input as InputHTMLAttributes} {...attributes?.(props)} />;
  return (
    <>
      {before?.()}
      <div class="field" {...box}>
        {label !== undefined && <label {...labelAttributes} for={input.id}>{label}</label>}
        {wrap?.(element, fault, props) ?? <>{element}{fault}</>}
      </div>
    </>
  );
}
