/** `node --conditions=react-server scripts/write-openapi.ts`: writes the specification that clients are promised. */
import { writeFileSync } from "node:fs";
import { buildOpenApi } from "#lib/server/v1/openapi.ts";
import { inRepository } from "./root.ts";

const specification = buildOpenApi({
  appUrl: "https://pins.evertack.test",
  productName: "Evertack",
  supportEmail: "help@pins.evertack.test",
});
writeFileSync(inRepository("tests", "support", "released-openapi.json"), `${JSON.stringify(specification)}\n`);
