import Link from "next/link";
import { ContactDetails } from "#components/contact/contact-details.tsx";
import { ContactForm } from "#components/contact/contact-form.tsx";
import { PreloadFonts } from "#components/fonts/preload-fonts.tsx";
import { PageJsonLd } from "#components/site/structured-data.tsx";
import { cn } from "#components/ui/cn.ts";
import { productFacts } from "../../facts.ts";
import { pageMetadata } from "../../metadata.ts";

export const generateMetadata = () => pageMetadata("/contact-us");

export default async function ContactPage() {
  const facts = await productFacts();
  return (
    <>
      <PreloadFonts names={["newsreader-display", "newsreader-display-italic"]} />
      <PageJsonLd product={facts} path="/contact-us" />
      <section
        className={cn(
          "grid grid-cols-[minmax(0,1fr)_minmax(0,1.1fr)] grid-rows-[auto_1fr] gap-y-[clamp(28px,3vw,40px)]",
          "gap-x-[clamp(40px,6vw,96px)] items-start pt-[clamp(32px,5vw,72px)] pb-[clamp(72px,8vw,120px)]",
          "max-lg:grid-cols-1 w-full max-w-[calc(var(--site-max)_+_2_*_var(--gutter))] mx-auto",
          "px-(--gutter)",
        )}
      >
        <div className="contact-copy">
          <h1 className="display text-d2">
            Get <em className="text-accent-ink">in touch</em>
          </h1>
          <p className="lead mt-6 max-w-[44ch]">
            Questions about your account, a pin, a payment or an idea? A person reads every message and replies by
            email. We also confirm by email that it arrived. You may find an answer in the{" "}
            <Link className="link" href="/faqs">
              FAQs
            </Link>
            , too.
          </p>
        </div>
        <div className="row-span-2 max-lg:row-auto">
          <ContactForm />
        </div>
        <ContactDetails {...facts} />
      </section>
    </>
  );
}
