import { runStage } from "./install.mjs";

await runStage("credits-grant.ts");
