/** An executor in a process of its own, for tests that kill it: settings as JSON in the first argument. */
import { startInngest } from "#sandbox/inngest/server.ts";

const executor = await startInngest({ ...JSON.parse(process.argv[2] ?? "{}"), log: () => {} });
process.on("SIGTERM", () => void executor.close().then(() => process.exit(0)));
console.log(executor.url);
