import { runStage } from "./install.mjs";

await runStage("payments-replay.ts");
