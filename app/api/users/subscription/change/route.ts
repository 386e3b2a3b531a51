import { changePlan, previewChange } from "#lib/features/billing/plan-changes.ts";
import { changeInput } from "#lib/features/billing/schema.ts";
import { toChangedWire, toPreviewWire } from "#lib/features/billing/serializers.ts";
import { route, routes } from "#lib/server/route.ts";

export const { DELETE, GET, PATCH, POST, PUT } = routes({
  POST: route({
    auth: "user",
    limit: "money",
    input: changeInput,
    run: async (ctx, input) =>
      input.preview ? toPreviewWire(await previewChange(ctx, input)) : toChangedWire(await changePlan(ctx, input)),
    present: (wire) => wire,
  }),
});
