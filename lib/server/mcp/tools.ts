import "server-only";
import { z } from "zod";
import type { FullCtx } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import type { Scope } from "#lib/features/api-keys/constants.ts";
import { readDailyLimit } from "#lib/features/api-keys/spending.ts";
import { COST_CREDITS } from "#lib/features/credits/constants.ts";
import { readBalance } from "#lib/features/credits/statement.ts";
import { plannedPath } from "#lib/features/pins/constants.ts";
import { findPinsById } from "#lib/features/pins/queries.ts";
import { previewSchedule } from "#lib/features/publishing/schedule-preview.ts";
import { parse } from "../pipeline.ts";
import type { LimitName } from "../rate-limit.ts";
import type { Operation } from "../v1/operation.ts";
import { OPERATIONS } from "../v1/operations.ts";

/** What an assistant can do. None of them schedules or publishes: the user sees each pin and confirms it. */
export interface Tool {
  name: string;
  title: string;
  description: string;
  scope: Scope;
  /** Besides the one of every message. */
  limit?: LimitName;
  isRead: boolean;
  /** Whether it replaces what is there; the same call twice then does no more than once. */
  isOverwriting?: boolean;
  /** JSON Schema of its arguments. */
  input: Record<string, unknown>;
  /** @throws AppError */
  run: (ctx: FullCtx, args: unknown) => Promise<unknown>;
}

const fieldsOf = (schema: z.ZodType | undefined): z.ZodObject => {
  if (schema instanceof z.ZodObject) return schema;
  // A body that is checked by a use case's schema as well.
  if (schema instanceof z.ZodPipe && schema.in instanceof z.ZodObject) return schema.in;
  return z.strictObject({});
};

const toJsonSchema = (schema: z.ZodType): Record<string, unknown> => {
  const { $schema: _, id: __, ...json } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  return json;
};

const some = (args: Record<string, unknown>, schema: z.ZodObject): Record<string, unknown> =>
  Object.fromEntries(Object.entries(args).filter(([name]) => name in schema.shape));

/** A call of the public API as a tool: parameters, query, and body in one object. */
const toolOf = (
  operationId: string,
  {
    more = z.strictObject({}),
    before,
    ...texts
  }: Pick<Tool, "name" | "title" | "description"> & {
    more?: z.ZodObject;
    before?: (ctx: FullCtx, args: Record<string, unknown>) => Promise<void>;
  },
): Tool => {
  const operation: Operation | undefined = OPERATIONS.find(({ id }) => id === operationId);
  if (!operation) throw new Error(`There is no operation ${operationId}.`);
  const { params, query, body, scope, method, limit } = operation;
  const [path, search, content] = [fieldsOf(params), fieldsOf(query), fieldsOf(body)];
  const all = z.strictObject({ ...path.shape, ...search.shape, ...content.shape, ...more.shape });
  return {
    ...{ ...texts, scope, isRead: method === "GET", isOverwriting: method === "PATCH", ...(limit && { limit }) },
    input: toJsonSchema(all),
    run: async (ctx, raw) => {
      const args = parse(z.record(z.string(), z.unknown()), raw ?? {});
      const unknown = Object.keys(args).find((name) => !(name in all.shape));
      if (unknown !== undefined) throw new AppError("invalid", { text: `Unknown argument: ${unknown}.` });
      const own = parse(more.loose(), args);
      await before?.(ctx, own);
      return operation.run(ctx, {
        params: params ? parse(params, some(args, path)) : {},
        query: query ? parse(query, some(args, search)) : {},
        body: body ? parse(body, some(args, content)) : undefined,
        writeKey: typeof own.request_id === "string" ? `mcp:${own.request_id}` : null,
        isAgain: false,
      });
    },
  };
};

const budget = z.strictObject({
  max_credits: z
    .number()
    .int()
    .min(1)
    .meta({
      description: `The most credits that this request may cost, as agreed with the user. Each pin costs ${COST_CREDITS.standard} credit in standard and ${COST_CREDITS.high} in high quality.`,
    }),
  request_id: z
    .string()
    .regex(/^[!-~]{8,80}$/)
    .meta({ description: "A unique ID for each request, such as a UUID. Send the same ID when you retry." }),
});

/** Before anything is read or reserved. @throws AppError `invalid` with the cost; `key_limit` without a limit a day */
const requireBudget = async (ctx: FullCtx, args: Record<string, unknown>): Promise<void> => {
  const { quality, keywords, pins_per_keyword, max_credits } = args;
  const rows = Array.isArray(keywords) ? keywords.length : 0;
  const each = typeof pins_per_keyword === "number" ? pins_per_keyword : 1;
  const cost = rows * each * COST_CREDITS[quality === "high" ? "high" : "standard"];
  if (cost > Number(max_credits)) {
    const text = `This costs ${cost} credits, but max_credits is ${Number(max_credits)}. Ask the user for a higher limit, or request fewer pins.`;
    throw new AppError("invalid", { text });
  }
  const daily = await readDailyLimit(ctx);
  if (daily?.limit !== null && daily?.limit !== undefined) return;
  const text = "This API key has no daily credit limit. Create a key with a limit in Settings, API keys.";
  throw new AppError("key_limit", { text });
};

