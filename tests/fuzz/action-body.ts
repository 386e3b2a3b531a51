import type { Random } from "#tests/support/random.ts";
import type { SurfaceAction } from "#tests/support/surface.ts";
import { brokenMultipart, changedParts, type FormParts, MULTIPART_TYPE, multipartOf } from "./multipart.ts";
import { brokenJson, chance, changedObject, hostileText, hostileValue, pick } from "./values.ts";

interface ActionBody {
  body: Buffer;
  headers: Record<string, string>;
}

/** As React encodes values: a text that begins with `$` is escaped. */
const escaped = (value: unknown): unknown => {
  if (typeof value === "string") return value.startsWith("$") ? `$${value}` : value;
  if (Array.isArray(value)) return value.map(escaped);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, escaped(item)]));
};

/** References of React's encoding that lead nowhere, or to the wrong kind of value. */
const REFERENCES = [
  "$1",
  "$0:0:x:y",
  "$@1",
  "$F1",
  "$h1",
  "$K1",
  "$Q1",
  "$W1",
  "$B1",
  "$T",
  "$T0",
  "$i1",
  "$A1",
  "$r1",
  "$X1",
  "$n9".padEnd(400, "9"),
  "$nx",
  "$Dx",
  "$NaN",
  "$-Infinity",
  "$undefined",
  "$Z1",
  "$",
  "$$",
];

const TEXT = { "content-type": "text/plain;charset=UTF-8" };

const encodedArguments = (random: Random, argument: unknown): string => {
  const value =
    Object(argument) === argument && !Array.isArray(argument) ? { ...Object(argument) } : { value: argument };
  const kind = random.below(100);
  if (kind < 30) return JSON.stringify([escaped(argument)]);
  if (kind < 70) return JSON.stringify([escaped(changedObject(random, value))]);
  if (kind < 80) return JSON.stringify([escaped(hostileValue(random))]);
  if (kind < 90) return JSON.stringify([{ ...value, ...reference(random) }]);
  return pick(random, [
    "[]",
    "{}",
    "null",
    JSON.stringify(Array.from({ length: 1_500 }, () => null)),
    JSON.stringify([null, escaped(argument)]),
    `"${pick(random, REFERENCES)}"`,
    `[${JSON.stringify(pick(random, REFERENCES))}]`,
  ]);
};

const reference = (random: Random): Record<string, string> => ({
  [pick(random, ["pinId", "accountId", "then", "__proto__", "ids"])]: pick(random, REFERENCES),
});

/** A form as Next's client sends it: the previous state, and the fields with a prefix. */
const formArguments = (random: Random, fields: FormParts): ActionBody => {
  const parts = chance(random, 30) ? Object.entries(fields) : changedParts(random, fields);
  const state = JSON.stringify([{ isDone: false, values: {}, errors: {} }, chance(random, 90) ? "$K1" : "$K9"]);
  const good = multipartOf([
    ...parts.map(([name, value]): (typeof parts)[number] => [`1_${name}`, value]),
    ["0", state],
  ]);
  return {
    body: chance(random, 80) ? good : brokenMultipart(random, good),
    headers: { "content-type": MULTIPART_TYPE },
  };
};

/** A form as a browser without scripts sends it, or what only looks like one. */
const plainForm = (random: Random, { id }: SurfaceAction, fields: FormParts): ActionBody => {
  const bound = JSON.stringify({ id, bound: chance(random, 70) ? "$@1" : pick(random, REFERENCES) });
  const state = JSON.stringify([
    chance(random, 70) ? { isDone: false, values: {}, errors: {} } : pick(random, REFERENCES),
  ]);
  const markers: [string, string][] = pick(random, [
    [
      ["$ACTION_REF_1", ""],
      ["$ACTION_1:0", bound],
      ["$ACTION_1:1", state],
      ["$ACTION_KEY", "k0"],
    ],
    [[`$ACTION_ID_${id}`, ""]],
    [[`$ACTION_ID_${hostileText(random).slice(0, 99)}`, ""]],
    [
      ["$ACTION_REF_1", ""],
      ["$ACTION_1:0", "{"],
    ],
    [["$ACTION_REF_9", ""]],
    [],
  ]);
  const parts = chance(random, 50) ? Object.entries(fields) : changedParts(random, fields);
  const good = multipartOf([...markers, ...parts]);
  return {
    body: chance(random, 85) ? good : brokenMultipart(random, good),
    headers: { "content-type": MULTIPART_TYPE },
  };
};

const fieldsOf = (argument: unknown): FormParts =>
  Object.fromEntries(Object.entries(Object(argument)).map(([name, value]) => [name, String(value)]));

/** The body and headers of a call of a server action. */
export const actionBody = (
  random: Random,
  { action, argument, isForm }: { action: SurfaceAction; argument: unknown; isForm: boolean },
): ActionBody => {
  const withId = (sent: ActionBody): ActionBody => ({
    ...sent,
    headers: { ...sent.headers, "next-action": action.id },
  });
  const fields = fieldsOf(argument);
  if (isForm ? chance(random, 40) : chance(random, 4)) return plainForm(random, action, { x: "y", ...fields });
  if (isForm ? chance(random, 85) : chance(random, 4)) return withId(formArguments(random, { x: "y", ...fields }));
  const text = encodedArguments(random, argument);
  if (chance(random, 1)) return withId({ body: Buffer.alloc(1_200_000, "x"), headers: TEXT });
  return withId({ body: chance(random, 92) ? Buffer.from(text) : brokenJson(random, text), headers: TEXT });
};
