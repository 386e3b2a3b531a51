import "server-only";

type Params = Record<string, string | string[] | undefined>;

const isSegment = (part: string | undefined, value: string): boolean =>
  part !== undefined && (part === value || part === encodeURIComponent(value));

/** A path with one parameter's value replaced by its name, else null. */
const nameIn = (parts: string[], name: string, values: string[]): string[] | null => {
  const from = parts.findLastIndex((_, at) => values.every((value, n) => isSegment(parts[at + n], value)));
  return from < 0 ? null : [...parts.slice(0, from), `:${name}`, ...parts.slice(from + values.length)];
};

/**
 * The pattern of an address, as in `/api/users/pinterest/boards/:accountId`: one for each route handler, whatever
 * strangers put into the path; `other` where that cannot be told. No slash at its end. Next hands out no params where
 * the address has none.
 */
export const patternOf = (path: string, params: Params | undefined): string => {
  let parts: string[] | null = path.replace(/\/+$/, "").split("/");
  for (const [name, value] of Object.entries(params ?? {})) {
    if (value === undefined) continue;
    parts = parts && nameIn(parts, name, [value].flat());
  }
  return parts?.join("/") ?? "other";
};
