import { runStage } from "./install.mjs";

await runStage("keys-rotate.ts");
