import { auditHere } from "./audit-page.ts";

const [url = "", port = ""] = process.argv.slice(2);
console.log(JSON.stringify(await auditHere(url, Number(port))));
process.exit(0);
