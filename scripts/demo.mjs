import { runStage } from "./install.mjs";

await runStage("demo.ts");
