import { runStage } from "./install.mjs";

await runStage("faults.ts");
