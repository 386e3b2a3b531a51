import { isRecord } from "./values.ts";

/** What an expression may look at: the event that started the run and, for waiting ones, a later event. */
export interface Scope {
  event: unknown;
  async?: unknown;
}

type Operand = { path: readonly string[] } | { literal: string | number | boolean | null };
/** Comparisons that must all hold. */
export type Expression = readonly { left: Operand; right: Operand }[];

const TOKEN =
  /\s*(?:(&&|==)|'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|(-?\d+(?:\.\d+)?)|([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*))/y;
const WORDS = new Map<string, boolean | null>([
  ["true", true],
  ["false", false],
  ["null", null],
]);

type Token = { sign: string } | Operand;

/**
 * Parses the part of CEL that is supported: `path == path|literal`, joined by `&&`.
 * @throws Error with one sentence on anything else.
 */
export function parseExpression(text: string): Expression {
  const tokens = tokenize(text);
  const comparisons: { left: Operand; right: Operand }[] = [];
  for (let at = 0; at < tokens.length || at === 0; at += 4) {
    const [left, equals, right, and] = tokens.slice(at, at + 4);
    const isLast = and === undefined;
    if (!isOperand(left) || !isSign(equals, "==") || !isOperand(right) || !(isLast || isSign(and, "&&"))) {
      throw unsupported(text);
    }
    if (!isLast && at + 4 >= tokens.length) throw unsupported(text);
    comparisons.push({ left, right });
  }
  return comparisons;
}

/** Whether every comparison holds; a path that leads nowhere equals nothing. */
export function holds(expression: Expression, scope: Scope): boolean {
  return expression.every(({ left, right }) => {
    const value = read(left, scope);
    return value !== undefined && value === read(right, scope);
  });
}

/**
 * A function from scope to the value of one path or literal, for concurrency keys.
 * @throws Error with one sentence on anything else.
 */
export function parseKey(text: string): (scope: Scope) => unknown {
  const [operand, ...rest] = tokenize(text);
  if (!isOperand(operand) || rest.length > 0) throw unsupported(text);
  return (scope) => read(operand, scope);
}

function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  const pattern = new RegExp(TOKEN);
  const end = text.trimEnd().length;
  while (pattern.lastIndex < end) {
    const match = pattern.exec(text);
    if (match === null) throw unsupported(text);
    tokens.push(toToken(match));
  }
  return tokens;
}

function toToken([, sign, single, double, number, word]: RegExpExecArray): Token {
  if (sign !== undefined) return { sign };
  const quoted = single ?? double;
  if (quoted !== undefined) return { literal: quoted.replace(/\\(.)/g, "$1") };
  if (number !== undefined) return { literal: Number(number) };
  const literal = WORDS.get(word ?? "");
  return literal === undefined ? { path: (word ?? "").split(".") } : { literal };
}

function read(operand: Operand, scope: Scope): unknown {
  if ("literal" in operand) return operand.literal;
  let value: unknown = scope;
  for (const name of operand.path) {
    if (!isRecord(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

function isOperand(token: Token | undefined): token is Operand {
  if (token === undefined || "sign" in token) return false;
  return "literal" in token || token.path[0] === "event" || token.path[0] === "async";
}

function isSign(token: Token | undefined, sign: string): boolean {
  return token !== undefined && "sign" in token && token.sign === sign;
}

function unsupported(text: string): Error {
  return new Error(`"${text}" is beyond \`path == path\` or \`path == literal\` joined by \`&&\``);
}
