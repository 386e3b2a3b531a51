import { changePlan, previewChange } from "#lib/features/billing/plan-changes.ts";
import { changeInput } from "#lib/features/billing/schema.ts";
import { toChangedWire, toPreviewWire } from "#lib/features/billing/serializers.ts";
import { answersOnly, route } from "#lib/server/route.ts";

/** */
export const POST = route({
  auth: "user",
  limit: "money",
  input: changeInput,
  run: async (ctx, input) =>
    input.preview ? toPreviewWire(await previewChange(ctx, input)) : toChangedWire(await changePlan(ctx, input)),
  present: (wire) => wire,
});

const other = answersOnly("POST");

export { other as DELETE, other as GET, other as PATCH, other as PUT };
