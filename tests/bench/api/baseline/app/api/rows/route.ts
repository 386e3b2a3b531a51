import { sql } from "../../database.ts";

export const dynamic = "force-dynamic";

/** As long as the start of a signed URL. */
const SIGNED = "http://localhost:30000/api/images/signed/1795796193/0123456789abcdef012345/";

/** Baseline with a response of the same size: one query for the same rows and fields, nothing else. */
const READERS: Record<string, (id: string) => Promise<unknown>> = {
  posts: async (id) => ({
    posts: await sql`
      select id, title, description, ${SIGNED} || image_key as image_url, keyword, link as url, status, created_at, scheduled_at,
        published_at, pinterest_pin_id as pinterest_url, account_id, board_id, board_section_id, alt_text, reason, may_be_published,
        null as check_url, source, 'image' as format, placeholder, review, template ->> 'id' as template_id,
        null as link_state, null as link_warning, false as link_checking, false as from_page
      from pins where account_id = ${id} order by created_at desc, id desc`,
  }),
  pins: async (id) => ({
    data: await sql`
      select id, account_id, board_id, board_section_id, title, description, alt_text, link, keyword,
        'image' as format, source, status, ${SIGNED} || image_key as image_url, created_at, scheduled_at,
        published_at, pinterest_pin_id as pinterest_url, reason, may_be_published, review,
        template ->> 'id' as template_id, null as link_warning
      from pins where account_id = ${id} order by created_at desc, id desc`,
    next_cursor: null,
  }),
  generation: async (id) => ({
    tasks: await sql`
      select id, keyword, status, cost_credits as progress_percentage, title, description,
        ${SIGNED} || image_key as image_url, null as reason
      from generation_tasks where group_id = ${id} order by position`,
  }),
  tasks: async (id) => ({
    tasks: await sql`
      select id as task_id, id, status, status as stage, keyword, title, description,
        ${SIGNED} || image_key as image_url, url,
        cost_credits as progress_percentage, title is not null as "hasTitle",
        description is not null as "hasDescription", image_key is not null as "hasImage"
      from generation_tasks where group_id = ${id} order by position`,
  }),
};

export async function GET(request: Request): Promise<Response> {
  const { searchParams } = new URL(request.url);
  const read = READERS[searchParams.get("of") ?? ""];
  if (!read) return new Response(null, { status: 404 });
  return Response.json(await read(searchParams.get("id") ?? ""));
}
