import { runStage } from "./install.mjs";

await runStage("paddle-setup.ts");
