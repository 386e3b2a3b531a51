import "server-only";
import { z } from "zod";
import type { FullCtx } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { COST_CREDITS } from "#lib/features/credits/constants.ts";
import { KEYWORD_MAX, KEYWORDS_MAX, TASK_STATUSES, UNREAD_PAGE_CHOICES } from "#lib/features/generation/constants.ts";
import { cancelGeneration, startGeneration, trackGeneration } from "#lib/features/generation/groups.ts";
import { generatePinsInput, isInvisible, type TaskWire } from "#lib/features/generation/schema.ts";
import { toTrackingWire } from "#lib/features/generation/serializers.ts";
import { checkedBy, count, id, ownId } from "./fields.ts";
import { type Operation, operation } from "./operation.ts";

const row = z.strictObject({
  keyword: z
    .string()
    .refine((text) => !isInvisible(text), "Each row needs a keyword.")
    .meta({ description: "What the pin is about.", maxLength: KEYWORD_MAX }),
  url: z.string().nullish().meta({ description: "A page that is read for the text, and where the pin leads." }),
  image: z
    .enum(["generated", "page"])
    .nullish()
    .meta({ description: "`page`: the page's own image instead of a generated one." }),
});

const newGeneration = checkedBy(
  z.strictObject({
    account_id: id("The account to publish to."),
    board_id: z.string().meta({ description: "A board of the account." }),
    board_section_id: z.string().nullish().meta({ description: "A section of that board." }),
    quality: z.enum(["standard", "high"]).meta({
      description: `Credits for each pin: ${COST_CREDITS.standard} for standard, ${COST_CREDITS.high} for high.`,
    }),
    keywords: z
      .array(row)
      .min(1)
      .max(KEYWORDS_MAX)
      .meta({ description: `Up to ${KEYWORDS_MAX} pins in all.` }),
    pins_per_keyword: z.number().int().min(1).max(4).nullish().meta({ description: "Each pin is charged separately." }),
    unreadable_page: z
      .enum(UNREAD_PAGE_CHOICES)
      .nullish()
      .meta({ description: "What happens when a page can't be read: only the keyword is used, or the pin fails." }),
  }),
  generatePinsInput,
  ({ account_id, pins_per_keyword, keywords, ...rest }) => ({
    ...{ ...rest, pinterest_account: account_id, variants: pins_per_keyword, keyword_data: keywords },
  }),
  { pinterest_account: "account_id", variants: "pins_per_keyword", keyword_data: "keywords" },
).meta({ id: "NewGeneration" });

const started = z
  .object({
    id: ownId("The generation's ID."),
    pins: count("Pins that are being made. Their credits are reserved."),
    warning: z.string().nullable().meta({ description: "Why some were left out." }),
  })
  .meta({ id: "StartedGeneration" });

const task = z
  .object({
    id: ownId("The task's ID."),
    keyword: z.string(),
    status: z
      .enum(TASK_STATUSES)
      .meta({ description: "`SUCCESS`: a draft was made; `FAILURE`: its credits were returned; `REVOKED`: canceled." }),
    progress_percentage: count("0 to 100."),
    title: z.string().nullable(),
    description: z.string().nullable(),
    image_url: z.string().nullable(),
    reason: z.string().nullable().meta({ description: "Why it failed." }),
  })
  .meta({ id: "GenerationTask", description: "One pin that is being made." });

const generation = z
  .object({
    id: ownId("The generation's ID."),
    total_tasks: count("All pins."),
    completed_tasks: count("Those that ended, whether they succeeded or not."),
    is_finished: z.boolean(),
    estimated_seconds_left: z.number().nullable(),
    tasks: z.array(task),
  })
  .meta({ id: "Generation", description: "Pins that were requested together. Drafts appear as they are finished." });

const toTask = (ctx: FullCtx, wire: TaskWire): z.output<typeof task> => ({
  ...{ id: wire.task_id, keyword: wire.keyword, status: wire.status, progress_percentage: wire.progress_percentage },
  ...{ title: wire.title, description: wire.description, reason: wire.reason ?? null },
  image_url: wire.image_url && `${ctx.settings.appUrl}${wire.image_url}`,
});

const read = async (ctx: FullCtx, groupId: string): Promise<z.output<typeof generation>> => {
  const tracked = toTrackingWire(await trackGeneration(ctx, { groupId }), ctx);
  return {
    ...{ id: groupId, total_tasks: tracked.total_tasks, completed_tasks: tracked.completed_tasks },
    is_finished: tracked.completed_tasks === tracked.total_tasks,
    estimated_seconds_left: tracked.estimated_time_remaining,
    tasks: tracked.tasks.map((one) => toTask(ctx, one)),
  };
};

const params = z.strictObject({ generation_id: id("A generation's ID.") });

export const generationOperations: readonly Operation[] = [
  operation({
    ...{ id: "startGeneration", method: "POST", path: "/generations", tag: "Generations", scope: "pins:write" },
    limit: "generate",
    summary: "Generate pins from keywords",
    description:
      "Creates drafts and publishes nothing. Credits are reserved right away, spent when a draft is created, and returned if it fails.",
    body: newGeneration,
    ...{
      status: 202,
      response: started,
      errors: ["not_found", "reconnect_needed", "email_unconfirmed", "key_limit", "no_credits", "refused"],
    },
    run: async (ctx, { body, writeKey }) => {
      const result = await startGeneration(ctx, body, writeKey);
      if (result.kind === "nothing_affordable") throw new AppError("no_credits", { text: result.warning });
      return { id: result.groupId, pins: result.totalTasks, warning: result.warning };
    },
  }),
  operation({
    ...{ id: "getGeneration", method: "GET", path: "/generations/{generation_id}", tag: "Generations" },
    scope: "pins:read",
    summary: "Get the progress of a generation",
    params,
    ...{ response: generation, errors: ["not_found"] },
    run: (ctx, input) => read(ctx, input.params.generation_id),
  }),
  operation({
    ...{ id: "cancelGeneration", method: "POST", path: "/generations/{generation_id}/cancel", tag: "Generations" },
    scope: "pins:write",
    summary: "Cancel the pins that haven't started",
    description: "Returns their credits. Pins that have started are finished.",
    params,
    ...{ response: generation, errors: ["not_found"] },
    run: async (ctx, input) => {
      await cancelGeneration(ctx, { groupId: input.params.generation_id });
      return read(ctx, input.params.generation_id);
    },
  }),
];
