import { runStage } from "./install.mjs";

await runStage("dev.ts");
