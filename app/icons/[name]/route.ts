import { APP_ICONS } from "#components/site/app-icons.ts";
import { answerIcon } from "#lib/server/responses.ts";

/** Drawn when the product is built; no other name exists. */
export const dynamic = "force-static";
export const dynamicParams = false;

type IconParams = { name: string };

export const generateStaticParams = (): IconParams[] => APP_ICONS.map(({ name }) => ({ name }));

/** An icon of the web manifest. */
export const GET = async (_: Request, { params }: { params: Promise<IconParams> }): Promise<Response> => {
  const { name } = await params;
  const icon = APP_ICONS.find((one) => one.name === name);
  return icon ? answerIcon(icon) : new Response(null, { status: 404 });
};
