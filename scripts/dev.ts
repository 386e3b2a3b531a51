import { runLocal } from "./terminal.ts";

await runLocal("dev");
