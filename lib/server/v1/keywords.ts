import "server-only";
import { z } from "zod";
import {
  deleteKeywordList,
  listKeywordLists,
  readKeywordList,
  removeSavedKeyword,
  saveKeywords,
} from "#lib/features/keywords/lists.ts";
import { relatedInput, saveKeywordsInput, trendsInput } from "#lib/features/keywords/schema.ts";
import { toListDetailWire, toListsWire, toTrendsWire } from "#lib/features/keywords/serializers.ts";
import { readRelatedKeywords, readTrends } from "#lib/features/keywords/trends.ts";
import { parse } from "../pipeline.ts";
import { accountParams } from "./accounts.ts";
import { checkedBy, count, day, id, listOf, ownId, time } from "./fields.ts";
import { type Operation, operation } from "./operation.ts";

const week = z.object({ end_day: day("Its last day."), value: z.number().meta({ description: "0 to 100." }) });

const trend = z
  .object({
    keyword: z.string(),
    growth: z
      .object({ week: z.number().nullable(), month: z.number().nullable(), year: z.number().nullable() })
      .meta({ description: "Percent; 10001 stands for more than 10,000." }),
    weeks: z.array(week).meta({ description: "The past year; 100 is the keyword's busiest week." }),
    forecast: z
      .array(week)
      .meta({ description: "The next three months, on their own scale, which can't be compared with the weeks." }),
    season: z
      .object({
        peak_day: day("The middle of the peak."),
        publish_from: day("Eight weeks before the peak."),
        publish_to: day("Six weeks before the peak."),
      })
      .nullable(),
    own_pins: z
      .object({
        pins: count("The account's published pins with the keyword."),
        counted_pins: count("Those with metrics."),
        impressions: count("Of these."),
        outbound_clicks: count("Of these."),
      })
      .nullable(),
  })
  .meta({ id: "KeywordTrend" });

const list = z
  .object({
    id: ownId("The list's ID."),
    name: z.string(),
    keywords: count("How many."),
    created_at: time("When it was created."),
  })
  .meta({ id: "KeywordList" });

const listDetails = list
  .extend({ items: z.array(z.object({ id: z.string(), keyword: z.string(), saved_on: day("A UTC day.") })) })
  .meta({ id: "KeywordListDetails" });

const trendQuery = z.strictObject({
  region: z.string().optional().meta({ description: "A Pinterest region, such as `US` or `DE+AT+CH`." }),
  trend_type: z.enum(["growing", "monthly", "yearly", "seasonal"]).optional(),
  interests: z.string().optional().meta({ description: "Comma-separated, as Pinterest names them." }),
  ages: z.string().optional().meta({ description: "Comma-separated: `18-24` … `65+`." }),
  genders: z.string().optional().meta({ description: "Comma-separated: `female`, `male`, `unknown`." }),
  include_keywords: z
    .string()
    .optional()
    .meta({ description: "Up to five, comma-separated; a trend includes one of them." }),
});

const listParams = z.strictObject({ list_id: id("A list's ID.") });
const keywordParams = listParams.extend({ keyword_id: id("A saved keyword's ID.") });

const newKeywords = checkedBy(
  z.strictObject({
    name: z.string().meta({ description: "The list's name; it is created if needed." }),
    keywords: z
      .array(z.string())
      .min(1)
      .max(100)
      .meta({ description: "Keywords that are already in the list stay unchanged." }),
  }),
  saveKeywordsInput,
  (body) => body,
).meta({ id: "NewKeywords" });

const fromPinterest = ["not_found", "reconnect_needed", "refused", "provider_failed", "provider_unavailable"] as const;

const search: readonly Operation[] = [
  operation({
    ...{ id: "listKeywordTrends", method: "GET", path: "/accounts/{account_id}/keyword-trends", tag: "Keywords" },
    ...{ scope: "analytics:read", params: accountParams },
    summary: "List Pinterest's search trends",
    description: "Read live, with the account's own pins. Pinterest allows us 30 calls a minute.",
    query: trendQuery,
    ...{ response: listOf(trend).meta({ id: "KeywordTrendList" }), errors: fromPinterest },
    run: async (ctx, { params, query }) => {
      const input = parse(trendsInput, { accountId: params.account_id, ...query });
      return { data: toTrendsWire(await readTrends(ctx, input), ctx).trends };
    },
  }),
  operation({
    ...{ id: "listRelatedKeywords", method: "GET", path: "/accounts/{account_id}/related-keywords", tag: "Keywords" },
    ...{ scope: "analytics:read", params: accountParams },
    summary: "List the keywords that Pinterest relates to a term",
    query: z.strictObject({ term: relatedInput.shape.term }),
    ...{ response: listOf(z.string()).meta({ id: "RelatedKeywords" }), errors: [...fromPinterest, "wrong_state"] },
    run: async (ctx, { params, query }) => ({
      data: await readRelatedKeywords(ctx, { accountId: params.account_id, term: query.term }),
    }),
  }),
];

export const keywordOperations: readonly Operation[] = [
  ...search,
  operation({
    ...{ id: "listKeywordLists", method: "GET", path: "/keyword-lists", tag: "Keywords", scope: "pins:read" },
    summary: "List the user's keyword lists",
    response: listOf(list).meta({ id: "KeywordListList" }),
    run: async (ctx) => ({ data: toListsWire(await listKeywordLists(ctx)).lists }),
  }),
  operation({
    ...{ id: "saveKeywords", method: "POST", path: "/keyword-lists", tag: "Keywords", scope: "pins:write" },
    summary: "Add keywords to a list",
    body: newKeywords,
    ...{ response: listDetails, errors: ["wrong_state"] },
    run: async (ctx, { body }) => toListDetailWire(await saveKeywords(ctx, body)),
  }),
  operation({
    ...{ id: "getKeywordList", method: "GET", path: "/keyword-lists/{list_id}", tag: "Keywords", scope: "pins:read" },
    summary: "Get a keyword list",
    params: listParams,
    ...{ response: listDetails, errors: ["not_found"] },
    run: async (ctx, { params }) => toListDetailWire(await readKeywordList(ctx, { listId: params.list_id })),
  }),
  operation({
    ...{ id: "deleteKeywordList", method: "DELETE", path: "/keyword-lists/{list_id}", tag: "Keywords" },
    scope: "pins:write",
    summary: "Delete a keyword list",
    params: listParams,
    ...{ status: 204, errors: ["not_found"] },
    run: (ctx, { params }) => deleteKeywordList(ctx, { listId: params.list_id }),
  }),
  operation({
    ...{ id: "removeKeyword", method: "DELETE", path: "/keyword-lists/{list_id}/keywords/{keyword_id}" },
    ...{ tag: "Keywords", scope: "pins:write" },
    summary: "Remove a keyword from a list",
    params: keywordParams,
    ...{ status: 204, errors: ["not_found"] },
    run: (ctx, { params }) => removeSavedKeyword(ctx, { listId: params.list_id, keywordId: params.keyword_id }),
  }),
];
