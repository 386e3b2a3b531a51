import { Assistants, ErrorList, QuickStart, Rules } from "#components/developers/guide.tsx";
import { Reference, SharedSchemas } from "#components/developers/reference.tsx";
import type { Specification } from "#components/developers/specification.ts";
import { PreloadFonts } from "#components/fonts/preload-fonts.tsx";
import { PageJsonLd } from "#components/site/structured-data.tsx";
import { API_ERRORS, buildOpenApi } from "#lib/server/v1/openapi.ts";
import { readQuickStarts } from "#lib/server/v1/quick-start.ts";
import { productFacts } from "../../facts.ts";
import { pageMetadata } from "../../metadata.ts";

export const generateMetadata = () => pageMetadata("/developers");

const CONTENTS = [
  ["quick-start", "Quick start"],
  ["assistants", "Assistants"],
  ["rules", "How every call works"],
  ["errors", "Errors"],
] as const;

/** The API's guide and reference, from the same source as its checks. */
export default async function DevelopersPage() {
  const product = await productFacts();
  const { name: productName, appUrl, supportEmail } = product;
  const specification = buildOpenApi({ productName, appUrl, supportEmail }) as unknown as Specification;
  const examples = await readQuickStarts();
  const links = [
    ...CONTENTS,
    ...specification.tags.map(({ name }) => [`tag-${name}`, name] as const),
    ["schemas", "Objects"],
  ];
  return (
    <>
      <PreloadFonts names={["newsreader-display"]} />
      <PageJsonLd product={product} path="/developers" />
      <div className="site-width grid grid-cols-[minmax(180px,220px)_minmax(0,1fr)] gap-x-[clamp(40px,6vw,88px)] pt-[clamp(36px,5.2vw,76px)] pb-[clamp(56px,7vw,104px)] max-lg:grid-cols-1">
        <header className="col-span-full pb-[clamp(28px,4vw,52px)]">
          <h1 className="display text-d2">{productName} API</h1>
          <p className="lead mt-6 max-w-[52ch]">
            Generate, edit, and schedule pins from your own programs, with the same rules as the app.
          </p>
          <p className="mt-4 text-sm text-ink-3">
            OpenAPI 3.1:{" "}
            <a className="link" href="/api/openapi.json">
              openapi.json
            </a>
          </p>
        </header>
        <nav aria-label="Contents" className="sticky top-6 self-start text-sm max-lg:static max-lg:mb-8">
          <ul className="max-lg:flex max-lg:flex-wrap max-lg:gap-x-5">
            {links.map(([id, label]) => (
              <li key={id}>
                <a className="inline-block py-1.5 text-ink-2 hover:text-ink hover:underline" href={`#${id}`}>
                  {label}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <div className="grid min-w-0 gap-14 [&_:is(h2,h3)]:scroll-mt-6">
          <QuickStart appUrl={appUrl} examples={examples} />
          <Assistants appUrl={appUrl} />
          <Rules />
          <ErrorList errors={API_ERRORS} />
          <Reference specification={specification} />
          <SharedSchemas specification={specification} />
        </div>
      </div>
    </>
  );
}
