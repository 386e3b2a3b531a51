import Link from "next/link";
import { PreloadFonts } from "#components/fonts/preload-fonts.tsx";
import { FaqAnswer } from "#components/site/faqs/faq-answer.tsx";
import { faqs, plainAnswer } from "#components/site/faqs/faqs.ts";
import { faqThing, JsonLd, PageThings } from "#components/site/structured-data.tsx";
import { Accordion } from "#components/ui/accordion.tsx";
import { LinkButton } from "#components/ui/link-button.tsx";
import { SUPPORT_HOURS, SUPPORT_REPLY } from "#lib/core/support.ts";
import { productFacts } from "../../facts.ts";
import { pageMetadata } from "../../metadata.ts";

export const generateMetadata = () => pageMetadata("/faqs");

/** R-FAQ-01 to R-FAQ-04: one answer is open at a time on the whole page, also without JavaScript. */
export default async function FaqsPage() {
  const product = await productFacts();
  const categories = faqs(product);
  const items = categories.flatMap((category) => category.items);
  return (
    <>
      <PreloadFonts names={["newsreader-display"]} />
      <PageThings product={product} path="/faqs" />
      <JsonLd things={[faqThing(items.map((item) => ({ question: item.question, answer: plainAnswer(item) })))]} />
      <div className="site-width faqs">
        <header className="faqs-head">
          <h1 className="display text-d2">Questions, answered</h1>
          <p className="lead mt-6 max-w-[36ch]">
            Not among them?{" "}
            <Link className="link" href="/contact-us">
              Write to us
            </Link>
            , we reply {SUPPORT_REPLY} on business days.
          </p>
          <nav aria-label="Categories" className="faqs-nav">
            <ul>
              {categories.map(({ id, title }) => (
                <li key={id}>
                  <a href={`#${id}`}>{title}</a>
                </li>
              ))}
            </ul>
          </nav>
        </header>
        <div className="faqs-list">
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
          <div className="faqs-contact">
            <div>
              <h2 className="title-2">Still wondering?</h2>
              <p className="mt-2 text-ink-2">A person reads what you write. {SUPPORT_HOURS}.</p>
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
