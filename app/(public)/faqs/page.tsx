import Link from "next/link";
import { PreloadFonts } from "#components/fonts/preload-fonts.tsx";
import { FaqAnswer } from "#components/site/faqs/faq-answer.tsx";
import { faqs, plainAnswer } from "#components/site/faqs/faqs.ts";
import { faqThing, JsonLd, PageJsonLd } from "#components/site/structured-data.tsx";
import { Accordion } from "#components/ui/accordion.tsx";
import { cn } from "#components/ui/cn.ts";
import { LinkButton } from "#components/ui/link-button.tsx";
import { SUPPORT_HOURS, SUPPORT_REPLY } from "#lib/core/support.ts";
import { productFacts } from "../../facts.ts";
import { pageMetadata } from "../../metadata.ts";

export const generateMetadata = () => pageMetadata("/faqs");

/** One answer is open at a time on the whole page, even without JavaScript. */
export default async function FaqsPage() {
  const product = await productFacts();
  const categories = faqs(product);
  const items = categories.flatMap((category) => category.items);
  return (
    <>
      <PreloadFonts names={["newsreader-display"]} />
      <PageJsonLd product={product} path="/faqs" />
      <JsonLd things={[faqThing(items.map((item) => ({ question: item.question, answer: plainAnswer(item) })))]} />
      <div
        className={cn(
          "site-width grid",
          "grid-cols-[minmax(0,1fr)_minmax(0,1.7fr)] gap-y-12 gap-x-[clamp(40px,6vw,104px)]",
          "pt-[clamp(36px,5.2vw,76px)] pb-[clamp(56px,7vw,104px)] max-lg:grid-cols-1 [&_h2]:scroll-mt-6",
        )}
      >
        <header className="self-start sticky top-9 max-lg:static">
          <h1 className="display text-d2">Questions, answered</h1>
          <p className="lead mt-6 max-w-[36ch]">
            Can’t find yours?{" "}
            <Link className="link" href="/contact-us">
              Contact us
            </Link>
            . We reply {SUPPORT_REPLY} on business days.
          </p>
          <nav
            aria-label="Categories"
            className={cn(
              "mt-8 text-ui [&_a]:inline-block [&_a]:py-[5px] [&_a]:text-ink-2",
              "[&_a:hover]:text-ink [&_a:hover]:underline [&_a:hover]:underline-offset-3",
            )}
          >
            <ul>
              {categories.map(({ id, title }) => (
                <li key={id}>
                  <a href={`#${id}`}>{title}</a>
                </li>
              ))}
            </ul>
          </nav>
        </header>
        <div className="grid gap-14">
          {categories.map(({ id, title, items: questions }) => (
            <section key={id} aria-labelledby={id}>
              <h2 id={id} className="title-2">
                {title}
              </h2>
              <Accordion
                name="faq"
                items={questions.map((item) => ({
                  id: item.id,
                  title: item.question,
                  content: <FaqAnswer answer={item.answer} />,
                }))}
              />
            </section>
          ))}
          <div className="flex flex-wrap gap-5 items-center justify-between py-6.5 px-7 rounded-card bg-surface shadow-card">
            <div>
              <h2 className="title-2">Still have questions?</h2>
              <p className="mt-2 text-ink-2">A real person reads every message. {SUPPORT_HOURS}.</p>
            </div>
            <LinkButton href="/contact-us" variant="primary">
              Contact us
            </LinkButton>
          </div>
        </div>
      </div>
    </>
  );
}
