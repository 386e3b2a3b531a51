import { detectTopic } from "./copy/topics/index.ts";
import type { Material } from "./fill-schema.ts";
import type { JsonObject } from "./request-check.ts";
import { createRandom, hashText, pick } from "./seed.ts";

const FORMATS: Record<string, string> = {
  date: "2026-06-01",
  time: "09:30:00Z",
  "date-time": "2026-06-01T09:30:00Z",
  email: "hello@example.com",
  uri: "https://example.com/",
  hostname: "example.com",
  ipv4: "192.0.2.1",
  uuid: "6f1c2a44-9d8e-4b7a-8c31-5e2f0a9b7d10",
  duration: "PT20M",
};

/** A string that fits a property's name, format and length limits. */
export function fillString(schema: JsonObject, name: string, material: Material): string {
  const format = typeof schema.format === "string" ? FORMATS[schema.format] : undefined;
  const text = format ?? textFor(name.toLowerCase(), material);
  const most = typeof schema.maxLength === "number" ? schema.maxLength : Number.POSITIVE_INFINITY;
  const least = typeof schema.minLength === "number" ? schema.minLength : 0;
  return lengthen(cut(text, most), least, most, material);
}

function textFor(name: string, { copy, keyword }: Material): string {
  if (/alt/.test(name)) return copy.altText;
  if (/title|headline|heading/.test(name)) return copy.title;
  if (/description|body|text|summary|content/.test(name)) return copy.description;
  const words = keyword.split(" ");
  const position = Number(/ (\d+)$/.exec(name)?.[1] ?? "1") - 1;
  if (/keyword|tag|label|topic/.test(name)) return words[position % words.length] ?? keyword;
  const { bodies } = detectTopic(keyword);
  return pick(createRandom(hashText(`${name} of ${keyword}`)), bodies);
}

function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const atWord = text.slice(0, most + 1).replace(/\s+\S*$/, "");
  return atWord.length <= most && atWord.length > 0 ? atWord : text.slice(0, most);
}

function lengthen(text: string, least: number, most: number, { copy }: Material): string {
  let longer = text;
  while (longer.length < least) longer += ` ${copy.description}`;
  return longer.length > most ? longer.slice(0, most) : longer;
}