const noArguments = z.strictObject({});

const costsTool: Tool = {
  name: "get_costs",
  title: "Prices and balance",
  description:
    "Returns the price of a pin, the user's credit balance, and what this key may still spend today. Ask the user before you spend credits.",
  scope: "credits:read",
  isRead: true,
  input: toJsonSchema(noArguments),
  run: async (ctx, args) => {
    parse(noArguments, args ?? {});
    const [{ availableCredits }, daily] = [await readBalance(ctx), await readDailyLimit(ctx)];
    return {
      credits_per_pin: COST_CREDITS,
      available_credits: availableCredits,
      daily_limit: daily?.limit ?? null,
      left_today: daily?.limit == null ? null : Math.max(0, daily.limit - daily.spent),
    };
  },
};

const planInput = z.strictObject({
  pin_ids: z
    .array(z.string().min(1).max(100))
    .min(1)
    .max(100)
    .meta({ description: "IDs of drafts of one account, in publishing order." }),
  start: z.iso
    .datetime({ offset: true })
    .meta({ description: "When the first pin would be published, with a UTC offset." }),
  interval_minutes: z.number().int().min(1).max(43_200).meta({ description: "Minutes between two pins." }),
});

const planTool: Tool = {
  name: "propose_plan",
  title: "Propose a schedule",
  description:
    "Calculates publishing times for drafts and returns a link. Nothing is scheduled: give the user the times and the link, where they review each pin, change anything they want, and confirm.",
  ...{ scope: "pins:read", limit: "preview", isRead: true },
  input: toJsonSchema(planInput),
  run: async (ctx, raw) => {
    const { pin_ids: pinIds, start, interval_minutes: intervalMinutes } = parse(planInput, raw);
    const preview = await previewSchedule(ctx, { pinIds, intervalMinutes, start: new Date(start) });
    const pins = await findPinsById(ctx, pinIds);
    const titles = new Map<string, string>(pins.map(({ id, title }) => [id, title]));
    const [accountId, ...others] = new Set(pins.map((pin) => pin.accountId));
    if (others.length > 0) throw new AppError("invalid", { text: "Propose a separate plan for each account." });
    return {
      pins: preview.slots.map(({ post_id, due_at, clash, duplicate }) => ({
        ...{ pin_id: post_id, title: titles.get(post_id) ?? "", proposed_at: due_at },
        warnings: [
          ...(clash ? [`Scheduled within five minutes of “${clash.title}”.`] : []),
          ...(duplicate ? [`Nearly identical to “${duplicate.title}”.`] : []),
        ],
      })),
      confirm_url: `${ctx.settings.appUrl}${plannedPath(accountId ?? "", pinIds, { start, intervalMinutes })}`,
      is_scheduled: false,
    };
  },
};

export const TOOLS: readonly Tool[] = [
  toolOf("listAccounts", {
    ...{ name: "list_accounts", title: "Pinterest accounts" },
    description: "Lists the user's connected Pinterest accounts. Other tools need an account's ID.",
  }),
  toolOf("listBoards", {
    ...{ name: "list_boards", title: "Boards" },
    description: "Lists the boards of an account, read live from Pinterest.",
  }),
  toolOf("listPins", {
    ...{ name: "search_pins", title: "Search pins" },
    description: "Searches an account's drafts and its scheduled, published, and failed pins, by status and words.",
  }),
  toolOf("getPin", {
    ...{ name: "get_pin", title: "One pin" },
    description: "Returns a pin with every attempt to publish it.",
  }),
  toolOf("getReport", {
    ...{ name: "get_results", title: "Results" },
    description:
      "Returns impressions, clicks, and saves of published pins by keyword, board, weekday, hour, style, or link.",
  }),
  toolOf("listKeywordTrends", {
    ...{ name: "get_keyword_trends", title: "Keyword trends" },
    description: "Lists what people search for on Pinterest, with growth and seasons.",
  }),
  costsTool,
  toolOf("startGeneration", {
    ...{ name: "draft_pins", title: "Draft pins" },
    description:
      "Creates drafts from keywords and web pages. This costs credits: ask the user first, and set max_credits. Nothing is published.",
    ...{ more: budget, before: requireBudget },
  }),
  toolOf("getGeneration", {
    ...{ name: "get_generation", title: "Progress" },
    description: "Returns the progress of draft_pins, and why drafts failed.",
  }),
  toolOf("editPin", {
    ...{ name: "edit_draft", title: "Edit a draft" },
    description: "Changes the title, description, alt text, link, or board of a draft.",
  }),
  planTool,
];
