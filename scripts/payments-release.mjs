import { runStage } from "./install.mjs";

await runStage("payments-release.ts");
