import type { Random } from "../random.ts";
import type { Period } from "./facts.ts";

/** Details of the markup that change with each build of the site and must not affect extraction. */
export interface Disguise {
  /** An element with its attributes in some order. Values are escaped here, `inner` is markup. */
  element(tag: string, attributes: Readonly<Record<string, string>>, inner?: string): string;
  /** A hashed class name that ends in the component's name. */
  named(name: string): string;
  /** Wraps the markup in zero to three meaningless elements. */
  wrapped(inner: string): string;
  /** Escapes text as markup. */
  text(value: string): string;
  /** True once in n times on average. */
  chance(times: number): boolean;
}

const VOID = new Set(["img", "source", "meta", "link"]);
const hash = (random: Random): string =>
  Math.floor(random.below(36 ** 6))
    .toString(36)
    .padStart(6, "0");

const entity = (random: Random, character: string): string => {
  const code = character.codePointAt(0) ?? 0;
  const names: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  const forms = [
    names[character] ?? `&#${code};`,
    `&#${code};`,
    `&#x${code.toString(16)};`,
    `&#X${code.toString(16).toUpperCase()};`,
  ];
  // Most are written as named references, as a browser does.
  return (random.below(8) === 0 ? forms[random.below(4)] : forms[0]) ?? character;
};

const attribute = (random: Random, name: string, value: string): string =>
  `${name}="${value.replaceAll(/[&"<>]/g, (character) => entity(random, character))}"`;

const classOf = (random: Random, period: Period, name: string): string => {
  if (period <= 2022) return `tiktok-${hash(random)}-${name}`;
  if (period <= 2024) return `css-${hash(random)}-${name}`;
  return `css-${hash(random)}-${hash(random)}--${name} ${hash(random)}`;
};

/** The disguise of one build: hashes are constant per name, order and wrappers are random. */
export function createDisguise(random: Random, period: Period): Disguise {
  const classes = new Map<string, string>();
  const named = (name: string): string => {
    const known = classes.get(name) ?? classOf(random, period, name);
    classes.set(name, known);
    return known;
  };
  const element = (tag: string, attributes: Readonly<Record<string, string>>, inner = ""): string => {
    const list = random.shuffled(Object.entries(attributes)).map(([name, value]) => attribute(random, name, value));
    const open = [tag, ...list].join(" ");
    return VOID.has(tag) ? `<${open}>` : `<${open}>${inner}</${tag}>`;
  };
  const wrapped = (inner: string): string => {
    let html = inner;
    for (let depth = random.below(4); depth > 0; depth -= 1) {
      html = element(
        "div",
        { class: named(`DivWrapper${depth}`), ...(depth === 2 ? { style: "--w:1;color:inherit" } : {}) },
        html,
      );
    }
    return html;
  };
  const text = (value: string): string => value.replaceAll(/[&<>]/g, (character) => entity(random, character));
  return { element, named, wrapped, text, chance: (times) => random.below(times) === 0 };
}
