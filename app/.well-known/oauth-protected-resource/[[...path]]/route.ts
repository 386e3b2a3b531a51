import { resourceMetadata } from "#lib/server/oauth.ts";

type Params = { params: Promise<{ path?: string[] }> };

export const GET = async (_: Request, { params }: Params): Promise<Response> => {
  const { path = [] } = await params;
  return resourceMetadata(path.map((part) => `/${part}`).join("")) ?? new Response(null, { status: 404 });
};
