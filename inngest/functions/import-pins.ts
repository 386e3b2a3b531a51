import { createImportedPins } from "#lib/features/spreadsheets/creation.ts";
import { checkRowLinks } from "#lib/features/spreadsheets/review.ts";
import { fetchImages } from "#lib/features/spreadsheets/row-images.ts";
import { importRequested } from "#lib/features/spreadsheets/schema.ts";
import { inngest } from "../client.ts";
import { on } from "../events.ts";
import { runUseCase } from "../run-use-case.ts";

/** Engines bound the steps of a run; the sweep continues imports that need more. */
const ROUNDS_MAX = 900;

/** Has the links of an import checked, fetches its images in bounded steps, then creates its pins at once if they are confirmed. */
export const importPins = inngest.createFunction(
  {
    id: "import-pins",
    triggers: [on("pins/import.requested")],
    concurrency: [{ limit: 5 }, { key: "event.data.importId", limit: 1 }],
    retries: 8,
  },
  async ({ event, step }) => {
    const requested = importRequested.parse(event.data);
    await step.run("check-links", () =>
      runUseCase({ job: "import-pins", step: "check-links", import_id: requested.importId }, (ctx) =>
        checkRowLinks(ctx, requested),
      ),
    );
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      const fetched = await step.run(`fetch-${round}`, () =>
        runUseCase({ job: "import-pins", step: "fetch", import_id: requested.importId, round }, (ctx) =>
          fetchImages(ctx, requested),
        ),
      );
      if (fetched.kind === "gone") return "gone";
      if (fetched.kind === "more") continue;
      const created = await step.run(`create-${round}`, () =>
        runUseCase({ job: "import-pins", step: "create", import_id: requested.importId }, (ctx) =>
          createImportedPins(ctx, requested),
        ),
      );
      if (created.kind !== "images_left") return created.kind;
    }
    return "left to another run";
  },
);
