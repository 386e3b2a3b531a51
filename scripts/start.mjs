import { runStage } from "./install.mjs";

await runStage("start.ts");
