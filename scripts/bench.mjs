import { runStage } from "./install.mjs";

await runStage("bench.ts");
