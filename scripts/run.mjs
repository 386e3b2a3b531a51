/** `node scripts/run.mjs COMMAND [arguments]`: every npm command starts here, on any Node from 18 on. */
import { runStage } from "./install.mjs";

const [command, ...args] = process.argv.slice(2);
await runStage(`${command}.ts`, args);
