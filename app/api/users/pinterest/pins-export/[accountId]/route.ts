import { exportPins } from "#lib/features/spreadsheets/exports.ts";
import { exportInput } from "#lib/features/spreadsheets/schema.ts";
import { downloadResponse } from "#lib/server/responses.ts";
import { route, routes } from "#lib/server/route.ts";

export const { DELETE, GET, PATCH, POST, PUT } = routes({
  /** Pins of an account as a spreadsheet. */
  GET: route({ auth: "user", limit: "exportPins", input: exportInput, run: exportPins, respond: downloadResponse }),
});
