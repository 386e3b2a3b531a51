import { runLocal } from "./terminal.ts";

await runLocal("start");
