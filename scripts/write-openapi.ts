/** `node --conditions=react-server scripts/write-openapi.ts`: writes the specification that clients are promised, and the
 * types of the command line's client. */
import { writeFileSync } from "node:fs";
import { buildOpenApi } from "#lib/server/v1/openapi.ts";
import { clientTypes } from "./client-types.ts";
import { inRepository } from "./root.ts";

const specification = buildOpenApi({
  appUrl: "https://pins.evertack.test",
  productName: "Evertack",
  supportEmail: "help@pins.evertack.test",
});
writeFileSync(inRepository("tests", "support", "released-openapi.json"), `${JSON.stringify(specification)}\n`);
writeFileSync(inRepository("packages", "cli", "src", "api.d.ts"), clientTypes(specification));
