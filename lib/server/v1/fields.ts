import "server-only";
import { z } from "zod";
import { opaqueId } from "#lib/features/pins/schema.ts";

export const id = (description: string) => opaqueId.meta({ description });

/** An id of ours in an answer. */
export const ownId = (description: string) => z.string().meta({ description });

export const text = (description: string) => z.string().meta({ description });

/** UTC, ISO 8601. */
export const time = (description: string) => z.iso.datetime().meta({ description });

export const count = (description: string) => z.number().int().min(0).meta({ description });

export const day = (description: string) => z.iso.date().meta({ description });

const PAGE_DEFAULT = 50;
const PAGE_MAX = 100;

const limit = z.coerce
  .number(`The limit must be a whole number from 1 to ${PAGE_MAX}.`)
  .int(`The limit must be a whole number from 1 to ${PAGE_MAX}.`)
  .min(1, `The limit must be a whole number from 1 to ${PAGE_MAX}.`)
  .max(PAGE_MAX, `The limit must be a whole number from 1 to ${PAGE_MAX}.`)
  .default(PAGE_DEFAULT)
  .meta({ description: "Maximum number of entries per page." });

const cursor = z
  .string()
  .min(1)
  .max(1_000)
  .optional()
  .meta({ description: "`next_cursor` of the page before. Leave it out for the first page." });

export const pageQuery = { limit, cursor };

/** A whole list; the answers of all lists look alike. */
export const listOf = <S extends z.ZodType>(item: S) => z.object({ data: z.array(item) });

export const pageOf = <S extends z.ZodType>(item: S) =>
  z.object({
    data: z.array(item),
    next_cursor: z.string().nullable().meta({ description: "For the next page; null on the last one." }),
  });

/** Checks a body with a use case's schema, which has other names for the fields. @param names its names, and ours */
export const checkedBy = <S extends z.ZodType, T extends z.ZodType>(
  schema: S,
  useCase: T,
  toInput: (body: z.output<S>) => unknown,
  names: Record<string, string> = {},
) =>
  schema.transform((body, check): z.output<T> => {
    const parsed = useCase.safeParse(toInput(body));
    if (parsed.success) return parsed.data;
    for (const { path, message, ...issue } of parsed.error.issues) {
      // Of a row, the screens' calls name the field as data.
      const field: unknown = Object(Object(issue).params).row?.field;
      const full = typeof field === "string" ? [...path, field] : path;
      const [first, ...rest] = full.map((part) => (typeof part === "symbol" ? String(part) : part));
      const own = first === undefined ? [] : [names[String(first)] ?? first, ...rest];
      check.addIssue({ code: "custom", path: own, message });
    }
    return z.NEVER;
  });
