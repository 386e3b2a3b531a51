import { sql } from "../../database.ts";

export const dynamic = "force-dynamic";

/** Baseline: one query by primary key, the row as JSON. */
export async function GET(request: Request): Promise<Response> {
  const id = new URL(request.url).searchParams.get("id") ?? "";
  const [row] = await sql`select id, email, username, plan, time_zone from users where id = ${id}`;
  return Response.json(row ?? null);
}
