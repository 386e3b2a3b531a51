import { runStage } from "./install.mjs";

await runStage("payments-events.ts");
