import "server-only";
import { z } from "zod";
import { entryKind } from "#lib/features/credits/schema.ts";
import { readBalance, toHistoryWire } from "#lib/features/credits/statement.ts";
import { listCreditEntries } from "#lib/features/generation/groups.ts";
import { count, ownId, pageOf, pageQuery, time } from "./fields.ts";
import { type Operation, operation } from "./operation.ts";

const balance = z
  .object({
    available: count("Credits available to spend."),
    allowance: count("The available credits from the plan. They expire at the end of its month."),
    purchased: count("Purchased credits. They don't expire."),
    reserved: count("Held for pins that are being made."),
  })
  .meta({ id: "CreditBalance" });

const entry = z
  .object({
    id: ownId("The entry's ID."),
    created_at: time("When it was recorded."),
    kind: entryKind,
    text: z.string(),
    detail: z.string().nullable(),
    credits: z.number().int().meta({ description: "Signed." }),
    balance_after: z.number().int(),
  })
  .meta({ id: "CreditEntry" });

export const creditOperations: readonly Operation[] = [
  operation({
    ...{ id: "getCredits", method: "GET", path: "/credits", tag: "Credits", scope: "credits:read" },
    summary: "Get the credit balance",
    response: balance,
    run: async (ctx) => {
      const { availableCredits, allowance, purchased, held } = await readBalance(ctx);
      return { available: availableCredits, allowance, purchased, reserved: held };
    },
  }),
  operation({
    ...{ id: "listCreditEntries", method: "GET", path: "/credits/history", tag: "Credits", scope: "credits:read" },
    summary: "List credit entries",
    query: z.strictObject(pageQuery),
    response: pageOf(entry).meta({ id: "CreditEntryPage" }),
    run: async (ctx, { query }) => {
      const page = await listCreditEntries(ctx, query);
      return { data: toHistoryWire(page).entries, next_cursor: page.nextCursor };
    },
  }),
];
