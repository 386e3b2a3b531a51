import { runStage } from "./install.mjs";

await runStage("test.ts");
