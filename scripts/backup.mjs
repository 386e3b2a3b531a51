import { runStage } from "./install.mjs";

await runStage("backup.ts");
