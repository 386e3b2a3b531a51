/**
 * `npm run paddle:setup [-- --check]`: makes the products and prices that a Paddle environment lacks, and prints the line
 * PADDLE_PRICES for `.env`. Those that are there are compared with our table; with `--check` nothing is made. Ends with 1
 * when something is missing or differs. The line goes to standard output, all else to standard error.
 */
import { createPayments } from "#lib/integrations/payments/client.ts";
import { readRunning, runFile } from "./local.ts";
import { command, OperatorError } from "./operator.ts";
import { readConnection, readNamedPrices, type SetUpResult, setUpCatalogue } from "./paddle-catalogue.ts";
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
  console.error(`${isCheckOnly ? "Comparing" : "Setting up"} the catalogue at ${connection.apiUrl}.`);
  const catalogue = createPayments({ ...connection, webhookSecrets: [] });
  const say = (line: string) => console.error(line);
  const result = await setUpCatalogue(catalogue, { isCheckOnly, named: readNamedPrices(settings), say });
  report(result, isCheckOnly);
});

/** As PADDLE_PRICES wants it: the id that is sold, and behind it those that somebody may still pay. */
function lineOf({ prices, former }: SetUpResult): string {
  const entries = Object.entries(prices).map(([key, id]) => [key, former[key] ? [id, ...former[key]] : id]);
  return `PADDLE_PRICES=${JSON.stringify(Object.fromEntries(entries))}`;
}

function report(result: SetUpResult, isCheckOnly: boolean): void {
  const { missing, differences } = result;
  for (const key of missing) console.error(`Missing: ${key}`);
  for (const difference of differences) console.error(`Differs: ${difference}`);
  if (differences.length > 0) {
    throw new OperatorError("Nothing was changed. Mend this in Paddle (archive the price), then run it again.");
  }
  if (missing.length > 0) throw new OperatorError("Run npm run paddle:setup to make what is missing.");
  if (isCheckOnly) console.error("All is as our table says.");
  else console.log(lineOf(result));
}
