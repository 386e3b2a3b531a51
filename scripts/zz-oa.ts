import { buildOpenApi } from "#lib/server/v1/openapi.ts";
const d = buildOpenApi({appUrl:"https://a.example", productName:"Evertack", supportEmail:"x@a.example"}) as any;
if (process.argv[2]) console.log(JSON.stringify(d, null, 1)); else {
console.log(JSON.stringify(d.paths["/pins"],null,1).slice(0,5000)); console.log(Object.keys(d.components.schemas).join(" ")); console.log(JSON.stringify(d.components.schemas.NewGeneration,null,1)); console.log(JSON.stringify(d.components.schemas.NewPins,null,1).slice(0,3000)) }
