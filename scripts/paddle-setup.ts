/**
 * `npm run paddle:setup [-- --check]`: creates missing products and prices in Paddle, and prints PADDLE_PRICES for
 * `.env`. With `--check` nothing is created. Exits with 1 if something is missing or differs.
 */
import { createPayments } from "#lib/integrations/payments/client.ts";
import { readRunning, runFile } from "./local.ts";
import { command, OperatorError } from "./operator.ts";
import { readConnection, readNamedPrices, type SetUpResult, setUpCatalog } from "./paddle-catalog.ts";
import { inRepository } from "./root.ts";
import { readSettings } from "./settings-file.ts";

await command(async () => {
  const [flag, ...others] = process.argv.slice(2);
  if (others.length > 0 || (flag !== undefined && flag !== "--check")) {
    throw new OperatorError("Usage: npm run paddle:setup [-- --check]", 2);
  }
  const given = readSettings(inRepository(".env"));
  const settings = given.PADDLE_API_KEY ? given : (readRunning(runFile)?.env ?? given);
  const connection = readConnection(settings);
  const isCheckOnly = flag === "--check";
  console.error(`${isCheckOnly ? "Comparing" : "Setting up"} the catalog at ${connection.apiUrl}.`);
  const catalog = createPayments({ ...connection, webhookSecrets: [] });
  const log = (line: string) => console.error(line);
  const result = await setUpCatalog(catalog, { isCheckOnly, named: readNamedPrices(settings), log });
  report(result, isCheckOnly);
});

/** For each key the current id, followed by ids that subscribers may still pay. */
function lineOf({ prices, former }: SetUpResult): string {
  const entries = Object.entries(prices).map(([key, id]) => [key, former[key] ? [id, ...former[key]] : id]);
  return `PADDLE_PRICES=${JSON.stringify(Object.fromEntries(entries))}`;
}

function report(result: SetUpResult, isCheckOnly: boolean): void {
  const { missing, differences } = result;
  for (const key of missing) console.error(`Missing: ${key}`);
  for (const difference of differences) console.error(`Differs: ${difference}`);
  if (differences.length > 0) {
    throw new OperatorError("Nothing was changed. Fix this in Paddle (archive the price), then run it again.");
  }
  if (missing.length > 0) throw new OperatorError("Run npm run paddle:setup to create what is missing.");
  if (isCheckOnly) console.error("Everything matches our table.");
  else console.log(lineOf(result));
}
