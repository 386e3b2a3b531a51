/** An executor in its own process, for tests that kill it. The first argument contains the settings as JSON. */
import { startInngest } from "#sandbox/inngest/server.ts";

const executor = await startInngest({ ...JSON.parse(process.argv[2] ?? "{}"), log: () => {} });
process.on("SIGTERM", () => void executor.close().then(() => process.exit(0)));
console.log(executor.url);
