import { APP_ICONS } from "#components/site/app-icons.ts";
import { iconResponse } from "#lib/server/responses.ts";

/** Rendered at build time; other names return 404. */
export const dynamic = "force-static";
export const dynamicParams = false;

type IconParams = { name: string };

export const generateStaticParams = (): IconParams[] => APP_ICONS.map(({ name }) => ({ name }));

export const GET = async (_: Request, { params }: { params: Promise<IconParams> }): Promise<Response> => {
  const { name } = await params;
  const icon = APP_ICONS.find((candidate) => candidate.name === name);
  return icon ? iconResponse(icon) : new Response(null, { status: 404 });
};
