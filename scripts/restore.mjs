import { runStage } from "./install.mjs";

await runStage("restore.ts");
