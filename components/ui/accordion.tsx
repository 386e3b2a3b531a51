import ChevronDown from "lucide-react/icons/chevron-down";
import type { ReactNode } from "react";
import { cn } from "#components/ui/cn.ts";

type AccordionItem = {
  /** Also the id of the content, so a URL ending in `#id` opens it. */
  id: string;
  title: string;
  content: ReactNode;
};

type AccordionProps = {
  /** Of all items on a page with the same name, at most one is open. */
  name: string;
  items: readonly AccordionItem[];
};

/** An accordion of native `details`: it works without scripts, and find-in-page opens matching items. */
export function Accordion({ name, items }: AccordionProps) {
  return (
    <div className="mt-3.5 border-b border-line-2">
      {items.map(({ id, title, content }) => (
        <details
          key={id}
          name={name}
          className={cn(
            "border-t border-line-2",
            "[&>summary]:flex [&>summary]:gap-5 [&>summary]:items-center [&>summary]:justify-between",
            "[&>summary]:py-[17px] [&>summary]:px-0 [&>summary]:list-none",
            "[&>summary]:[&::-webkit-details-marker]:hidden [&_h3]:text-[1.0625rem]/[1.35] [&_h3]:font-[550]",
            "[&>summary:hover_h3]:text-accent-ink",
            "[&>summary>svg]:size-4.5 [&>summary>svg]:flex-none [&>summary>svg]:text-ink-3",
            "[&>summary>svg]:transition-[rotate] [&>summary>svg]:duration-(--dur-hover)",
            "[&>summary>svg]:ease-out open:[&>summary>svg]:rotate-180",
          )}
        >
          <summary>
            <h3>{title}</h3>
            <ChevronDown aria-hidden="true" />
          </summary>
          <div
            id={id}
            className="max-w-[62ch] pt-0 pb-5.5 pr-11 pl-0 text-ink-2 leading-[1.625] text-pretty scroll-mt-21 max-sm:pr-0"
          >
            {content}
          </div>
        </details>
      ))}
    </div>
  );
}
