/** `node scripts/run.mjs COMMAND [arguments]`: the entry point of every npm command, on any Node from 18 on. */
import { runStage } from "./install.mjs";

const [command, ...args] = process.argv.slice(2);
await runStage(`${command}.ts`, args);
