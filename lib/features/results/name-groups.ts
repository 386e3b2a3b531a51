import "server-only";
import { unreachable } from "#lib/core/errors.ts";
import { TEMPLATES } from "#lib/features/branding/constants.ts";
import { type Dimension, WORDS } from "./constants.ts";
import type { RawGroup } from "./find-groups.ts";
import { addSums, type Group, NOTHING } from "./policy.ts";

/** A keyword however it was typed: trimmed, one space where there were several, small letters. */
const plainKeyword = (keyword: string): string => keyword.trim().replace(/\s+/g, " ").toLowerCase();

/** A link without what only tells where a visitor came from: scheme, `utm_` tags, fragment, and the slash at its end. */
const plainLink = (link: string): string => {
  if (!URL.canParse(link)) return link.trim();
  const url = new URL(link);
  // Only where there are some: to delete one writes the others anew, and to look for them reads them all.
  const tags = url.search === "" ? [] : [...url.searchParams.keys()].filter((name) => /^utm_/i.test(name));
  for (const tag of tags) url.searchParams.delete(tag);
  return `${url.host}${url.pathname.replace(/\/+$/, "")}${url.search}`;
};

const keyOf = (by: Dimension, raw: string | null): string => {
  if (raw === null) return "";
  if (by === "keyword") return plainKeyword(raw);
  return by === "link" ? plainLink(raw) : raw;
};

const isTemplate = (id: string): id is keyof typeof TEMPLATES => Object.hasOwn(TEMPLATES, id);

/** A group's name for people. `spelled`: as most of its pins have it. Null where its reader must look it up. */
const labelOf = (by: Dimension, key: string, spelled: string): string | null => {
  if (key === "") return WORDS.nothing[by];
  switch (by) {
    case "board":
      return null;
    case "keyword":
      return spelled.trim().replace(/\s+/g, " ");
    case "link":
      return key;
    case "weekday":
      return WORDS.weekdays[Number(key) - 1] ?? key;
    case "hour":
      return `${key.padStart(2, "0")}:00`;
    case "style":
      return key === "ai" || key === "manual" ? WORDS.styles[key] : key;
    case "template":
      return isTemplate(key) ? TEMPLATES[key].label : key;
    default:
      return unreachable(by);
  }
};

/** What differs only in how it was typed, brought together and named as most of its pins have it. */
export const nameGroups = (by: Dimension, raw: readonly RawGroup[]): Group[] => {
  const byKey = Map.groupBy(raw, ({ key }) => keyOf(by, key));
  return [...byKey].map(([key, own]) => {
    const most = own.reduce((a, b) =>
      b.pins > a.pins || (b.pins === a.pins && (b.key ?? "") < (a.key ?? "")) ? b : a,
    );
    return {
      ...{ key, label: labelOf(by, key, most.key ?? "") },
      pins: own.reduce((sum, { pins }) => sum + pins, 0),
      countedPins: own.reduce((sum, { countedPins }) => sum + countedPins, 0),
      sums: own.reduce((sum, { sums }) => addSums(sum, sums), NOTHING),
    };
  });
};
