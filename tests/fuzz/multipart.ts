import type { Random } from "#tests/support/random.ts";
import { chance, hostileText, pick } from "./values.ts";

/** The fields of a form; files are bytes. */
export type FormParts = Record<string, string | Uint8Array>;

const BOUNDARY = "----fuzz7MA4YWxkTrZu0gW";
export const MULTIPART_TYPE = `multipart/form-data; boundary=${BOUNDARY}`;

const quoted = (name: string): string => name.replace(/[\r\n]/g, " ").replaceAll('"', "%22");

const partOf = (name: string, value: string | Uint8Array): Buffer => {
  const file = typeof value === "string" ? "" : '; filename="moss.png"\r\nContent-Type: image/png';
  const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${quoted(name)}"${file}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), Buffer.from(value), Buffer.from("\r\n")]);
};

/** A complete multipart body. */
export const multipartOf = (parts: [string, string | Uint8Array][]): Buffer =>
  Buffer.concat([...parts.map(([name, value]) => partOf(name, value)), Buffer.from(`--${BOUNDARY}--\r\n`)]);

/** The form with some parts replaced, removed, repeated or added. */
export const changedParts = (random: Random, form: FormParts): [string, string | Uint8Array][] => {
  const parts = Object.entries(form);
  const at = random.below(parts.length);
  const kinds = [
    () => parts.filter((_, index) => index !== at),
    () => [...parts, ...parts],
    () => [...parts, [hostileText(random), hostileText(random)] as (typeof parts)[number]],
    () =>
      parts.map(([name, value], index) => [name, index === at ? hostileText(random) : value] as (typeof parts)[number]),
    () =>
      parts.map(([name, value], index) => [index === at ? hostileText(random) : name, value] as (typeof parts)[number]),
    () =>
      parts.map(
        ([name, value]) =>
          [name, typeof value === "string" ? Buffer.from(value) : "not a file"] as (typeof parts)[number],
      ),
    () =>
      parts.map(
        ([name, value]) => [name, typeof value === "string" ? value : damaged(random, value)] as (typeof parts)[number],
      ),
    () => [...parts, ...Array.from({ length: 300 }, (_, n) => [`pins[${n}]`, "{}"] as (typeof parts)[number])],
    () => [],
  ];
  return pick(random, kinds)();
};

const damaged = (random: Random, file: Uint8Array): Uint8Array => {
  const bytes = Uint8Array.from(file);
  for (let n = 0; n < 20; n++) bytes[random.below(bytes.length)] = random.below(256);
  return chance(random, 50) ? bytes.subarray(0, random.below(bytes.length)) : bytes;
};

/** A multipart body whose syntax was damaged. */
export const brokenMultipart = (random: Random, good: Buffer): Buffer => {
  const text = good.toString("latin1");
  const damages = [
    () => text.slice(0, random.below(text.length + 1)),
    () => text.replace(`--${BOUNDARY}--`, ""),
    () => text.replaceAll("Content-Disposition", "X-Other"),
    () => text.replaceAll("form-data;", "attachment;"),
    () => text.replace(/name="[^"]*"/, `name="${"n".repeat(70_000)}"`),
    () => text.replaceAll("\r\n", "\n"),
    () => text.replace("\r\n\r\n", `\r\n${"X: y\r\n".repeat(3_000)}\r\n`),
    () => `${"\0".repeat(1_000)}${text}`,
    () => "",
  ];
  return Buffer.from(pick(random, damages)(), "latin1");
};
